//! Operators on floating-point numbers, and conversions, in open code. They are exact: no step rounds
//! where the operator does not, and zeros keep their signs.

use pathsmith_symlang::lang::FloatTy;

use super::{Body, Choice, FloatOp, Rounding};
use crate::classfile::{Cond, Label, Local, Op};
use crate::types::{emit_float_bits, emit_float_of_bits, pick_float, return_op, stack_descriptor};

impl Body<'_, '_> {
    /// An operator on `a` and `b`, which are the same if it takes only one.
    pub(super) fn float(&mut self, op: FloatOp, ty: FloatTy, a: Local, b: Local) {
        match op {
            FloatOp::Abs => self.float_abs(ty, a),
            FloatOp::Round(rounding) => self.round(rounding, ty, a),
            FloatOp::TruncByJdk => self.trunc_by_jdk(ty, a),
            FloatOp::Choice(choice) => self.lesser_or_greater(choice, ty, a, b),
            FloatOp::Copysign => self.copysign(ty, a, b),
            FloatOp::Bits => self.bits_or_nan(ty, a),
            FloatOp::ToU32 => self.emit_to_u32(ty, a),
            FloatOp::ToU64 => self.emit_to_u64(ty, a),
            FloatOp::FromU64 => self.emit_from_u64(ty, a),
        }
    }

    /// `a <= 0 ? 0 - a : a`, which takes -0 to 0 and is what HotSpot recognizes.
    fn float_abs(&mut self, ty: FloatTy, a: Local) {
        let positive = self.code.add_label();
        self.branch_float(ty, a, 0.0, Cond::Le, false, positive);
        self.push_number(ty, 0.0);
        self.code.load(a);
        self.code.op(pick_float(ty, Op::Fsub, Op::Dsub));
        self.ret_float(ty);
        self.code.place(positive);
        self.ret_local(ty, a);
    }

    /// By way of integers, which have room for all numbers that have fractions, or by adding a number
    /// next to which there are none.
    fn round(&mut self, rounding: Rounding, ty: FloatTy, x: Local) {
        let limit = whole_from(ty);
        let whole = self.code.add_local(stack_descriptor(ty.into()));
        self.push_number(ty, 0.0);
        self.code.store(whole);
        let (as_it_is, negative, end) =
            (self.code.add_label(), self.code.add_label(), self.code.add_label());
        // Of NaN, neither holds.
        self.branch_float(ty, x, limit, Cond::Lt, false, as_it_is);
        self.branch_float(ty, x, -limit, Cond::Gt, false, as_it_is);
        let (add, sub) = (pick_float(ty, Op::Fadd, Op::Dadd), pick_float(ty, Op::Fsub, Op::Dsub));
        match rounding {
            Rounding::Floor | Rounding::Ceil | Rounding::Trunc => {
                self.code.load(x);
                match ty {
                    FloatTy::F32 => self.ops(&[Op::F2i, Op::I2f]),
                    FloatTy::F64 => self.ops(&[Op::D2l, Op::L2d]),
                }
                self.code.store(whole);
            }
            Rounding::Nearest => {
                self.branch_float(ty, x, 0.0, Cond::Lt, true, negative);
                self.step_twice(ty, x, limit, [add, sub]);
                self.code.store(whole);
                self.code.goto(end);
                self.code.place(negative);
                self.step_twice(ty, x, limit, [sub, add]);
                self.code.store(whole);
            }
        }
        let correction = match rounding {
            Rounding::Floor => Some((Cond::Le, sub)),
            Rounding::Ceil => Some((Cond::Ge, add)),
            Rounding::Trunc | Rounding::Nearest => None,
        };
        if let Some((fits, step)) = correction {
            self.code.load(whole);
            self.code.load(x);
            self.branch_compared(ty, fits, true, end);
            self.code.load(whole);
            self.push_number(ty, 1.0);
            self.code.op(step);
            self.code.store(whole);
        }
        self.code.place(end);
        let zero = self.code.add_label();
        self.branch_float(ty, whole, 0.0, Cond::Eq, true, zero);
        self.ret_local(ty, whole);
        // A zero has the sign of the number.
        self.code.place(zero);
        self.code.load(x);
        self.push_number(ty, 0.0);
        self.code.op(pick_float(ty, Op::Fmul, Op::Dmul));
        self.ret_float(ty);
        self.code.place(as_it_is);
        self.ret_local(ty, x);
    }

