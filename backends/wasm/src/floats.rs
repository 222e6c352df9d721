//! Floating-point numbers: which instructions their operators and conversions become.
//!
//! The instructions of WebAssembly are exact on everything but the bits of a NaN, which engines
//! choose. SYMLANG has one NaN, so its bits are settled where something looks at them: in checksums
//! ([`canonical_bits`]), and wherever results are compared.

use pathsmith_symlang::lang::{BinOp, FloatTy, UnOp, ValueTy, WordTy};
use wasm_encoder::{BlockType, Instruction};

use crate::idioms::selected;
use crate::options::Selects;
use crate::types::{Code, NO_SUCH_OPERATOR, bits_ty, constant, is_wide, val_type};

/// What an operator on a floating-point number becomes.
pub(crate) const fn unary(op: UnOp, ty: FloatTy) -> Instruction<'static> {
    use FloatTy::{F32, F64};
    use Instruction as I;
    match (op, ty) {
        (UnOp::Neg, F32) => I::F32Neg,
        (UnOp::Neg, F64) => I::F64Neg,
        (UnOp::Abs, F32) => I::F32Abs,
        (UnOp::Abs, F64) => I::F64Abs,
        (UnOp::Sqrt, F32) => I::F32Sqrt,
        (UnOp::Sqrt, F64) => I::F64Sqrt,
        (UnOp::Floor, F32) => I::F32Floor,
        (UnOp::Floor, F64) => I::F64Floor,
        (UnOp::Ceil, F32) => I::F32Ceil,
        (UnOp::Ceil, F64) => I::F64Ceil,
        (UnOp::Trunc, F32) => I::F32Trunc,
        (UnOp::Trunc, F64) => I::F64Trunc,
        (UnOp::Nearest, F32) => I::F32Nearest,
        (UnOp::Nearest, F64) => I::F64Nearest,
        (UnOp::Bits, _) => to_bits(ty),
        (UnOp::SatI32, F32) => I::I32TruncSatF32S,
        (UnOp::SatI32, F64) => I::I32TruncSatF64S,
        (UnOp::SatU32, F32) => I::I32TruncSatF32U,
        (UnOp::SatU32, F64) => I::I32TruncSatF64U,
        (UnOp::SatI64, F32) => I::I64TruncSatF32S,
        (UnOp::SatI64, F64) => I::I64TruncSatF64S,
        (UnOp::SatU64, F32) => I::I64TruncSatF32U,
        (UnOp::SatU64, F64) => I::I64TruncSatF64U,
        (
            UnOp::Not
            | UnOp::Clz
            | UnOp::Ctz
            | UnOp::Popcnt
            | UnOp::Bswap
            | UnOp::Bitrev
            | UnOp::FromBits,
            _,
        ) => NO_SUCH_OPERATOR,
    }
}

/// What an operator on floating-point numbers becomes.
pub(crate) const fn binary(op: BinOp, ty: FloatTy) -> Instruction<'static> {
    use FloatTy::{F32, F64};
    use Instruction as I;
    match (op, ty) {
        (BinOp::Add, F32) => I::F32Add,
        (BinOp::Add, F64) => I::F64Add,
        (BinOp::Sub, F32) => I::F32Sub,
        (BinOp::Sub, F64) => I::F64Sub,
        (BinOp::Mul, F32) => I::F32Mul,
        (BinOp::Mul, F64) => I::F64Mul,
        (BinOp::Div, F32) => I::F32Div,
        (BinOp::Div, F64) => I::F64Div,
        (BinOp::Min, F32) => I::F32Min,
        (BinOp::Min, F64) => I::F64Min,
        (BinOp::Max, F32) => I::F32Max,
        (BinOp::Max, F64) => I::F64Max,
        (BinOp::Copysign, F32) => I::F32Copysign,
        (BinOp::Copysign, F64) => I::F64Copysign,
        (BinOp::Eq, F32) => I::F32Eq,
        (BinOp::Eq, F64) => I::F64Eq,
        (BinOp::Ne, F32) => I::F32Ne,
        (BinOp::Ne, F64) => I::F64Ne,
        (BinOp::Lt, F32) => I::F32Lt,
        (BinOp::Lt, F64) => I::F64Lt,
        (BinOp::Le, F32) => I::F32Le,
        (BinOp::Le, F64) => I::F64Le,
        (BinOp::Gt, F32) => I::F32Gt,
        (BinOp::Gt, F64) => I::F64Gt,
        (BinOp::Ge, F32) => I::F32Ge,
        (BinOp::Ge, F64) => I::F64Ge,
        (
            BinOp::Rem
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
            | BinOp::Cmp,
            _,
        ) => NO_SUCH_OPERATOR,
    }
}

/// The bits of a number.
pub(crate) const fn to_bits(ty: FloatTy) -> Instruction<'static> {
    match ty {
        FloatTy::F32 => Instruction::I32ReinterpretF32,
        FloatTy::F64 => Instruction::I64ReinterpretF64,
    }
}

