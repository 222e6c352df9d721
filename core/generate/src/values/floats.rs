//! Floating-point numbers.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool, choose_share};
use pathsmith_symlang::lang::{FloatTy, IntTy};

/// Which floating-point numbers a function is to have. A share of 0 is off, and draws nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FloatValues {
    /// The share of numbers that are special: zeros, subnormal numbers, limits, infinities, NaN.
    pub special_share: f64,
    /// The share of numbers at which rounding, or the end of an integer type, decides.
    pub rounding_share: f64,
    /// The share of numbers that are NaN, besides.
    pub nan_share: f64,
    /// The share of sums whose constant takes them back to about 0, is lost in them, or is rounded.
    pub cancel_share: f64,
    /// The share of integer inputs next to where integers stop being exact.
    pub round_trip_share: f64,
}

impl Default for FloatValues {
    fn default() -> Self {
        Self::PLAIN
    }
}

/// Numbers that have to be tamer than this are not special.
const MAX_SPECIAL_BIAS: u8 = 1;

impl FloatValues {
    /// Those of a function without policies (guesses).
    pub const PLAIN: Self = Self {
        special_share: 0.06,
        rounding_share: 0.08,
        nan_share: 0.0,
        cancel_share: 0.1,
        round_trip_share: 0.0,
    };

    /// Draws a number; the larger the bias, the tamer it is.
    pub fn choose(&self, ty: FloatTy, bias: u8, rng: &mut Rng) -> i64 {
        if bias <= MAX_SPECIAL_BIAS {
            if choose_share(self.nan_share, rng) {
                return ty.nan();
            }
            if choose_share(self.special_share, rng) {
                return choose_special(ty, rng);
            }
            if choose_share(self.rounding_share, rng) {
                return choose_rounding(ty, rng);
            }
        }
        choose_plain(ty, bias, rng)
    }

    /// Draws a number that something is multiplied with.
    pub fn choose_factor(&self, ty: FloatTy, bias: u8, rng: &mut Rng) -> i64 {
        const FACTORS: [f64; 10] = [0.5, 2.0, -1.0, 1.5, 0.25, 3.0, 0.1, -0.5, 1.0, 10.0];
        match choose_bool(0.6, rng) {
            true => ty.word(FACTORS[choose_below(FACTORS.len(), rng)]),
            false => self.choose(ty, bias, rng),
        }
    }

    /// Draws what has to be added to a sum that comes to `rest`, so that rounding shows: the sum
    /// goes back to about 0, the constant is lost in it, or it is half of the last place.
    pub fn choose_cancelling(&self, ty: FloatTy, rest: i64, rng: &mut Rng) -> Option<i64> {
        let value = ty.value(rest);
        if !choose_share(self.cancel_share, rng) || !value.is_finite() || value == 0.0 {
            return None;
        }
        let above = ty.value(rest + 1);
        let last_place = (above - value).abs();
        Some(match choose_below(6, rng) {
            0 | 1 => {
                let opposite = ty.word(-value);
                ty.canonical(opposite.wrapping_add(rng.random_range(-2..=2)))
            }
            // A tie, or just not one.
            2 | 3 => {
                let half = ty.word(last_place / 2.0) + rng.random_range(-1..=1_i64);
                with_sign(ty, ty.canonical(half.max(0)), rng)
            }
            4 => with_sign(ty, ty.word(last_place / 8.0), rng),
            _ => with_sign(ty, ty.word(value.abs() * 2_f64.powi(ty.precision() as i32)), rng),
        })
    }

    /// Draws a step that a number which begins at `from` can take `n` times without standing still.
    pub fn choose_step(&self, ty: FloatTy, from: i64, n: usize, rng: &mut Rng) -> i64 {
        const STEPS: [f64; 10] = [1.0, 0.5, 0.1, 0.25, 1.0, 2.0, 10.0, 0.01, 1.0 / 3.0, 100.0];
        let from = ty.value(from).abs();
        let mut step = STEPS[choose_below(STEPS.len(), rng)];
        let least = (from + step * n as f64) * 2_f64.powi(3 - ty.precision() as i32);
        if least.is_finite() && least > step {
            step = least * 4.0;
        }
        with_sign(ty, ty.word(step), rng)
    }

    /// Draws an integer next to one from which on not all are numbers of a floating-point type, if
    /// inputs are to have them.
    pub fn choose_exact(&self, ty: IntTy, rng: &mut Rng) -> Option<i64> {
        if !choose_share(self.round_trip_share, rng) {
            return None;
        }
        let precision = if choose_bool(0.5, rng) { 24 } else { 53 };
        let value = (1_i64 << precision) + rng.random_range(-3..=3_i64);
        let is_negative = ty.is_signed() && choose_bool(0.3, rng);
        ty.from_wide(if is_negative { -value } else { value }.into())
    }
}

/// A magnitude, with either sign.
fn with_sign(ty: FloatTy, word: i64, rng: &mut Rng) -> i64 {
    match choose_bool(0.4, rng) {
        true => ty.word(-ty.value(word)),
        false => word,
    }
}

