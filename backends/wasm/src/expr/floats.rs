//! Expressions with floating-point numbers.

use pathsmith_symlang::lang::{BinOp, FloatTy, UnOp, ValueTy, WordTy};
use wasm_encoder::Instruction;

use crate::floats::{
    binary, canonical_bits, from_bits, saturated, sign_bit, to_bits, unary, with_bits,
};
use crate::function::FunctionWriter;
use crate::helpers::Helper;
use crate::options::{Floats, Intrinsics, Saturation};
use crate::types::{bits_ty, constant, is_wide, val_type};

impl FunctionWriter<'_> {
    pub(crate) fn emit_constant(&mut self, ty: ValueTy, word: i64) {
        match (ty, self.options.floats) {
            (ValueTy::Float(float), Floats::Bits) => {
                self.push(constant(bits_ty(float).into(), word));
                self.push(from_bits(float));
            }
            (ValueTy::Float(_), Floats::Instructions) | (ValueTy::Int(_), _) => {
                self.push(constant(ty, word));
            }
        }
    }

    /// An operator on a floating-point number, which is on the stack.
    pub(crate) fn emit_float_unary(&mut self, op: UnOp, ty: FloatTy) {
        match (op, self.options.floats) {
            (UnOp::Neg, Floats::Bits) => {
                self.push(to_bits(ty));
                self.extend(with_bits(ty, sign_bit(ty), Instruction::I32Xor, Instruction::I64Xor));
                self.push(from_bits(ty));
            }
            (UnOp::Abs, Floats::Bits) => {
                self.push(to_bits(ty));
                self.extend(with_bits(ty, !sign_bit(ty), Instruction::I32And, Instruction::I64And));
                self.push(from_bits(ty));
            }
            (UnOp::SatI32, _) => self.emit_saturated(op, ty, WordTy::I32),
            (UnOp::SatU32, _) => self.emit_saturated(op, ty, WordTy::U32),
            (UnOp::SatI64, _) => self.emit_saturated(op, ty, WordTy::I64),
            (UnOp::SatU64, _) => self.emit_saturated(op, ty, WordTy::U64),
            (UnOp::Neg | UnOp::Abs, Floats::Instructions)
            | (
                UnOp::Sqrt
                | UnOp::Floor
                | UnOp::Ceil
                | UnOp::Trunc
                | UnOp::Nearest
                | UnOp::Bits
                | UnOp::Not
                | UnOp::Clz
                | UnOp::Ctz
                | UnOp::Popcnt
                | UnOp::Bswap
                | UnOp::Bitrev
                | UnOp::FromBits,
                _,
            ) => self.push(unary(op, ty)),
        }
    }

    fn emit_saturated(&mut self, op: UnOp, from: FloatTy, to: WordTy) {
        match (self.options.saturation, self.options.intrinsics) {
            (Saturation::Instructions, _) => self.push(unary(op, from)),
            (Saturation::Branches, Intrinsics::Calls) => {
                self.emit_helper(Helper::Saturated { from, to });
            }
            (Saturation::Branches, Intrinsics::Inline) => {
                let local = self.scratch(val_type(from.into()), 0);
                self.push(Instruction::LocalSet(local));
                self.extend(saturated(from, to, local));
            }
        }
    }

    /// An operator on floating-point numbers, which are on the stack.
    pub(crate) fn emit_float_binary(&mut self, op: BinOp, ty: FloatTy) {
        let mirrored = match self.options.floats {
            Floats::Instructions => None,
            Floats::Bits => match op {
                BinOp::Copysign => return self.emit_copysign_by_bits(ty),
                BinOp::Lt => Some(BinOp::Gt),
                BinOp::Le => Some(BinOp::Ge),
                BinOp::Gt => Some(BinOp::Lt),
                BinOp::Ge => Some(BinOp::Le),
                BinOp::Add
                | BinOp::Sub
                | BinOp::Mul
                | BinOp::Div
                | BinOp::Min
                | BinOp::Max
                | BinOp::Eq
                | BinOp::Ne
                | BinOp::Rem
                | BinOp::And
                | BinOp::Or
                | BinOp::Xor
                | BinOp::Shl
                | BinOp::Shr
                | BinOp::Rotl
                | BinOp::Rotr
                | BinOp::Mulh
                | BinOp::Addsat
                | BinOp::Subsat
                | BinOp::Cmp => None,
            },
        };
        let Some(mirrored) = mirrored else { return self.push(binary(op, ty)) };
        let [a, b] = [0, 1].map(|number| self.scratch(val_type(ty.into()), number));
        self.push(Instruction::LocalSet(b));
        self.push(Instruction::LocalSet(a));
        self.push(Instruction::LocalGet(b));
        self.push(Instruction::LocalGet(a));
        self.push(binary(mirrored, ty));
    }

    /// The second operand is no NaN on any path, since its sign is used.
    fn emit_copysign_by_bits(&mut self, ty: FloatTy) {
        let sign = self.scratch(val_type(ty.into()), 0);
        self.push(Instruction::LocalSet(sign));
        self.push(to_bits(ty));
        self.extend(with_bits(ty, !sign_bit(ty), Instruction::I32And, Instruction::I64And));
        self.push(Instruction::LocalGet(sign));
        self.push(to_bits(ty));
        self.extend(with_bits(ty, sign_bit(ty), Instruction::I32And, Instruction::I64And));
        self.push(match is_wide(bits_ty(ty)) {
            true => Instruction::I64Or,
            false => Instruction::I32Or,
        });
        self.push(from_bits(ty));
    }

    /// Replaces a number on the stack by its bits, and a NaN by those of the one NaN.
    pub(crate) fn emit_canonical_bits(&mut self, ty: FloatTy) {
        match self.options.intrinsics {
            Intrinsics::Calls => self.emit_helper(Helper::CanonicalBits { ty }),
            Intrinsics::Inline => {
                let local = self.scratch(val_type(ty.into()), 0);
                self.push(Instruction::LocalSet(local));
                self.extend(canonical_bits(ty, self.options.selects, local));
            }
        }
    }
}
