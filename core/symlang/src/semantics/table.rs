//! The one table of operator meaning.
//!
//! Every operator has one bit-exact result, in every dialect, on two's-complement integers and on
//! IEEE 754 numbers with one NaN, and a set of hazards that its operands may run into. Where a dialect leaves a hazard undefined or
//! traps, the result is not used. The interpreter compiles these two functions into its
//! instructions; everything else that needs to know what an operator means calls them, or asks
//! [`UnOp::hazards`] and [`BinOp::hazards`] what can go wrong at all.

mod float;

use crate::dialect::{Hazard, HazardSet};
use crate::lang::{BinOp, FloatTy, ScalarTy, UnOp, ValueTy, WordTy};

/// What an operator gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// The result as a word, in the canonical form of its type.
    pub word: i64,
    /// The situations that the operands are in.
    pub hazards: HazardSet,
}

impl Meaning {
    #[inline(always)]
    const fn plain(word: i64) -> Self {
        Self { word, hazards: HazardSet::NONE }
    }

    #[inline(always)]
    const fn hazardous(word: i64, hazard: Hazard, present: bool) -> Self {
        Self { word, hazards: HazardSet::when(hazard, present) }
    }
}

/// The meaning of `op a`, for `a` of type `ty` in canonical form.
#[inline(always)]
pub fn unary(op: UnOp, ty: ValueTy, a: i64) -> Meaning {
    match ty {
        ValueTy::Int(ty) => int_unary(op, ty, a),
        ValueTy::Float(ty) => float::unary(op, ty, a),
    }
}

/// The meaning of `a op b`, for `a` and `b` of type `ty` in canonical form.
#[inline(always)]
pub fn binary(op: BinOp, ty: ValueTy, a: i64, b: i64) -> Meaning {
    match ty {
        ValueTy::Int(ty) => int_binary(op, ty, a, b),
        ValueTy::Float(ty) => float::binary(op, ty, a, b),
    }
}

/// The meaning of a cast of `a`, of type `from` in canonical form: what a load of a cell of type
/// `to` yields after the value was converted and stored to it.
#[inline(always)]
pub fn cast(from: ValueTy, to: ScalarTy, a: i64) -> Meaning {
    match (from, to) {
        (ValueTy::Int(_), ScalarTy::Int(to)) => Meaning::plain(to.wrap(a)),
        (ValueTy::Int(from), ScalarTy::Float(to)) => Meaning::plain(to.from_int(from, a)),
        (ValueTy::Float(from), ScalarTy::Int(to)) => float::to_int(from, to, a),
        (ValueTy::Float(from), ScalarTy::Float(to)) => Meaning::plain(to.word(from.value(a))),
    }
}

#[inline(always)]
fn int_unary(op: UnOp, ty: WordTy, a: i64) -> Meaning {
    let bits = bits_of(ty, a);
    match op {
        UnOp::Neg => {
            Meaning::hazardous(ty.wrap(a.wrapping_neg()), Hazard::SignedOverflow, is_min(ty, a))
        }
        UnOp::Not => Meaning::plain(ty.wrap(!a)),
        UnOp::Clz => {
            let count = bits.leading_zeros() - (64 - ty.bits());
            Meaning::hazardous(count.into(), Hazard::CountOfZero, a == 0)
        }
        UnOp::Ctz => {
            let count = bits.trailing_zeros().min(ty.bits());
            Meaning::hazardous(count.into(), Hazard::CountOfZero, a == 0)
        }
        UnOp::Popcnt => Meaning::plain(bits.count_ones().into()),
        UnOp::Bswap => Meaning::plain(ty.wrap((bits.swap_bytes() >> (64 - ty.bits())) as i64)),
        UnOp::Bitrev => Meaning::plain(ty.wrap((bits.reverse_bits() >> (64 - ty.bits())) as i64)),
        UnOp::Abs => {
            let value = if ty.is_signed() { ty.wrap(a.wrapping_abs()) } else { a };
            Meaning::hazardous(value, Hazard::SignedOverflow, is_min(ty, a))
        }
        UnOp::FromBits => Meaning::plain(match ty {
            WordTy::I32 | WordTy::U32 => FloatTy::F32.canonical(a),
            WordTy::I64 | WordTy::U64 => FloatTy::F64.canonical(a),
        }),
        UnOp::Sqrt
        | UnOp::Floor
        | UnOp::Ceil
        | UnOp::Trunc
        | UnOp::Nearest
        | UnOp::Bits
        | UnOp::SatI32
        | UnOp::SatU32
        | UnOp::SatI64
        | UnOp::SatU64 => no_such_operator(),
    }
}

/// The validator refuses an operator at a type that it does not take; whoever evaluates one all the
/// same gets this.
#[cold]
const fn no_such_operator() -> Meaning {
    Meaning::plain(0)
}

