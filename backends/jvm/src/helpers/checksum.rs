//! CRC-32, byte by byte.

use super::{Body, CRC32, Helper};
use crate::classfile::{Cond, Local, Op};
use crate::types::CellKind;

impl Body<'_, '_> {
    pub(super) fn crc_table(&mut self) {
        const POLYNOMIAL: i32 = 0xedb8_8320_u32 as i32;
        let table = self.code.add_local("[I");
        self.code.push_int(256);
        self.code.new_array("I");
        self.code.store(table);
        let (byte, crc, bits) = (self.local("I", 0), self.local("I", 0), self.local("I", 0));
        let (outer, inner) = (self.code.add_label(), self.code.add_label());
        self.code.place(outer);
        self.code.load(byte);
        self.code.store(crc);
        self.code.push_int(8);
        self.code.store(bits);
        self.code.place(inner);
        self.code.load(crc);
        self.code.push_int(1);
        self.code.op(Op::Iushr);
        self.code.push_int(POLYNOMIAL);
        self.code.load(crc);
        self.code.push_int(1);
        self.ops(&[Op::Iand, Op::Ineg, Op::Iand, Op::Ixor]);
        self.code.store(crc);
        self.code.increment(bits, -1);
        self.code.load(bits);
        self.code.branch_zero(Cond::Ne, inner);
        self.code.load(table);
        self.code.load(byte);
        self.code.load(crc);
        self.code.op(Op::Iastore);
        self.code.increment(byte, 1);
        self.code.load(byte);
        self.code.push_int(256);
        self.code.branch_int(Cond::Lt, outer);
        self.code.load(table);
        self.code.op(Op::Areturn);
    }

    /// Adds the lowest `n` bytes of `value`, of which there is at least one.
    pub(super) fn crc(&mut self, crc: Local, value: Local, n: Local) {
        let start = self.code.add_label();
        self.code.place(start);
        self.code.load(crc);
        self.code.push_int(8);
        self.code.op(Op::Iushr);
        self.code.get_static(self.class, Helper::CrcTable.name(), "[I");
        self.code.load(crc);
        self.code.load(value);
        self.ops(&[Op::L2i, Op::Ixor]);
        self.code.push_int(255);
        self.ops(&[Op::Iand, Op::Iaload, Op::Ixor]);
        self.code.store(crc);
        self.shift_and_count(value, n);
        self.code.branch_zero(Cond::Ne, start);
        self.code.load(crc);
        self.code.op(Op::Ireturn);
    }

    pub(super) fn jdk_crc(&mut self, crc: Local, value: Local, n: Local) {
        let start = self.code.add_label();
        self.code.place(start);
        self.code.load(crc);
        self.code.load(value);
        self.code.op(Op::L2i);
        // It takes the lowest eight bits.
        self.code.invoke_virtual(CRC32, "update", "(I)V");
        self.shift_and_count(value, n);
        self.code.branch_zero(Cond::Ne, start);
        self.code.op(Op::Return);
    }

    /// Advances to the next byte, and leaves how many are left on the stack.
    fn shift_and_count(&mut self, value: Local, n: Local) {
        self.code.load(value);
        self.code.push_int(8);
        self.code.op(Op::Lushr);
        self.code.store(value);
        self.code.increment(n, -1);
        self.code.load(n);
    }

    pub(super) fn crc_array(&mut self, kind: CellKind, crc: Local, array: Local) {
        self.for_each_element(
            kind,
            array,
            |body| body.code.load(crc),
            |body| {
                body.code.invoke_static(body.class, Helper::Crc.name(), &Helper::Crc.descriptor());
                body.code.store(crc);
            },
        );
        self.code.load(crc);
        self.code.op(Op::Ireturn);
    }

    pub(super) fn jdk_crc_array(&mut self, kind: CellKind, crc: Local, array: Local) {
        self.for_each_element(
            kind,
            array,
            |body| body.code.load(crc),
            |body| {
                let helper = Helper::JdkCrc;
                body.code.invoke_static(body.class, helper.name(), &helper.descriptor());
            },
        );
        self.code.op(Op::Return);
    }

    /// Does `before`, puts an element and its size on the stack, and does `after`.
    fn for_each_element(
        &mut self,
        kind: CellKind,
        array: Local,
        before: impl Fn(&mut Self),
        after: impl Fn(&mut Self),
    ) {
        let at = self.local("I", 0);
        let (start, end) = (self.code.add_label(), self.code.add_label());
        self.code.place(start);
        self.code.load(at);
        self.code.load(array);
        self.code.op(Op::Arraylength);
        self.code.branch_int(Cond::Ge, end);
        before(self);
        self.code.load(array);
        self.code.load(at);
        self.code.op(kind.load());
        kind.emit_to_long(&mut self.code);
        self.code.push_int(kind.n_bytes() as i32);
        after(self);
        self.code.increment(at, 1);
        self.code.goto(start);
        self.code.place(end);
    }
}
