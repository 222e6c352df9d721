//! What blocks off the path may hold that is undefined if it is run.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{IntTy, WordTy};

/// How often each rule of definedness is broken on purpose, in blocks that the path does not visit.
/// A run that comes there all the same ends as undefined, and is no realization, so nothing that is
/// broken is on the path of any.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relaxations {
    /// Sums and products that overflow.
    pub overflow: f64,
    /// Shift counts beyond the width of the type.
    pub shifts: f64,
    /// Divisions by 0.
    pub division: f64,
    /// Indices out of bounds.
    pub indices: f64,
    /// Terminators that lead anywhere, so that loops need not end.
    pub endless: f64,
}

impl Relaxations {
    /// Everything is kept.
    pub const NONE: Self =
        Self { overflow: 0.0, shifts: 0.0, division: 0.0, indices: 0.0, endless: 0.0 };

    /// Draws which rules are relaxed, half of them, and how often.
    pub fn choose(rng: &mut Rng) -> Self {
        let mut share = || match choose_bool(0.5, rng) {
            true => rng.random_range(0.05..0.5),
            false => 0.0,
        };
        Self {
            overflow: share(),
            shifts: share(),
            division: share(),
            indices: share(),
            endless: share(),
        }
    }

    /// Draws a number that overflows in most sums and products, if one is to.
    pub fn choose_overflowing(&self, ty: WordTy, rng: &mut Rng) -> Option<i64> {
        let near = choose_below(3, rng) as i64;
        let limits = [ty.max().wrapping_sub(near), ty.min().wrapping_add(near)];
        choose_bool(self.overflow, rng).then(|| ty.wrap(limits[choose_below(2, rng)]))
    }

    /// Draws a count that no shift of this width is defined for, if it is to be one.
    pub fn choose_count(&self, width: u32, rng: &mut Rng) -> Option<i64> {
        let beyond = i64::from(width) + choose_below(3, rng) as i64;
        choose_bool(self.shifts, rng).then_some(beyond)
    }

    /// Draws an index that an array of this length does not have, if it is to be one.
    pub fn choose_index(&self, ty: WordTy, len: u32, rng: &mut Rng) -> Option<i64> {
        let index = i64::from(len) + choose_below(3, rng) as i64;
        let index = if choose_bool(0.3, rng) { -index } else { index };
        choose_bool(self.indices, rng).then(|| IntTy::from(ty).wrap(index))
    }

    /// Whether something is to be divided by 0.
    pub fn choose_zero_divisor(&self, rng: &mut Rng) -> bool {
        choose_bool(self.division, rng)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use pathsmith_symlang::Seed;

    const ALL: Relaxations =
        Relaxations { overflow: 1.0, shifts: 1.0, division: 1.0, indices: 1.0, endless: 1.0 };

    proptest! {
        #[test]
        fn what_is_drawn_is_undefined(seed: u64, len in 1..100_u32) {
            let mut rng = Seed::new(seed).rng();
            let index = ALL.choose_index(WordTy::I32, len, &mut rng);
            prop_assert!(index.is_some_and(|index| !(0..i64::from(len)).contains(&index)));
            prop_assert!(ALL.choose_count(32, &mut rng).is_some_and(|count| count >= 32));
            prop_assert!(ALL.choose_zero_divisor(&mut rng));
            prop_assert_eq!(Relaxations::NONE.choose_count(32, &mut rng), None);
        }
    }
}
