//! Expressions of floating-point numbers.

use pathsmith_symlang::ExprId;
use pathsmith_symlang::lang::{BinOp, FloatTy, UnOp, WordTy};

use crate::body::Body;
use crate::classfile::{Cond, Label, Op};
use crate::expr::MATH;
use crate::helpers::{Choice, FloatOp, Helper, Rounding, comparison};
use crate::types::{emit_float_bits, pick_float};

/// The JDK's mathematics without intrinsics.
const STRICT_MATH: &str = "java/lang/StrictMath";

impl Body<'_, '_, '_> {
    /// An operator whose operand is on the stack.
    pub(crate) fn emit_float_unary(&mut self, op: UnOp, ty: FloatTy) {
        match op {
            UnOp::Neg if self.by_jdk() => self.code.op(pick_float(ty, Op::Fneg, Op::Dneg)),
            UnOp::Neg => {
                match ty {
                    FloatTy::F32 => self.code.push_float(-1.0),
                    FloatTy::F64 => self.code.push_double(-1.0),
                }
                self.code.op(pick_float(ty, Op::Fmul, Op::Dmul));
            }
            UnOp::Abs if self.by_jdk() => {
                let types = match ty {
                    FloatTy::F32 => "(F)F",
                    FloatTy::F64 => "(D)D",
                };
                self.code.invoke_static(MATH, "abs", types);
            }
            UnOp::Abs => self.call_float(FloatOp::Abs, ty),
            UnOp::Sqrt => {
                let class = if self.by_jdk() { MATH } else { STRICT_MATH };
                self.emit_in_double(class, "sqrt", ty);
            }
            UnOp::Floor => self.emit_rounding(Rounding::Floor, ty),
            UnOp::Ceil => self.emit_rounding(Rounding::Ceil, ty),
            UnOp::Trunc => self.emit_rounding(Rounding::Trunc, ty),
            UnOp::Nearest => self.emit_rounding(Rounding::Nearest, ty),
            UnOp::Bits if self.by_jdk() => emit_float_bits(ty, &mut self.code),
            UnOp::Bits => self.call_float(FloatOp::Bits, ty),
            UnOp::SatI32 => self.emit_float_to_int(ty, WordTy::I32),
            UnOp::SatU32 => self.emit_float_to_int(ty, WordTy::U32),
            UnOp::SatI64 => self.emit_float_to_int(ty, WordTy::I64),
            UnOp::SatU64 => self.emit_float_to_int(ty, WordTy::U64),
            // Only integers have these.
            UnOp::Not | UnOp::Clz | UnOp::Ctz | UnOp::Popcnt => {}
            UnOp::Bswap | UnOp::Bitrev | UnOp::FromBits => {}
        }
    }

    /// An operator whose operands are on the stack, and which is no comparison.
    pub(crate) fn emit_float_binary(&mut self, op: BinOp, ty: FloatTy) {
        match op {
            BinOp::Add => self.code.op(pick_float(ty, Op::Fadd, Op::Dadd)),
            BinOp::Sub => self.code.op(pick_float(ty, Op::Fsub, Op::Dsub)),
            BinOp::Mul => self.code.op(pick_float(ty, Op::Fmul, Op::Dmul)),
            BinOp::Div => self.code.op(pick_float(ty, Op::Fdiv, Op::Ddiv)),
            BinOp::Min => self.emit_float_choice(Choice::Min, ty),
            BinOp::Max => self.emit_float_choice(Choice::Max, ty),
            // Unlike `Math.copySign`, it takes NaN as positive, whatever its bits.
            BinOp::Copysign if self.by_jdk() => {
                self.code.invoke_static(STRICT_MATH, "copySign", of_two(ty));
            }
            BinOp::Copysign => self.call_float(FloatOp::Copysign, ty),
            // These are branches.
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {}
            // Only integers have these.
            BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => {}
            BinOp::Rotl | BinOp::Rotr | BinOp::Mulh => {}
            BinOp::Addsat | BinOp::Subsat | BinOp::Cmp => {}
        }
    }

    fn emit_float_choice(&mut self, choice: Choice, ty: FloatTy) {
        if !self.by_jdk() {
            return self.call_float(FloatOp::Choice(choice), ty);
        }
        let name = match choice {
            Choice::Min => "min",
            Choice::Max => "max",
        };
        self.code.invoke_static(MATH, name, of_two(ty));
    }

    fn emit_rounding(&mut self, rounding: Rounding, ty: FloatTy) {
        if !self.by_jdk() {
            return self.call_float(FloatOp::Round(rounding), ty);
        }
        match rounding {
            Rounding::Floor => self.emit_in_double(MATH, "floor", ty),
            Rounding::Ceil => self.emit_in_double(MATH, "ceil", ty),
            Rounding::Nearest => self.emit_in_double(MATH, "rint", ty),
            Rounding::Trunc => self.call_float(FloatOp::TruncByJdk, ty),
        }
    }

    /// Calls a method that the JDK has for doubles only. It has to give the same for floats: rounding
    /// to an integer is exact, and a square root has bits enough to be rounded twice.
    fn emit_in_double(&mut self, class: &str, name: &str, ty: FloatTy) {
        if ty == FloatTy::F32 {
            self.code.op(Op::F2d);
        }
        self.code.invoke_static(class, name, "(D)D");
        if ty == FloatTy::F32 {
            self.code.op(Op::D2f);
        }
    }

    fn call_float(&mut self, op: FloatOp, ty: FloatTy) {
        self.shared.call(Helper::Float(op, ty), &mut self.code);
    }

    /// The nearest number of a floating-point type, ties to even.
    pub(crate) fn emit_int_to_float(&mut self, from: WordTy, to: FloatTy) {
        match from {
            WordTy::I32 => self.code.op(pick_float(to, Op::I2f, Op::I2d)),
            WordTy::U32 => {
                self.code.op(Op::I2l);
                self.code.push_long(0xffff_ffff);
                self.code.op(Op::Land);
                self.code.op(pick_float(to, Op::L2f, Op::L2d));
            }
            WordTy::I64 => self.code.op(pick_float(to, Op::L2f, Op::L2d)),
            WordTy::U64 => self.call_float(FloatOp::FromU64, to),
        }
    }

    /// The number without its fraction, or the limit that is nearest to it; 0 for NaN.
    pub(crate) fn emit_float_to_int(&mut self, from: FloatTy, to: WordTy) {
        match to {
            WordTy::I32 => self.code.op(pick_float(from, Op::F2i, Op::D2i)),
            WordTy::U32 if self.by_jdk() => {
                self.code.op(pick_float(from, Op::F2l, Op::D2l));
                for (limit, method) in [(0, "max"), (0xffff_ffff, "min")] {
                    self.code.push_long(limit);
                    self.code.invoke_static(MATH, method, "(JJ)J");
                }
                self.code.op(Op::L2i);
            }
            WordTy::U32 => self.call_float(FloatOp::ToU32, from),
            WordTy::I64 => self.code.op(pick_float(from, Op::F2l, Op::D2l)),
            WordTy::U64 => self.call_float(FloatOp::ToU64, from),
        }
    }

    /// The nearest number of another floating-point type, ties to even.
    pub(crate) fn emit_float_to_float(&mut self, from: FloatTy, to: FloatTy) {
        match (from, to) {
            (FloatTy::F32, FloatTy::F64) => self.code.op(Op::F2d),
            (FloatTy::F64, FloatTy::F32) => self.code.op(Op::D2f),
            (FloatTy::F32, FloatTy::F32) | (FloatTy::F64, FloatTy::F64) => {}
        }
    }

    /// Jumps to `target` if it is as `wanted` that the number on the stack and `rhs` compare like this.
    pub(crate) fn emit_float_branch(
        &mut self,
        ty: FloatTy,
        rhs: ExprId,
        holds: Cond,
        wanted: bool,
        target: Label,
    ) {
        self.emit_expr(rhs);
        // With NaN, a comparison and its opposite both do not hold, so it stays as it was written.
        self.code.op(comparison(ty, holds));
        self.code.branch_zero(if wanted { holds } else { holds.negated() }, target);
    }
}

/// The types of a method with two parameters.
const fn of_two(ty: FloatTy) -> &'static str {
    match ty {
        FloatTy::F32 => "(FF)F",
        FloatTy::F64 => "(DD)D",
    }
}