/// Draws a number without anything special: small, with a short fraction, or of any magnitude.
fn choose_plain(ty: FloatTy, bias: u8, rng: &mut Rng) -> i64 {
    let magnitude = match choose_below(12, rng) {
        0..=2 => rng.random_range(0..=20_i64) as f64,
        3..=4 => rng.random_range(1..=64_i64) as f64 / 8.0,
        5..=6 => rng.random_range(1..=999_i64) as f64 / 100.0,
        7 => rng.random_range(0.0..1000.0),
        8 if bias == 0 => {
            let most = if ty == FloatTy::F32 { 100 } else { 900 };
            (1.0 + rng.random::<f64>()) * 2_f64.powi(rng.random_range(-most..=most))
        }
        _ => {
            let size = 30 / (i32::from(bias) + 1);
            (1.0 + rng.random::<f64>()) * 2_f64.powi(rng.random_range(-size..=size))
        }
    };
    with_sign(ty, ty.word(magnitude), rng)
}

/// Draws a number at which operators behave in ways of their own.
fn choose_special(ty: FloatTy, rng: &mut Rng) -> i64 {
    let least_normal = 1_i64 << (ty.precision() - 1);
    let one = ty.word(1.0);
    let words = [
        0,
        0,
        1,
        least_normal - 1,
        least_normal,
        least_normal + 1,
        one - 1,
        one,
        one + 1,
        ty.infinity() - 1,
        ty.infinity(),
        ty.infinity(),
        ty.nan(),
    ];
    with_sign(ty, words[choose_below(words.len(), rng)], rng)
}

/// Draws a number at which rounding decides: where integers stop being exact, in the middle between
/// two integers or two numbers of 32 bits, at the end of an integer type, or a decimal fraction
/// that is none in binary.
fn choose_rounding(ty: FloatTy, rng: &mut Rng) -> i64 {
    let near = rng.random_range(-3..=3_i64);
    let magnitude = match choose_below(8, rng) {
        0 | 1 => ty.word(2_f64.powi(ty.precision() as i32)) + near,
        2 => ty.word((rng.random_range(0..=9_i64) as f64) + 0.5) + near / 3,
        3 => ty.word(2_f64.powi([7, 8, 15, 16, 31, 32, 63, 64][choose_below(8, rng)])) + near,
        4 => ty.word(2_f64.powi(24) + near as f64),
        // Half of the last place of a number of 32 bits.
        5 => ty.word(1.0 + near.abs() as f64 * 2_f64.powi(-24)) + near.signum(),
        6 => ty.word([0.1, 0.2, 0.3, 0.7, 1.1, 1e-3, 1e10, 1e16, 1e22][choose_below(9, rng)]),
        _ => ty.word(1.0 / [3.0, 7.0, 10.0, 49.0][choose_below(4, rng)]) + near,
    };
    with_sign(ty, ty.canonical(magnitude), rng)
}

/// The place of a number in the order of all numbers, which are counted from 0 on in either
/// direction; none for NaN. Both zeros are at 0.
pub(crate) fn place_of(ty: FloatTy, word: i64) -> Option<i64> {
    let magnitude = ty.magnitude(word);
    match () {
        () if ty.is_nan(word) => None,
        () if magnitude == word => Some(magnitude),
        () => Some(-magnitude),
    }
}

/// The number at a place.
pub(crate) fn number_at(ty: FloatTy, place: i64) -> i64 {
    let magnitude = place.abs().min(ty.infinity());
    match place < 0 {
        true => ty.word(-ty.value(magnitude)),
        false => magnitude,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use pathsmith_symlang::Seed;

    proptest! {
        #[test]
        fn places_are_in_the_order_of_numbers(a: i64, b: i64) {
            for ty in FloatTy::ALL {
                let [a, b] = [a, b].map(|word| ty.canonical(word));
                let places = (place_of(ty, a), place_of(ty, b));
                if let (Some(a_place), Some(b_place)) = places {
                    let order = ty.value(a).partial_cmp(&ty.value(b));
                    prop_assert_eq!(order, Some(a_place.cmp(&b_place)));
                    prop_assert_eq!(ty.value(number_at(ty, a_place)), ty.value(a));
                } else {
                    prop_assert!(ty.is_nan(a) || ty.is_nan(b));
                }
            }
        }

        #[test]
        fn numbers_are_canonical(seed: u64, bias in 0..7_u8) {
            let rng = &mut Seed::new(seed).rng();
            let all = FloatValues {
                special_share: 0.3,
                rounding_share: 0.5,
                nan_share: 0.1,
                cancel_share: 1.0,
                round_trip_share: 1.0,
            };
            for ty in FloatTy::ALL {
                let number = all.choose(ty, bias, rng);
                prop_assert_eq!(ty.canonical(number), number);
                let step = all.choose_step(ty, number, 10, rng);
                prop_assert_eq!(ty.canonical(step), step);
                prop_assert!(ty.value(step) != 0.0);
                if let Some(constant) = all.choose_cancelling(ty, number, rng) {
                    prop_assert_eq!(ty.canonical(constant), constant);
                }
            }
        }
    }
}
