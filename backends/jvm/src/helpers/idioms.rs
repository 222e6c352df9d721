//! Absolute values, three-way comparisons, upper halves of products and saturation: in open code,
//! or around the JDK's methods where it has none for all of it.

use pathsmith_symlang::lang::WordTy;

use super::Body;
use crate::classfile::{Cond, Local, Op};
use crate::types::{is_long, pick, signed, stack_descriptor};

impl Body<'_, '_> {
    pub(super) fn abs(&mut self, ty: WordTy, x: Local) {
        let positive = self.code.add_label();
        self.code.load(x);
        if is_long(ty) {
            self.code.push_long(0);
            self.code.op(Op::Lcmp);
        }
        self.code.branch_zero(Cond::Ge, positive);
        self.code.load(x);
        self.code.op(pick(ty, Op::Ineg, Op::Lneg));
        self.ret(ty);
        self.code.place(positive);
        self.code.load(x);
        self.ret(ty);
    }

    pub(super) fn compare(&mut self, ty: WordTy, a: Local, b: Local) {
        let (less, greater) = (self.code.add_label(), self.code.add_label());
        self.branch(ty, a, b, false, Cond::Lt, less);
        self.branch(ty, a, b, false, Cond::Gt, greater);
        self.code.push_int(0);
        self.code.op(Op::Ireturn);
        self.code.place(less);
        self.code.push_int(-1);
        self.code.op(Op::Ireturn);
        self.code.place(greater);
        self.code.push_int(1);
        self.code.op(Op::Ireturn);
    }

    /// The upper half of a product. `Math.multiplyHigh` is there since JDK 9, the one for unsigned
    /// numbers since JDK 18 only, and classes have to load on older ones.
    pub(super) fn mul_high(&mut self, ty: WordTy, a: Local, b: Local, by_jdk: bool) {
        match (is_long(ty), by_jdk) {
            (false, _) => {
                self.load_as_long(ty, a);
                self.load_as_long(ty, b);
                self.code.op(Op::Lmul);
                self.code.push_int(32);
                self.ops(&[Op::Lushr, Op::L2i]);
            }
            (true, false) => self.mul_high_by_halves(ty, a, b),
            (true, true) => {
                self.code.load(a);
                self.code.load(b);
                self.code.invoke_static("java/lang/Math", "multiplyHigh", "(JJ)J");
                if !ty.is_signed() {
                    // An operand with the highest bit counts for 2^64 less as a signed number.
                    for (x, y) in [(a, b), (b, a)] {
                        self.code.load(x);
                        self.code.push_int(63);
                        self.code.op(Op::Lshr);
                        self.code.load(y);
                        self.ops(&[Op::Land, Op::Ladd]);
                    }
                }
            }
        }
        self.ret(ty);
    }

    /// Products of halves, the upper ones of which have the sign.
    fn mul_high_by_halves(&mut self, ty: WordTy, a: Local, b: Local) {
        let middle = self.local("J", 0);
        let shift = if ty.is_signed() { Op::Lshr } else { Op::Lushr };
        self.high(a, shift);
        self.low(b);
        self.code.op(Op::Lmul);
        self.low(a);
        self.low(b);
        self.code.op(Op::Lmul);
        self.code.push_int(32);
        self.ops(&[Op::Lushr, Op::Ladd]);
        self.code.store(middle);
        self.high(a, shift);
        self.high(b, shift);
        self.code.op(Op::Lmul);
        self.high(middle, shift);
        self.code.op(Op::Ladd);
        self.low(a);
        self.high(b, shift);
        self.code.op(Op::Lmul);
        self.low(middle);
        self.code.op(Op::Ladd);
        self.code.push_int(32);
        self.ops(&[shift, Op::Ladd]);
    }

    fn high(&mut self, x: Local, shift: Op) {
        self.code.load(x);
        self.code.push_int(32);
        self.code.op(shift);
    }

    fn low(&mut self, x: Local) {
        self.code.load(x);
        self.code.push_long(0xffff_ffff);
        self.code.op(Op::Land);
    }

    /// An int as the long that it stands for.
    fn load_as_long(&mut self, ty: WordTy, x: Local) {
        self.code.load(x);
        self.code.op(Op::I2l);
        if !ty.is_signed() {
            self.code.push_long(0xffff_ffff);
            self.code.op(Op::Land);
        }
    }

    /// A sum or difference, or the limit that is nearest to it.
    pub(super) fn saturate(&mut self, ty: WordTy, a: Local, b: Local, is_sum: bool, by_jdk: bool) {
        if by_jdk && !is_long(ty) {
            return self.saturate_in_longs(ty, a, b, is_sum);
        }
        let result = self.local(stack_descriptor(ty.into()), 0);
        let limited = self.code.add_label();
        self.code.load(a);
        self.code.load(b);
        self.code.op(match is_sum {
            true => pick(ty, Op::Iadd, Op::Ladd),
            false => pick(ty, Op::Isub, Op::Lsub),
        });
        self.code.store(result);
        match (ty.is_signed(), is_sum) {
            (true, _) => {
                // A sum that overflows has another sign than both operands; a difference another
                // than the left one, which has another than the right one.
                let other = if is_sum { result } else { a };
                for (x, y) in [(a, result), (b, other)] {
                    self.code.load(x);
                    self.code.load(y);
                    self.code.op(pick(ty, Op::Ixor, Op::Lxor));
                }
                self.code.op(pick(ty, Op::Iand, Op::Land));
                if is_long(ty) {
                    self.code.push_long(0);
                    self.code.op(Op::Lcmp);
                }
                self.code.branch_zero(Cond::Lt, limited);
            }
            (false, true) => self.branch(ty, result, a, by_jdk, Cond::Lt, limited),
            (false, false) => self.branch(ty, a, b, by_jdk, Cond::Lt, limited),
        }
        self.code.load(result);
        self.ret(ty);
        self.code.place(limited);
        match (ty.is_signed(), is_sum) {
            (true, _) => {
                self.code.load(a);
                self.code.push_int(ty.bits() as i32 - 1);
                self.code.op(pick(ty, Op::Ishr, Op::Lshr));
                self.push(ty, ty.max());
                self.code.op(pick(ty, Op::Ixor, Op::Lxor));
            }
            (false, true) => self.push(signed(ty), -1),
            (false, false) => self.push(ty, 0),
        }
        self.ret(ty);
    }

    /// Ints saturate by `Math.max` and `Math.min` of longs.
    fn saturate_in_longs(&mut self, ty: WordTy, a: Local, b: Local, is_sum: bool) {
        self.load_as_long(ty, a);
        self.load_as_long(ty, b);
        self.code.op(if is_sum { Op::Ladd } else { Op::Lsub });
        for (limit, method) in [(ty.min(), "max"), (ty.max(), "min")] {
            self.code.push_long(limit);
            self.code.invoke_static("java/lang/Math", method, "(JJ)J");
        }
        self.code.op(Op::L2i);
        self.ret(ty);
    }
}
