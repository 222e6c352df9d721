//! Operators that the JVM has no instruction for, in open code.

use pathsmith_symlang::lang::WordTy;

use super::{Bits, Body, Choice, OpenOp};
use crate::classfile::{Cond, Label, Local, Op};
use crate::types::{is_long, pick, return_op, signed, stack_descriptor};

impl Body<'_, '_> {
    pub(super) fn bits(&mut self, op: Bits, ty: WordTy, x: Local) {
        match op {
            Bits::LeadingZeros => self.leading_zeros(ty, x),
            Bits::TrailingZeros => self.trailing_zeros(ty, x),
            Bits::Count => self.population(ty, x),
            Bits::SwapBytes => self.reversed(ty, x, 8),
            Bits::Reverse => self.reversed(ty, x, 1),
        }
    }

    pub(super) fn binary(&mut self, op: OpenOp, ty: WordTy, a: Local, b: Local, by_jdk: bool) {
        match op {
            OpenOp::RotateLeft => self.rotate(ty, a, b, false),
            OpenOp::RotateRight => self.rotate(ty, a, b, true),
            OpenOp::Choice(choice) => self.min_or_max(choice, ty, a, b, by_jdk),
            OpenOp::UnsignedDiv => self.divide_unsigned(ty, a, b, true),
            OpenOp::UnsignedRem => self.divide_unsigned(ty, a, b, false),
            OpenOp::Compare => self.compare(ty, a, b),
            OpenOp::MulHigh => self.mul_high(ty, a, b, by_jdk),
            OpenOp::AddSat => self.saturate(ty, a, b, true, by_jdk),
            OpenOp::SubSat => self.saturate(ty, a, b, false, by_jdk),
        }
    }

    /// Counts down for every bit up to the highest one.
    fn leading_zeros(&mut self, ty: WordTy, x: Local) {
        let n = self.local("I", ty.bits().into());
        let (start, end) = (self.code.add_label(), self.code.add_label());
        self.code.place(start);
        self.branch_if_zero(ty, x, end);
        self.code.load(x);
        self.code.push_int(1);
        self.code.op(pick(ty, Op::Iushr, Op::Lushr));
        self.code.store(x);
        self.code.increment(n, -1);
        self.code.goto(start);
        self.code.place(end);
        self.ret_count(ty, n);
    }

    /// Counts up to the first bit that is set.
    fn trailing_zeros(&mut self, ty: WordTy, x: Local) {
        let n = self.local("I", 0);
        let (start, end) = (self.code.add_label(), self.code.add_label());
        self.code.place(start);
        self.code.load(n);
        self.code.push_int(ty.bits() as i32);
        self.code.branch_int(Cond::Eq, end);
        self.code.load(x);
        self.code.load(n);
        self.code.op(pick(ty, Op::Iushr, Op::Lushr));
        if is_long(ty) {
            self.code.op(Op::L2i);
        }
        self.code.push_int(1);
        self.code.op(Op::Iand);
        self.code.branch_zero(Cond::Ne, end);
        self.code.increment(n, 1);
        self.code.goto(start);
        self.code.place(end);
        self.ret_count(ty, n);
    }

    /// Clears the lowest bit until none is left.
    fn population(&mut self, ty: WordTy, x: Local) {
        let n = self.local("I", 0);
        let (start, end) = (self.code.add_label(), self.code.add_label());
        self.code.place(start);
        self.branch_if_zero(ty, x, end);
        self.code.load(x);
        self.code.load(x);
        self.push(ty, 1);
        self.code.op(pick(ty, Op::Isub, Op::Lsub));
        self.code.op(pick(ty, Op::Iand, Op::Land));
        self.code.store(x);
        self.code.increment(n, 1);
        self.code.goto(start);
        self.code.place(end);
        self.ret_count(ty, n);
    }

    /// Units of so many bits in reverse order.
    fn reversed(&mut self, ty: WordTy, x: Local, n_bits: i16) {
        let n = self.local("I", 0);
        let result = self.local(stack_descriptor(ty.into()), 0);
        let start = self.code.add_label();
        self.code.place(start);
        self.code.load(result);
        self.code.push_int(n_bits.into());
        self.code.op(pick(ty, Op::Ishl, Op::Lshl));
        self.code.load(x);
        self.push(ty, (1 << n_bits) - 1);
        self.code.op(pick(ty, Op::Iand, Op::Land));
        self.code.op(pick(ty, Op::Ior, Op::Lor));
        self.code.store(result);
        self.code.load(x);
        self.code.push_int(n_bits.into());
        self.code.op(pick(ty, Op::Iushr, Op::Lushr));
        self.code.store(x);
        self.code.increment(n, n_bits);
        self.code.load(n);
        self.code.push_int(ty.bits() as i32);
        self.code.branch_int(Cond::Lt, start);
        self.code.load(result);
        self.ret(ty);
    }