#[inline(always)]
fn int_binary(op: BinOp, ty: WordTy, a: i64, b: i64) -> Meaning {
    let width = ty.bits();
    // A rotation or shift counts modulo the width, which is a power of two.
    let count = (b as u32) & (width - 1);
    match op {
        BinOp::Add => overflowing(ty, a.wrapping_add(b), || a.overflowing_add(b).1),
        BinOp::Sub => overflowing(ty, a.wrapping_sub(b), || a.overflowing_sub(b).1),
        BinOp::Mul => overflowing(ty, a.wrapping_mul(b), || a.overflowing_mul(b).1),
        BinOp::Div => {
            // At its own width: 64-bit division is several times slower on many processors.
            let value = match ty {
                _ if b == 0 => 0,
                WordTy::I32 => (a as i32).wrapping_div(b as i32).into(),
                WordTy::U32 => (a as u32 / b as u32).into(),
                WordTy::I64 => a.wrapping_div(b),
                WordTy::U64 => (a as u64 / b as u64) as i64,
            };
            division(ty, a, b, value, Hazard::QuotientOverflow)
        }
        BinOp::Rem => {
            let value = match ty {
                _ if b == 0 => 0,
                WordTy::I32 => (a as i32).wrapping_rem(b as i32).into(),
                WordTy::U32 => (a as u32 % b as u32).into(),
                WordTy::I64 => a.wrapping_rem(b),
                WordTy::U64 => (a as u64 % b as u64) as i64,
            };
            division(ty, a, b, value, Hazard::RemainderOverflow)
        }
        BinOp::And => Meaning::plain(a & b),
        BinOp::Or => Meaning::plain(a | b),
        BinOp::Xor => Meaning::plain(a ^ b),
        BinOp::Shl => {
            let value = ty.wrap(a.wrapping_shl(count));
            let out_of_range = b as u64 >= width.into();
            // Nothing is lost where shifting back gives the operand; a value that changed sign
            // was lost too.
            let lost = ty.is_signed() && (a < 0 || value.wrapping_shr(count) != a);
            Meaning {
                word: value,
                hazards: HazardSet::when(Hazard::ShiftCount, out_of_range)
                    .or(HazardSet::when(Hazard::ShiftedOut, lost)),
            }
        }
        BinOp::Shr => {
            let value = if ty.is_signed() {
                a.wrapping_shr(count)
            } else {
                (a as u64).wrapping_shr(count) as i64
            };
            Meaning::hazardous(value, Hazard::ShiftCount, b as u64 >= width.into())
        }
        BinOp::Rotl => Meaning::plain(rotate_left(ty, a, count)),
        BinOp::Rotr => Meaning::plain(rotate_left(ty, a, width - count)),
        BinOp::Min => Meaning::plain(if less(ty, b, a) { b } else { a }),
        BinOp::Max => Meaning::plain(if less(ty, a, b) { b } else { a }),
        BinOp::Mulh => Meaning::plain(match ty {
            WordTy::I32 => a.wrapping_mul(b) >> 32,
            WordTy::U32 => ((a as u64).wrapping_mul(b as u64) >> 32) as i64,
            WordTy::I64 => ((i128::from(a) * i128::from(b)) >> 64) as i64,
            WordTy::U64 => ((u128::from(a as u64) * u128::from(b as u64)) >> 64) as i64,
        }),
        BinOp::Addsat => Meaning::plain(match ty {
            // In 64 bits, a sum of 32-bit operands is exact.
            WordTy::I32 | WordTy::U32 => a.wrapping_add(b).clamp(ty.min(), ty.max()),
            WordTy::I64 => a.saturating_add(b),
            WordTy::U64 => (a as u64).saturating_add(b as u64) as i64,
        }),
        BinOp::Subsat => Meaning::plain(match ty {
            WordTy::I32 | WordTy::U32 => a.wrapping_sub(b).clamp(ty.min(), ty.max()),
            WordTy::I64 => a.saturating_sub(b),
            WordTy::U64 => (a as u64).saturating_sub(b as u64) as i64,
        }),
        BinOp::Copysign => no_such_operator(),
        BinOp::Cmp => Meaning::plain(i64::from(less(ty, b, a)) - i64::from(less(ty, a, b))),
        BinOp::Eq => Meaning::plain((a == b).into()),
        BinOp::Ne => Meaning::plain((a != b).into()),
        BinOp::Lt => Meaning::plain(less(ty, a, b).into()),
        BinOp::Le => Meaning::plain((!less(ty, b, a)).into()),
        BinOp::Gt => Meaning::plain(less(ty, b, a).into()),
        BinOp::Ge => Meaning::plain((!less(ty, a, b)).into()),
    }
}

/// The bits of a canonical value, without its extension.
#[inline(always)]
const fn bits_of(ty: WordTy, a: i64) -> u64 {
    if ty.bits() == 32 { a as u32 as u64 } else { a as u64 }
}

#[inline(always)]
const fn is_min(ty: WordTy, a: i64) -> bool {
    ty.is_signed() && a == ty.min()
}

#[inline(always)]
const fn less(ty: WordTy, a: i64, b: i64) -> bool {
    if ty.is_signed() { a < b } else { (a as u64) < b as u64 }
}

/// A result of `+ - *` computed in 64 bits. In 32 bits the exact result is at hand; in 64 bits
/// `overflows_64` tells.
#[inline(always)]
fn overflowing(ty: WordTy, wide: i64, overflows_64: impl FnOnce() -> bool) -> Meaning {
    let value = ty.wrap(wide);
    let overflow = match ty {
        WordTy::I32 => value != wide,
        WordTy::I64 => overflows_64(),
        WordTy::U32 | WordTy::U64 => false,
    };
    Meaning::hazardous(value, Hazard::SignedOverflow, overflow)
}

#[inline(always)]
fn division(ty: WordTy, a: i64, b: i64, value: i64, overflow: Hazard) -> Meaning {
    Meaning {
        word: value,
        hazards: HazardSet::when(Hazard::DivisionByZero, b == 0)
            .or(HazardSet::when(overflow, is_min(ty, a) && b == -1)),
    }
}

/// Rotation by a count of at most the width.
#[inline(always)]
const fn rotate_left(ty: WordTy, a: i64, count: u32) -> i64 {
    if ty.bits() == 32 {
        ty.wrap((a as u32).rotate_left(count % 32) as i64)
    } else {
        a.rotate_left(count % 64)
    }
}
