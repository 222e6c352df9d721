//! Which values are tried: a distribution that we choose, not what a solver likes.

use rand::RngExt;

use super::roles::{HoleRole, HoleSite};
use crate::solve::ValuePolicy;
use crate::values::FloatValues;
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_share};
use pathsmith_symlang::lang::{FloatTy, IntTy, ScalarTy, ValueTy, WordTy};

/// How tame a value has to be: 0 for anything, more for smaller and smaller ones. It grows with
/// every conflict that the value was blamed for.
pub(super) type Bias = u8;

/// Values up to this bias are those that policies ask for.
pub(super) const MAX_POLICY_BIAS: Bias = 1;

/// Draws a value for a hole.
pub(super) fn choose_for_role(
    value_policy: ValuePolicy<'_>,
    site: &HoleSite,
    bias: Bias,
    rng: &mut Rng,
) -> i64 {
    let HoleSite { role, ty, .. } = *site;
    match ty {
        ValueTy::Int(ty) => choose_int_for_role(value_policy, role, ty, bias, rng),
        ValueTy::Float(ty) => {
            choose_float_for_role(&value_policy.knobs.floats, role, ty, bias, rng)
        }
    }
}

/// Nothing is undefined but conversions, so any number will do.
fn choose_float_for_role(
    values: &FloatValues,
    role: HoleRole,
    ty: FloatTy,
    bias: Bias,
    rng: &mut Rng,
) -> i64 {
    match role {
        HoleRole::Coefficient | HoleRole::Divisor => values.choose_factor(ty, bias, rng),
        HoleRole::Plain
        | HoleRole::Count(_)
        | HoleRole::Mask
        | HoleRole::Index(_)
        | HoleRole::IndexDivisor(_) => values.choose(ty, bias, rng),
    }
}

fn choose_int_for_role(
    value_policy: ValuePolicy<'_>,
    role: HoleRole,
    ty: WordTy,
    bias: Bias,
    rng: &mut Rng,
) -> i64 {
    if bias <= MAX_POLICY_BIAS
        && let Some(value) = choose_by_policy(value_policy, role, ty, rng)
    {
        return value;
    }
    let value = match role {
        HoleRole::Plain => return choose_value(ty.into(), bias, rng),
        HoleRole::Coefficient => match bias {
            0 => choose_log(2, 1000, rng) * choose_sign(ty, rng),
            1 => rng.random_range(1..=7_i64) * choose_sign(ty, rng),
            2 => rng.random_range(1..=2_i64) * choose_sign(ty, rng),
            3 => rng.random_range(0..=1_i64) * choose_sign(ty, rng),
            _ => 0,
        },
        HoleRole::Divisor => {
            choose_log(2, 10_000 << (u32::from(bias) * 4).min(16), rng) * choose_sign(ty, rng)
        }
        HoleRole::Count(width) => rng.random_range(1..width).into(),
        HoleRole::Mask => choose_mask(ty, bias, rng),
        HoleRole::Index(len) => choose_below(len as usize, rng) as i64,
        HoleRole::IndexDivisor(len) => 1 + choose_below(len as usize, rng) as i64,
    };
    ty.wrap(value)
}

/// Draws what the policies of the function ask for, if they say anything about this role.
fn choose_by_policy(
    value_policy: ValuePolicy<'_>,
    role: HoleRole,
    ty: WordTy,
    rng: &mut Rng,
) -> Option<i64> {
    let knobs = value_policy.knobs;
    match role {
        HoleRole::Coefficient => knobs.choose_coefficient(ty, rng),
        HoleRole::Plain => knobs.choose_constant(ty.into(), rng),
        HoleRole::Mask => knobs.choose_constant(ty.into(), rng).filter(|value| *value != 0),
        HoleRole::Divisor if choose_share(knobs.related_divisor_share, rng) => {
            knobs.choose_coefficient(ty, rng).filter(|value| *value != 0)
        }
        _ => None,
    }
}

