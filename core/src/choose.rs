//! The few ways of drawing at random.

use rand::RngExt;

use crate::seed::Rng;

/// A number below `n`, which must not be 0. Drawn as `u32`, so that the width of `usize` does not
/// change what a seed means.
#[inline]
pub fn choose_below(n: usize, rng: &mut Rng) -> usize {
    rng.random_range(0..n as u32) as usize
}

/// Whether an event of the given probability happens. Anything up to 0 (and what is not a number)
/// never happens; anything from 1 on always does.
#[inline]
pub fn choose_bool(probability: f64, rng: &mut Rng) -> bool {
    rng.random::<f64>() < probability
}
