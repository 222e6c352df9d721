//! Searches that need few runs of slow targets.

use crate::oracle::OracleError;
use crate::signature::TrialOutcome;

/// How many neighbours of an unclear trial are tried. A guess.
const N_NEIGHBOURS: usize = 4;

/// Bisects: the `k` in `1..=n` such that `k - 1` passes and `k` fails, both of which were seen.
/// Nothing if 0 does not pass, `n` does not fail, or too much between them is unclear.
///
/// # Errors
/// Those of `trial`.
pub(crate) fn turning_point(
    n: usize,
    mut trial: impl FnMut(usize) -> Result<TrialOutcome, OracleError>,
) -> Result<Option<usize>, OracleError> {
    if trial(n)? != TrialOutcome::Fails || n == 0 || trial(0)? != TrialOutcome::Passes {
        return Ok(None);
    }
    let (mut passing, mut failing) = (0, n);
    while failing - passing > 1 {
        let middle = passing + (failing - passing) / 2;
        let nearby = (middle..failing).take(N_NEIGHBOURS);
        let nearby = nearby.chain((passing + 1..middle).rev().take(N_NEIGHBOURS));
        let mut is_clear = false;
        for k in nearby {
            match trial(k)? {
                TrialOutcome::Passes => passing = k,
                TrialOutcome::Fails => failing = k,
                TrialOutcome::Unclear => continue,
            }
            is_clear = true;
            break;
        }
        if !is_clear {
            return Ok(None);
        }
    }
    Ok(Some(failing))
}

/// Those of `items` for which `is_shown` holds alone. It is asked about many at once, and about
/// halves of them if that shows something. A group that shows nothing is taken to have no such item.
///
/// # Errors
/// Those of `is_shown`.
pub(crate) fn singles<T: Clone>(
    items: &[T],
    is_shown: &mut impl FnMut(&[T]) -> Result<bool, OracleError>,
) -> Result<Vec<T>, OracleError> {
    if items.is_empty() || !is_shown(items)? {
        return Ok(Vec::new());
    }
    if items.len() == 1 {
        return Ok(items.to_vec());
    }
    let (first, second) = items.split_at(items.len() / 2);
    let mut found = singles(first, is_shown)?;
    found.extend(singles(second, is_shown)?);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(answers: &[TrialOutcome]) -> (Option<usize>, usize) {
        let mut n_asked = 0;
        let found = turning_point(answers.len() - 1, |k| {
            n_asked += 1;
            Ok(answers[k])
        });
        (found.unwrap(), n_asked)
    }

    #[test]
    fn a_turning_point_is_found_by_halving() {
        for at in 1..100 {
            let answers: Vec<TrialOutcome> = (0..100)
                .map(|k| if k < at { TrialOutcome::Passes } else { TrialOutcome::Fails })
                .collect();
            let (found, n_asked) = search(&answers);
            assert_eq!(found, Some(at));
            assert!(n_asked <= 9, "{n_asked}");
        }
    }

    #[test]
    fn what_is_unclear_is_passed_over_or_ends_it() {
        use TrialOutcome::{Fails, Passes, Unclear};
        assert_eq!(search(&[Passes, Passes, Unclear, Passes, Fails, Fails]).0, Some(4));
        assert_eq!(search(&[Passes, Unclear, Fails]).0, None);
        assert_eq!(search(&[Fails, Fails]).0, None);
        assert_eq!(search(&[Passes, Passes]).0, None);
        assert_eq!(search(&[Fails]).0, None);
    }

    #[test]
    fn few_questions_find_few_items() {
        let items: Vec<u32> = (0..64).collect();
        let mut n_asked = 0;
        let found = singles(&items, &mut |some| {
            n_asked += 1;
            Ok(some.contains(&5) || some.contains(&40))
        });
        assert_eq!(found.unwrap(), [5, 40]);
        assert!(n_asked < 30, "{n_asked}");
    }
}