/// Draws a value for a cell.
pub(super) fn choose_scalar(
    value_policy: ValuePolicy<'_>,
    ty: ScalarTy,
    bias: Bias,
    rng: &mut Rng,
) -> i64 {
    match ty {
        ScalarTy::Int(ty) => choose_value(ty, bias, rng),
        ScalarTy::Float(ty) => value_policy.knobs.floats.choose(ty, bias, rng),
    }
}

/// Draws a value of its own: small, of any size, near a limit, around a power of two, or anything.
pub(super) fn choose_value(ty: IntTy, bias: Bias, rng: &mut Rng) -> i64 {
    let sign = if ty.is_signed() && rng.random_bool(0.5) { -1 } else { 1 };
    let near = rng.random_range(-4..=4_i64);
    let size = (ty.bits() - 2) / (u32::from(bias) + 1);
    let value = match choose_below(20, rng) {
        0..=4 => rng.random_range(2..=20_i64) * sign,
        5..=11 => choose_log(2, 1 << size.max(4), rng) * sign,
        12..=14 => (1_i64 << rng.random_range(2..=size.max(3))) * sign + near,
        15..=17 if bias == 0 => {
            let limit = if sign < 0 { ty.min() } else { ty.max() };
            return ty.wrap(limit.wrapping_sub(sign * near.abs()));
        }
        18 if bias == 0 => rng.random(),
        _ => near,
    };
    ty.wrap(value)
}

/// An end of a range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) value: i128,
    /// Whether it stems from a value that was seen, and not from a type.
    pub(super) seen: bool,
}

/// Draws a number from `low` to `high`, every order of magnitude alike.
pub(super) fn choose_log(low: i64, high: i64, rng: &mut Rng) -> i64 {
    let (low, high) = (low.max(1) as u64, high.max(1) as u64);
    let bits = rng.random_range(low.ilog2()..=high.ilog2());
    let (first, last) = ((1_u64 << bits).max(low), ((2_u64 << bits) - 1).min(high));
    rng.random_range(first..=last.max(first)) as i64
}

fn choose_sign(ty: WordTy, rng: &mut Rng) -> i64 {
    if ty.is_signed() && rng.random_bool(0.4) { -1 } else { 1 }
}

/// Draws bits: a run of ones, few ones, or anything; never nothing.
fn choose_mask(ty: WordTy, bias: Bias, rng: &mut Rng) -> i64 {
    let width = ty.bits() - 1;
    let value = match choose_below(4, rng) {
        0 => (1_i64 << rng.random_range(1..width)) - 1,
        1 => 1_i64 << rng.random_range(0..width),
        2 => choose_log(3, 0xffff, rng),
        _ if bias == 0 => rng.random::<i64>() | 1,
        _ => choose_log(3, 0xff, rng),
    };
    ty.wrap(value)
}

/// Draws a number from a range that is not empty, whose ends are limits of a type or stem from
/// values that were seen. Mostly it is near an end that was seen, where a small change of the
/// input changes the decision; else of moderate size, else any.
pub(super) fn choose_in_range(low: Bound, high: Bound, rng: &mut Rng) -> i128 {
    let near = |rng: &mut Rng| i128::from(choose_log(1, 32, rng) - 1);
    let (seen_low, seen_high) = (low.seen, high.seen);
    let (low, high) = (low.value, high.value);
    let drawn = match choose_below(10, rng) {
        0..=7 if seen_low && (!seen_high || rng.random_bool(0.5)) => low + near(rng),
        0..=7 if seen_high => high - near(rng),
        8 => {
            let magnitude = i128::from(choose_log(2, 1 << 20, rng));
            if rng.random_bool(0.5) { magnitude } else { -magnitude }
        }
        _ => {
            let span = (high - low).min(i128::from(u64::MAX)) as u64;
            low + i128::from(rng.random_range(0..=span))
        }
    };
    drawn.clamp(low, high)
}
