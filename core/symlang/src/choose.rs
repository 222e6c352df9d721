//! The few ways of drawing at random.

use rand::RngExt;
use thiserror::Error;

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

/// As [`choose_bool`], for a share that can be switched off: a share of 0 draws nothing, so that what
/// is off does not change what else is drawn.
#[inline]
pub fn choose_share(share: f64, rng: &mut Rng) -> bool {
    share > 0.0 && choose_bool(share, rng)
}

/// A probability that is none.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("`{name}` is {value}, but a probability is between 0 and 1")]
pub struct ProbabilityError {
    /// What it is called.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
}

/// Checks that probabilities are probabilities.
///
/// # Errors
/// The first that is not.
pub fn check_probabilities(all: &[(&'static str, f64)]) -> Result<(), ProbabilityError> {
    match all.iter().find(|(_, value)| !(0.0..=1.0).contains(value)) {
        Some((name, value)) => Err(ProbabilityError { name, value: *value }),
        None => Ok(()),
    }
}
