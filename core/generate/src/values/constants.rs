//! Kinds of constants, and those that were used before.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::IntTy;

/// How many constants are remembered.
const N_REMEMBERED: usize = 8;

/// A distribution of constants that is a function's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constants {
    /// How often each kind is drawn, up to 1: small, near a limit, a run of ones, a power of two.
    shares: [f64; 4],
    /// How often one is used again, negated or complemented.
    reuse: f64,
    /// Numbers that are used again and again, whatever the type.
    pool: Vec<i64>,
}

impl Constants {
    /// Draws the distribution itself.
    pub fn choose(rng: &mut Rng) -> Self {
        let weights: [f64; 4] = std::array::from_fn(|_| rng.random::<f64>().powi(2));
        let sum: f64 = weights.iter().sum::<f64>().max(1e-9);
        let mut constants = Self {
            shares: weights.map(|weight| weight / sum),
            reuse: rng.random_range(0.0..0.7),
            pool: Vec::new(),
        };
        let n = rng.random_range(1..=N_REMEMBERED as u32);
        for _ in 0..n {
            let value = constants.choose_new(IntTy::I64, rng);
            constants.pool.push(value);
        }
        constants
    }

    /// Draws a constant.
    pub fn choose_value(&self, ty: IntTy, rng: &mut Rng) -> i64 {
        if self.pool.is_empty() || !choose_bool(self.reuse, rng) {
            return self.choose_new(ty, rng);
        }
        let known = self.pool[choose_below(self.pool.len(), rng)];
        ty.wrap(match choose_below(4, rng) {
            0 => known.wrapping_neg(),
            1 => !known,
            _ => known,
        })
    }

    fn choose_new(&self, ty: IntTy, rng: &mut Rng) -> i64 {
        let mut left = rng.random::<f64>();
        let kind = self.shares.iter().position(|share| {
            left -= share;
            left < 0.0
        });
        let near = rng.random_range(-3..=3_i64);
        ty.wrap(match kind {
            Some(0) => rng.random_range(-16..=16),
            Some(1) if ty.is_signed() && choose_bool(0.5, rng) => ty.min().wrapping_add(near.abs()),
            Some(1) => ty.max().wrapping_sub(near.abs()),
            Some(2) => choose_run(ty.bits(), rng),
            _ => (1_i64 << rng.random_range(0..ty.bits() - 1)).wrapping_add(near),
        })
    }
}

/// Draws a block of ones between zeroes, or of zeroes between ones.
fn choose_run(bits: u32, rng: &mut Rng) -> i64 {
    let length = rng.random_range(1..bits);
    let ones = ((1_u64 << length) - 1) << rng.random_range(0..bits - length);
    if choose_bool(0.3, rng) { !ones as i64 } else { ones as i64 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use pathsmith_symlang::Seed;

    proptest! {
        #[test]
        fn constants_are_of_their_type(seed: u64, ty in 0..8_usize) {
            let (ty, mut rng) = (IntTy::ALL[ty], Seed::new(seed).rng());
            let value = Constants::choose(&mut rng).choose_value(ty, &mut rng);
            prop_assert_eq!(ty.wrap(value), value);
        }

        #[test]
        fn a_run_has_at_most_two_edges(seed: u64, bits in 2..=64_u32) {
            let run = choose_run(bits, &mut Seed::new(seed).rng());
            let edges = (run ^ run.rotate_right(1)).count_ones();
            prop_assert!(edges == 2, "{run:x}");
        }
    }
}