/// The number with these bits.
pub(crate) const fn from_bits(ty: FloatTy) -> Instruction<'static> {
    match ty {
        FloatTy::F32 => Instruction::F32ReinterpretI32,
        FloatTy::F64 => Instruction::F64ReinterpretI64,
    }
}

/// The nearest number.
pub(crate) const fn from_int(from: WordTy, to: FloatTy) -> Instruction<'static> {
    use Instruction as I;
    match (from, to) {
        (WordTy::I32, FloatTy::F32) => I::F32ConvertI32S,
        (WordTy::U32, FloatTy::F32) => I::F32ConvertI32U,
        (WordTy::I64, FloatTy::F32) => I::F32ConvertI64S,
        (WordTy::U64, FloatTy::F32) => I::F32ConvertI64U,
        (WordTy::I32, FloatTy::F64) => I::F64ConvertI32S,
        (WordTy::U32, FloatTy::F64) => I::F64ConvertI32U,
        (WordTy::I64, FloatTy::F64) => I::F64ConvertI64S,
        (WordTy::U64, FloatTy::F64) => I::F64ConvertI64U,
    }
}

/// The number without its fraction. It traps if the type has no such value.
pub(crate) const fn to_int(from: FloatTy, to: WordTy) -> Instruction<'static> {
    use Instruction as I;
    match (from, to) {
        (FloatTy::F32, WordTy::I32) => I::I32TruncF32S,
        (FloatTy::F32, WordTy::U32) => I::I32TruncF32U,
        (FloatTy::F32, WordTy::I64) => I::I64TruncF32S,
        (FloatTy::F32, WordTy::U64) => I::I64TruncF32U,
        (FloatTy::F64, WordTy::I32) => I::I32TruncF64S,
        (FloatTy::F64, WordTy::U32) => I::I32TruncF64U,
        (FloatTy::F64, WordTy::I64) => I::I64TruncF64S,
        (FloatTy::F64, WordTy::U64) => I::I64TruncF64U,
    }
}

/// Another floating-point type; nothing if it is the same.
pub(crate) const fn converted(from: FloatTy, to: FloatTy) -> Option<Instruction<'static>> {
    match (from, to) {
        (FloatTy::F32, FloatTy::F64) => Some(Instruction::F64PromoteF32),
        (FloatTy::F64, FloatTy::F32) => Some(Instruction::F32DemoteF64),
        (FloatTy::F32, FloatTy::F32) | (FloatTy::F64, FloatTy::F64) => None,
    }
}

/// The bits of the number in a local, as an integer: those of the one NaN for any.
pub(crate) fn canonical_bits(ty: FloatTy, selects: Selects, local: u32) -> Code {
    let get = || Instruction::LocalGet(local);
    let bits = vec![get(), to_bits(ty)];
    let nan = vec![constant(bits_ty(ty).into(), ty.nan())];
    // Only a NaN differs from itself.
    let is_number = vec![get(), get(), binary(BinOp::Eq, ty)];
    selected(val_type(bits_ty(ty).into()), selects, bits, nan, is_number)
}

/// The number in a local without its fraction, or the limit that is nearest to it, without the
/// instruction for that; 0 for NaN.
pub(crate) fn saturated(from: FloatTy, to: WordTy, local: u32) -> Code {
    let get = || Instruction::LocalGet(local);
    let ty = ValueTy::Int(to);
    let (low, high) = match to {
        WordTy::I32 => (f64::from(i32::MIN), -f64::from(i32::MIN)),
        WordTy::U32 => (0.0, -2.0 * f64::from(i32::MIN)),
        WordTy::I64 => (i64::MIN as f64, -(i64::MIN as f64)),
        WordTy::U64 => (0.0, -2.0 * i64::MIN as f64),
    };
    // Both limits are powers of two, or 0, and exact.
    let limit = |value: f64| constant(from.into(), from.word(value));
    let if_ = || Instruction::If(BlockType::Result(val_type(ty)));
    vec![
        get(),
        limit(high),
        binary(BinOp::Lt, from),
        if_(),
        get(),
        limit(low),
        binary(BinOp::Ge, from),
        if_(),
        get(),
        to_int(from, to),
        Instruction::Else,
        constant(ty, to.min()),
        Instruction::End,
        Instruction::Else,
        constant(ty, to.max()),
        constant(ty, 0),
        get(),
        get(),
        binary(BinOp::Eq, from),
        Instruction::Select,
        Instruction::End,
    ]
}

/// The bit that says whether a number is negative.
pub(crate) const fn sign_bit(ty: FloatTy) -> i64 {
    match ty {
        FloatTy::F32 => i32::MIN as i64,
        FloatTy::F64 => i64::MIN,
    }
}

/// An operation on bits that are on the stack, and others.
pub(crate) fn with_bits(
    ty: FloatTy,
    others: i64,
    narrow: Instruction<'static>,
    wide: Instruction<'static>,
) -> Code {
    let ty = bits_ty(ty);
    vec![constant(ty.into(), others), if is_wide(ty) { wide } else { narrow }]
}
