//! Base constants: what the coefficients and the inputs of a function have to do with each other.

use rand::RngExt;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{IntTy, WordTy};

/// A constant K that coefficients are derived from. It says how large it is for every type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    /// So much below the largest value.
    NearMax(u8),
    /// The power of two below the largest value of a signed type.
    Half,
    /// This number.
    Number(i64),
}

/// A base that nothing can be derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BaseError {
    /// It is too small.
    #[error("a base constant is {0}, but has to be 2 or more")]
    TooSmall(i64),
    /// It is too far from the largest value to be one in all types.
    #[error("a base constant is {0} below the largest value, but can be {MAX_DISTANCE} below it")]
    TooFar(u8),
}

/// The most that a base is below the largest value; that of `i8` is 127.
const MAX_DISTANCE: u8 = 64;

impl Base {
    /// Checks that values can be derived from it in all types.
    ///
    /// # Errors
    /// Why they cannot.
    pub const fn validate(self) -> Result<(), BaseError> {
        match self {
            Self::NearMax(distance) if distance > MAX_DISTANCE => Err(BaseError::TooFar(distance)),
            Self::Number(number) if number < 2 => Err(BaseError::TooSmall(number)),
            Self::NearMax(_) | Self::Half | Self::Number(_) => Ok(()),
        }
    }

    /// Draws a base: a fifth are huge; of the others, those around a thousand and powers of two
    /// are favoured.
    pub fn choose(rng: &mut Rng) -> Self {
        match choose_below(20, rng) {
            0..=2 => Self::NearMax(choose_below(4, rng) as u8),
            3 => Self::Half,
            4..=8 => Self::Number(rng.random_range(998..=1001)),
            9..=12 => Self::Number(1 << rng.random_range(1..24)),
            13..=15 => Self::Number(rng.random_range(2..=20)),
            _ => {
                let bits = rng.random_range(2..24_u32);
                Self::Number(rng.random_range(1 << (bits - 1)..1_i64 << bits))
            }
        }
    }

    /// Its value in a type; never less than 2.
    pub fn value(self, ty: IntTy) -> i128 {
        let max = largest(ty);
        let value = match self {
            Self::NearMax(distance) => max - i128::from(distance),
            Self::Half => max / 2 + 1,
            Self::Number(number) => number.into(),
        };
        // In a narrow type most numbers are beyond the largest one.
        if value <= max { value } else { 2 + value % (max - 2) }
    }

    /// Draws a coefficient: the base mostly, or a neighbour, its half, or 1; of either sign.
    pub fn choose_coefficient(self, ty: WordTy, rng: &mut Rng) -> i64 {
        let base = self.value(ty.into());
        let size = match choose_below(20, rng) {
            0..=9 => base,
            10..=13 => base - 1,
            14..=15 => base + 1,
            16 => base / 2,
            _ => 1,
        };
        let is_negative = ty.is_signed() && choose_bool(0.5, rng);
        ty.wrap(if is_negative { -size } else { size } as i64)
    }

    /// Draws its value, of either sign.
    pub fn choose_signed(self, ty: IntTy, rng: &mut Rng) -> i64 {
        signed(ty, self.value(ty), rng)
    }

    /// Draws a factor that times the base is just within the type.
    pub fn choose_stride(self, ty: IntTy, rng: &mut Rng) -> i64 {
        let most = largest(ty) / self.value(ty);
        let below = if choose_bool(0.5, rng) { 0 } else { choose_below(40, rng) as i128 };
        let size = (most - below).max(1);
        signed(ty, size, rng)
    }

    /// Draws a boundary value: next to it, sums and products with the base overflow.
    pub fn choose_boundary(self, ty: IntTy, rng: &mut Rng) -> i64 {
        let (max, base) = (largest(ty), self.value(ty));
        let near = choose_below(6, rng) as i128;
        let size = match choose_below(16, rng) {
            0..=4 => max - near,
            5..=6 => max / 2 + near,
            7 => max / 2 - near,
            8..=10 => max / base - if choose_bool(0.5, rng) { 0 } else { near },
            11 => base,
            12..=13 => max - base,
            _ => near,
        };
        signed(ty, size, rng)
    }
}

/// The largest value of a type.
fn largest(ty: IntTy) -> i128 {
    ty.to_wide(ty.max())
}

/// A number of this size, of either sign where the type has signs.
fn signed(ty: IntTy, size: i128, rng: &mut Rng) -> i64 {
    let is_negative = ty.is_signed() && choose_bool(0.5, rng);
    ty.wrap(if is_negative { -size } else { size } as i64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use pathsmith_symlang::Seed;

    proptest! {
        #[test]
        fn a_stride_times_the_base_is_within_the_type(seed: u64, ty in 0..8_usize) {
            let (ty, mut rng) = (IntTy::ALL[ty], Seed::new(seed).rng());
            let base = Base::choose(&mut rng);
            let stride = ty.to_wide(base.choose_stride(ty, &mut rng)).abs();
            let value = base.value(ty);
            prop_assert!(value >= 2 && value <= largest(ty));
            prop_assert!(stride >= 1 && stride * value <= largest(ty));
            // Forty strides more are not, unless the base is small.
            prop_assert!((stride + 41) * value > largest(ty));
        }

        #[test]
        fn values_are_of_their_type(seed: u64, ty in 0..8_usize) {
            let (ty, mut rng) = (IntTy::ALL[ty], Seed::new(seed).rng());
            let base = Base::choose(&mut rng);
            let boundary = base.choose_boundary(ty, &mut rng);
            prop_assert_eq!(ty.wrap(boundary), boundary);
            let coefficient = base.choose_coefficient(ty.widened(), &mut rng);
            prop_assert_eq!(ty.widened().wrap(coefficient), coefficient);
        }
    }
}