    fn rotate(&mut self, ty: WordTy, x: Local, count: Local, to_the_right: bool) {
        let (there, back) = match to_the_right {
            false => (pick(ty, Op::Ishl, Op::Lshl), pick(ty, Op::Iushr, Op::Lushr)),
            true => (pick(ty, Op::Iushr, Op::Lushr), pick(ty, Op::Ishl, Op::Lshl)),
        };
        self.code.load(x);
        self.code.load(count);
        self.code.op(there);
        self.code.load(x);
        self.code.load(count);
        self.ops(&[Op::Ineg, back, pick(ty, Op::Ior, Op::Lor)]);
        self.ret(ty);
    }

    pub(super) fn min_or_max(
        &mut self,
        choice: Choice,
        ty: WordTy,
        a: Local,
        b: Local,
        by_jdk: bool,
    ) {
        let second = self.code.add_label();
        let cond = match choice {
            Choice::Min => Cond::Gt,
            Choice::Max => Cond::Lt,
        };
        self.branch(ty, a, b, by_jdk, cond, second);
        self.code.load(a);
        self.ret(ty);
        self.code.place(second);
        self.code.load(b);
        self.ret(ty);
    }

    /// The quotient of two numbers, or what is left over.
    fn divide_unsigned(&mut self, ty: WordTy, a: Local, b: Local, wants_quotient: bool) {
        match is_long(ty) {
            true => self.divide_unsigned_long(a, b, wants_quotient),
            false => self.divide_unsigned_int(a, b, wants_quotient),
        }
    }

    fn divide_unsigned_int(&mut self, a: Local, b: Local, wants_quotient: bool) {
        for operand in [a, b] {
            self.code.load(operand);
            self.code.op(Op::I2l);
            self.code.push_long(0xffff_ffff);
            self.code.op(Op::Land);
        }
        self.ops(&[if wants_quotient { Op::Ldiv } else { Op::Lrem }, Op::L2i, Op::Ireturn]);
    }

    /// Half of the dividend is never negative, so a signed division does most of it; the quotient
    /// is then too small by at most one. A divisor with the highest bit goes in once or not at
    /// all.
    fn divide_unsigned_long(&mut self, a: Local, b: Local, wants_quotient: bool) {
        let quotient = self.local("J", 0);
        let rest = self.code.add_local("J");
        self.code.load(a);
        self.code.store(rest);
        let (correct, end) = (self.code.add_label(), self.code.add_label());
        self.code.load(b);
        self.code.push_long(0);
        self.code.op(Op::Lcmp);
        self.code.branch_zero(Cond::Lt, correct);
        self.code.load(a);
        self.code.push_int(1);
        self.code.op(Op::Lushr);
        self.code.load(b);
        self.code.op(Op::Ldiv);
        self.code.push_int(1);
        self.code.op(Op::Lshl);
        self.code.store(quotient);
        self.code.load(a);
        self.code.load(quotient);
        self.code.load(b);
        self.ops(&[Op::Lmul, Op::Lsub]);
        self.code.store(rest);
        self.code.place(correct);
        self.branch(WordTy::U64, rest, b, false, Cond::Lt, end);
        self.code.load(quotient);
        self.code.push_long(1);
        self.code.op(Op::Ladd);
        self.code.store(quotient);
        self.code.load(rest);
        self.code.load(b);
        self.code.op(Op::Lsub);
        self.code.store(rest);
        self.code.place(end);
        self.code.load(if wants_quotient { quotient } else { rest });
        self.code.op(Op::Lreturn);
    }

    /// Jumps if `a` and `b` compare like this.
    pub(super) fn branch(
        &mut self,
        ty: WordTy,
        a: Local,
        b: Local,
        by_jdk: bool,
        cond: Cond,
        to: Label,
    ) {
        if by_jdk {
            let (class, descriptor) = match is_long(ty) {
                true => ("java/lang/Long", "(JJ)I"),
                false => ("java/lang/Integer", "(II)I"),
            };
            self.code.load(a);
            self.code.load(b);
            self.code.invoke_static(class, "compareUnsigned", descriptor);
            self.code.branch_zero(cond, to);
            return;
        }
        for operand in [a, b] {
            self.code.load(operand);
            if !ty.is_signed() {
                self.push(ty, signed(ty).min());
                self.code.op(pick(ty, Op::Ixor, Op::Lxor));
            }
        }
        if is_long(ty) {
            self.code.op(Op::Lcmp);
            self.code.branch_zero(cond, to);
        } else {
            self.code.branch_int(cond, to);
        }
    }

    fn branch_if_zero(&mut self, ty: WordTy, x: Local, to: Label) {
        self.code.load(x);
        if is_long(ty) {
            self.code.push_long(0);
            self.code.op(Op::Lcmp);
        }
        self.code.branch_zero(Cond::Eq, to);
    }

    pub(super) fn push(&mut self, ty: WordTy, value: i64) {
        if is_long(ty) { self.code.push_long(value) } else { self.code.push_int(value as i32) }
    }

    pub(super) fn ret(&mut self, ty: WordTy) {
        self.code.op(return_op(ty.into()));
    }

    fn ret_count(&mut self, ty: WordTy, n: Local) {
        self.code.load(n);
        if is_long(ty) {
            self.code.op(Op::I2l);
        }
        self.ret(ty);
    }
}
