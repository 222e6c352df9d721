//! Work on all cores, with results in order.

use std::num::NonZeroUsize;

/// The most threads that can be asked for. A guess: more than the largest machines have cores, and
/// few enough that any machine can start them.
pub const MAX_JOBS: usize = 1024;

/// A number of threads on the command line or in a config, such as `8`.
///
/// # Errors
/// Which numbers are expected.
pub fn parse_jobs(text: &str) -> Result<NonZeroUsize, String> {
    let jobs = text.parse::<NonZeroUsize>().ok().filter(|jobs| jobs.get() <= MAX_JOBS);
    jobs.ok_or_else(|| format!("expected a number from 1 to {MAX_JOBS}"))
}

/// How many threads there are to use: `jobs`, or as many as there are cores.
pub fn n_jobs(jobs: Option<NonZeroUsize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    jobs.map_or_else(cores, NonZeroUsize::get)
}

/// Calls `work` on the numbers from 0 on, on `n_jobs` threads, and `consume` on the results, in
/// the order of the numbers, until it fails or `count` are done. At most a few hundred results
/// wait at any time.
///
/// # Errors
/// The first of `consume`.
pub fn in_order<T: Send, E>(
    count: u64,
    n_jobs: usize,
    work: impl Fn(u64) -> T + Sync,
    mut consume: impl FnMut(u64, T) -> Result<(), E>,
) -> Result<(), E> {
    // A guess: enough to keep threads busy that got easy numbers.
    const PER_THREAD: u64 = 64;
    // No thread without work.
    let n_jobs = n_jobs.min(usize::try_from(count).unwrap_or(usize::MAX)).max(1);
    let per_round = PER_THREAD * n_jobs as u64;
    let mut first = 0;
    while first < count {
        let last = (first + per_round).min(count);
        let results: Vec<Vec<(u64, T)>> = std::thread::scope(|scope| {
            let share = |job: u64| (first + job..last).step_by(n_jobs);
            let threads: Vec<_> = (0..n_jobs as u64)
                .map(|job| {
                    let work = &work;
                    scope.spawn(move || share(job).map(|number| (number, work(number))).collect())
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
        });
        let mut results: Vec<(u64, T)> = results.into_iter().flatten().collect();
        results.sort_by_key(|(number, _)| *number);
        for (number, result) in results {
            consume(number, result)?;
        }
        first = last;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_number_of_threads() {
        for n_jobs in [1, 2, 7] {
            let mut seen = Vec::new();
            let done: Result<(), ()> = in_order(
                1000,
                n_jobs,
                |n| n * 2,
                |n, double| {
                    assert_eq!(double, n * 2);
                    seen.push(n);
                    Ok(())
                },
            );
            assert_eq!(done, Ok(()));
            assert_eq!(seen, (0..1000).collect::<Vec<_>>());
        }
    }

    #[test]
    fn numbers_of_threads_are_bounded() {
        assert_eq!(parse_jobs("8"), Ok(NonZeroUsize::new(8).unwrap()));
        assert_eq!(parse_jobs("1024"), Ok(NonZeroUsize::new(1024).unwrap()));
        for wrong in ["0", "1025", "-1", "many", "18446744073709551615", "99999999999999999999"] {
            assert_eq!(parse_jobs(wrong), Err("expected a number from 1 to 1024".to_owned()));
        }
    }

    #[test]
    fn a_failure_stops_it() {
        let mut n = 0;
        let done = in_order(
            1_000_000,
            2,
            |n| n,
            |_, _| {
                n += 1;
                if n == 5 { Err("enough") } else { Ok(()) }
            },
        );
        assert_eq!((done, n), (Err("enough"), 5));
    }
}