    /// Adds and subtracts a number, in the order of `ops`.
    fn step_twice(&mut self, ty: FloatTy, x: Local, by: f64, ops: [Op; 2]) {
        self.code.load(x);
        for op in ops {
            self.push_number(ty, by);
            self.code.op(op);
        }
    }

    /// `x < 0 ? ceil(x) : floor(x)`. The JDK has them for doubles, among which a float that is
    /// rounded is exact.
    fn trunc_by_jdk(&mut self, ty: FloatTy, x: Local) {
        let negative = self.code.add_label();
        self.branch_float(ty, x, 0.0, Cond::Lt, true, negative);
        for name in ["floor", "ceil"] {
            if name == "ceil" {
                self.code.place(negative);
            }
            self.code.load(x);
            if ty == FloatTy::F32 {
                self.code.op(Op::F2d);
            }
            self.code.invoke_static("java/lang/Math", name, "(D)D");
            if ty == FloatTy::F32 {
                self.code.op(Op::D2f);
            }
            self.ret_float(ty);
        }
    }

    fn lesser_or_greater(&mut self, choice: Choice, ty: FloatTy, a: Local, b: Local) {
        let (first, second) = (self.code.add_label(), self.code.add_label());
        for (operand, label) in [(a, first), (b, second)] {
            self.code.load(operand);
            self.code.load(operand);
            self.branch_compared(ty, Cond::Ne, true, label);
        }
        let (to_first, to_second) = match choice {
            Choice::Min => (Cond::Lt, Cond::Gt),
            Choice::Max => (Cond::Gt, Cond::Lt),
        };
        for (cond, label) in [(to_first, first), (to_second, second)] {
            self.code.load(a);
            self.code.load(b);
            self.branch_compared(ty, cond, true, label);
        }
        // Equal numbers differ in nothing but the sign of zeros.
        self.load_raw_bits(ty, a);
        self.load_raw_bits(ty, b);
        self.code.op(match choice {
            Choice::Min => pick_float(ty, Op::Ior, Op::Lor),
            Choice::Max => pick_float(ty, Op::Iand, Op::Land),
        });
        emit_float_of_bits(ty, &mut self.code);
        self.ret_float(ty);
        for (operand, label) in [(a, first), (b, second)] {
            self.code.place(label);
            self.ret_local(ty, operand);
        }
    }

    fn copysign(&mut self, ty: FloatTy, a: Local, b: Local) {
        let and = pick_float(ty, Op::Iand, Op::Land);
        self.load_raw_bits(ty, a);
        self.push_bits(ty, i32::MAX, i64::MAX);
        self.code.op(and);
        // Every NaN counts as the canonical one, which is positive.
        self.code.load(b);
        emit_float_bits(ty, &mut self.code);
        self.push_bits(ty, i32::MIN, i64::MIN);
        self.ops(&[and, pick_float(ty, Op::Ior, Op::Lor)]);
        emit_float_of_bits(ty, &mut self.code);
        self.ret_float(ty);
    }

    fn bits_or_nan(&mut self, ty: FloatTy, x: Local) {
        let nan = self.code.add_label();
        let ret = pick_float(ty, Op::Ireturn, Op::Lreturn);
        self.code.load(x);
        self.code.load(x);
        self.branch_compared(ty, Cond::Ne, true, nan);
        self.load_raw_bits(ty, x);
        self.code.op(ret);
        self.code.place(nan);
        self.push_bits(ty, FloatTy::F32.nan() as i32, FloatTy::F64.nan());
        self.code.op(ret);
    }

    fn emit_to_u32(&mut self, ty: FloatTy, x: Local) {
        let (none, all) = (self.code.add_label(), self.code.add_label());
        self.branch_float(ty, x, 0.0, Cond::Gt, false, none);
        self.branch_float(ty, x, 2f64.powi(32), Cond::Ge, true, all);
        self.code.load(x);
        self.ops(&[pick_float(ty, Op::F2l, Op::D2l), Op::L2i, Op::Ireturn]);
        for (label, value) in [(none, 0), (all, -1)] {
            self.code.place(label);
            self.code.push_int(value);
            self.code.op(Op::Ireturn);
        }
    }

