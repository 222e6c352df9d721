//! Work on a range of seeds, on several threads and with results in order.

use std::sync::atomic::{AtomicBool, Ordering};

use super::error::ReviewError;
use super::recipe::SeedRange;
use crate::parallel::in_order;

/// Calls `work` on all seeds, and `consume` on the results in order. After a failure no seed is
/// begun: if a build hangs, it hangs on many seeds.
///
/// # Errors
/// The first of either.
pub(super) fn for_each_seed<T: Send>(
    seeds: SeedRange,
    n_jobs: usize,
    work: impl Fn(u64) -> Result<T, ReviewError> + Sync,
    mut consume: impl FnMut(u64, T) -> Result<(), ReviewError>,
) -> Result<(), ReviewError> {
    let seed_of = |number| seeds.first() + number;
    let has_failed = AtomicBool::new(false);
    let attempt = |number| {
        if has_failed.load(Ordering::Relaxed) {
            return None;
        }
        let result = work(seed_of(number));
        has_failed.fetch_or(result.is_err(), Ordering::Relaxed);
        Some(result)
    };
    let mut n_done = 0;
    in_order(seeds.n_seeds(), n_jobs, attempt, |number, result| match result {
        Some(result) => {
            n_done += 1;
            consume(seed_of(number), result?)
        }
        None => Ok(()),
    })?;
    // Results of threads that panicked are missing.
    if n_done == seeds.n_seeds() { Ok(()) } else { Err(ReviewError::Panicked) }
}
