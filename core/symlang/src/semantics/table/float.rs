//! The meaning of operators on floating-point numbers.
//!
//! Rust's own arithmetic is that of IEEE 754, to the nearest value and ties to even, apart from
//! which NaN it yields; making results canonical settles that.

use super::{Meaning, no_such_operator};
use crate::dialect::Hazard;
use crate::lang::{BinOp, FloatTy, IntTy, UnOp, WordTy};

/// Evaluates an expression over Rust's values of a type: `$a`, and `$b` if there is one, are words.
macro_rules! at {
    ($ty:expr, |$($x:ident),+| $result:expr) => {
        match $ty {
            FloatTy::F32 => {
                $(let $x = f32::from_bits($x as u32);)+
                FloatTy::F32.canonical(i64::from(f32::to_bits($result)))
            }
            FloatTy::F64 => {
                $(let $x = f64::from_bits($x as u64);)+
                FloatTy::F64.canonical(f64::to_bits($result) as i64)
            }
        }
    };
}

/// Evaluates a condition over Rust's values of a type.
macro_rules! holds_at {
    ($ty:expr, |$a:ident, $b:ident| $result:expr) => {
        match $ty {
            FloatTy::F32 => {
                let ($a, $b) = (f32::from_bits($a as u32), f32::from_bits($b as u32));
                $result
            }
            FloatTy::F64 => {
                let ($a, $b) = (f64::from_bits($a as u64), f64::from_bits($b as u64));
                $result
            }
        }
    };
}

#[inline(always)]
pub(super) fn unary(op: UnOp, ty: FloatTy, a: i64) -> Meaning {
    Meaning::plain(match op {
        UnOp::Neg => at!(ty, |a| -a),
        UnOp::Abs => at!(ty, |a| a.abs()),
        UnOp::Sqrt => at!(ty, |a| a.sqrt()),
        UnOp::Floor => at!(ty, |a| a.floor()),
        UnOp::Ceil => at!(ty, |a| a.ceil()),
        UnOp::Trunc => at!(ty, |a| a.trunc()),
        UnOp::Nearest => at!(ty, |a| a.round_ties_even()),
        // The one NaN has these bits.
        UnOp::Bits => return Meaning::hazardous(a, Hazard::NanBits, ty.is_nan(a)),
        UnOp::SatI32 => ty.to_int(WordTy::I32, a),
        UnOp::SatU32 => ty.to_int(WordTy::U32, a),
        UnOp::SatI64 => ty.to_int(WordTy::I64, a),
        UnOp::SatU64 => ty.to_int(WordTy::U64, a),
        UnOp::Not
        | UnOp::Clz
        | UnOp::Ctz
        | UnOp::Popcnt
        | UnOp::Bswap
        | UnOp::Bitrev
        | UnOp::FromBits => return no_such_operator(),
    })
}

#[inline(always)]
pub(super) fn binary(op: BinOp, ty: FloatTy, a: i64, b: i64) -> Meaning {
    Meaning::plain(match op {
        BinOp::Add => at!(ty, |a, b| a + b),
        BinOp::Sub => at!(ty, |a, b| a - b),
        BinOp::Mul => at!(ty, |a, b| a * b),
        BinOp::Div => at!(ty, |a, b| a / b),
        BinOp::Min => lesser(ty, a, b),
        BinOp::Max => greater(ty, a, b),
        BinOp::Copysign => {
            let word = at!(ty, |a, b| a.copysign(b));
            return Meaning::hazardous(word, Hazard::NanBits, ty.is_nan(b));
        }
        BinOp::Eq => holds_at!(ty, |a, b| a == b).into(),
        BinOp::Ne => holds_at!(ty, |a, b| a != b).into(),
        BinOp::Lt => holds_at!(ty, |a, b| a < b).into(),
        BinOp::Le => holds_at!(ty, |a, b| a <= b).into(),
        BinOp::Gt => holds_at!(ty, |a, b| a > b).into(),
        BinOp::Ge => holds_at!(ty, |a, b| a >= b).into(),
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
        | BinOp::Cmp => return no_such_operator(),
    })
}

/// The lesser one: NaN if either is, and -0 is less than 0.
#[inline(always)]
fn lesser(ty: FloatTy, a: i64, b: i64) -> i64 {
    match (ty.is_nan(a), ty.is_nan(b)) {
        (true, _) | (_, true) => ty.nan(),
        // Equal numbers differ in nothing but the sign of zeros.
        _ if holds_at!(ty, |a, b| a == b) => a | b,
        _ if holds_at!(ty, |a, b| a < b) => a,
        _ => b,
    }
}

/// The greater one: NaN if either is, and -0 is less than 0.
#[inline(always)]
fn greater(ty: FloatTy, a: i64, b: i64) -> i64 {
    match (ty.is_nan(a), ty.is_nan(b)) {
        (true, _) | (_, true) => ty.nan(),
        _ if holds_at!(ty, |a, b| a == b) => a & b,
        _ if holds_at!(ty, |a, b| a > b) => a,
        _ => b,
    }
}

/// The number without its fraction, in the type that a load of `to` yields, and then as a cell of
/// type `to` keeps it. Out of range, the nearest limit.
#[inline(always)]
pub(super) fn to_int(from: FloatTy, to: IntTy, a: i64) -> Meaning {
    let (value, word) = (from.value(a), to.widened());
    let limit = if word.bits() == 32 { 2f64.powi(32) } else { 2f64.powi(64) };
    let whole = value.trunc();
    let is_within = match word.is_signed() {
        true => -limit / 2.0 <= whole && whole < limit / 2.0,
        false => 0.0 <= whole && whole < limit,
    };
    let word = to.wrap(from.to_int(word, a));
    Meaning::hazardous(word, Hazard::ConversionRange, !is_within)
}