    fn emit_to_u64(&mut self, ty: FloatTy, x: Local) {
        let (none, all, high) =
            (self.code.add_label(), self.code.add_label(), self.code.add_label());
        self.branch_float(ty, x, 0.0, Cond::Gt, false, none);
        self.branch_float(ty, x, 2f64.powi(64), Cond::Ge, true, all);
        self.branch_float(ty, x, 2f64.powi(63), Cond::Ge, true, high);
        let convert = pick_float(ty, Op::F2l, Op::D2l);
        self.code.load(x);
        self.ops(&[convert, Op::Lreturn]);
        self.code.place(high);
        self.code.load(x);
        self.push_number(ty, 2f64.powi(63));
        self.ops(&[pick_float(ty, Op::Fsub, Op::Dsub), convert]);
        self.code.push_long(i64::MIN);
        self.ops(&[Op::Lxor, Op::Lreturn]);
        for (label, value) in [(none, 0), (all, -1)] {
            self.code.place(label);
            self.code.push_long(value);
            self.code.op(Op::Lreturn);
        }
    }

    /// Half of a number with the highest bit is positive. Its lowest bit says whether anything is
    /// beyond it, so that it is rounded as the whole number is, and doubling is exact.
    fn emit_from_u64(&mut self, ty: FloatTy, x: Local) {
        let high = self.code.add_label();
        let convert = pick_float(ty, Op::L2f, Op::L2d);
        self.code.load(x);
        self.code.push_long(0);
        self.code.op(Op::Lcmp);
        self.code.branch_zero(Cond::Lt, high);
        self.code.load(x);
        self.code.op(convert);
        self.ret_float(ty);
        self.code.place(high);
        self.code.load(x);
        self.code.push_int(1);
        self.code.op(Op::Lushr);
        self.code.load(x);
        self.code.push_long(1);
        self.ops(&[Op::Land, Op::Lor, convert]);
        self.push_number(ty, 2.0);
        self.code.op(pick_float(ty, Op::Fmul, Op::Dmul));
        self.ret_float(ty);
    }

    /// Jumps if it is so, or is not so, that a local compares with a number like this.
    fn branch_float(&mut self, ty: FloatTy, x: Local, to: f64, cond: Cond, is_so: bool, at: Label) {
        self.code.load(x);
        self.push_number(ty, to);
        self.branch_compared(ty, cond, is_so, at);
    }

    /// Jumps if it is so, or is not so, that the numbers on the stack compare like this.
    fn branch_compared(&mut self, ty: FloatTy, cond: Cond, is_so: bool, at: Label) {
        self.code.op(comparison(ty, cond));
        self.code.branch_zero(if is_so { cond } else { cond.negated() }, at);
    }

    /// A number that both types have.
    fn push_number(&mut self, ty: FloatTy, value: f64) {
        match ty {
            FloatTy::F32 => self.code.push_float(value as f32),
            FloatTy::F64 => self.code.push_double(value),
        }
    }

    fn push_bits(&mut self, ty: FloatTy, int: i32, long: i64) {
        match ty {
            FloatTy::F32 => self.code.push_int(int),
            FloatTy::F64 => self.code.push_long(long),
        }
    }

    /// The bits of a number, which may be those of any NaN.
    fn load_raw_bits(&mut self, ty: FloatTy, x: Local) {
        self.code.load(x);
        match ty {
            FloatTy::F32 => {
                self.code.invoke_static("java/lang/Float", "floatToRawIntBits", "(F)I");
            }
            FloatTy::F64 => {
                self.code.invoke_static("java/lang/Double", "doubleToRawLongBits", "(D)J");
            }
        }
    }

    fn ret_local(&mut self, ty: FloatTy, x: Local) {
        self.code.load(x);
        self.ret_float(ty);
    }

    fn ret_float(&mut self, ty: FloatTy) {
        self.code.op(return_op(ty.into()));
    }
}

/// The instruction to compare with, such that with NaN the comparison does not hold, or holds if it
/// is that of inequality.
pub(crate) const fn comparison(ty: FloatTy, cond: Cond) -> Op {
    match cond {
        Cond::Lt | Cond::Le => pick_float(ty, Op::Fcmpg, Op::Dcmpg),
        Cond::Gt | Cond::Ge | Cond::Eq | Cond::Ne => pick_float(ty, Op::Fcmpl, Op::Dcmpl),
    }
}

/// From here on, no number has a fraction.
fn whole_from(ty: FloatTy) -> f64 {
    2f64.powi(ty.precision() as i32 - 1)
}
