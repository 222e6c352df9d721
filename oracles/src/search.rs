//! Searches that ask few questions of targets that take long to answer.

use crate::oracle::OracleError;
use crate::signature::Trial;

/// How many neighbours are asked of a question that has no answer.
const N_NEIGHBOURS: usize = 4;

/// The place where `trial` turns from cured to ill: the `k` in `1..=n` such that `k - 1` is cured
/// and `k` is ill, both of which were seen. Nothing where 0 is not cured, `n` is not ill, or too
/// much between them is unclear.
///
/// # Errors
/// Those of `trial`.
pub(crate) fn turning_point(
    n: usize,
    mut trial: impl FnMut(usize) -> Result<Trial, OracleError>,
) -> Result<Option<usize>, OracleError> {
    if trial(n)? != Trial::Ill || n == 0 || trial(0)? != Trial::Cured {
        return Ok(None);
    }
    let (mut cured, mut ill) = (0, n);
    while ill - cured > 1 {
        let middle = cured + (ill - cured) / 2;
        let nearby = (middle..ill).take(N_NEIGHBOURS);
        let nearby = nearby.chain((cured + 1..middle).rev().take(N_NEIGHBOURS));
        let mut is_clear = false;
        for k in nearby {
            match trial(k)? {
                Trial::Cured => cured = k,
                Trial::Ill => ill = k,
                Trial::Unclear => continue,
            }
            is_clear = true;
            break;
        }
        if !is_clear {
            return Ok(None);
        }
    }
    Ok(Some(ill))
}

/// Those of `items` that `is_shown` holds for when it is asked about each alone. It is asked about
/// many at once, and about halves of them where that shows something: where a group shows nothing,
/// nothing in it is taken to.
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

    fn search(answers: &[Trial]) -> (Option<usize>, usize) {
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
            let answers: Vec<Trial> =
                (0..100).map(|k| if k < at { Trial::Cured } else { Trial::Ill }).collect();
            let (found, n_asked) = search(&answers);
            assert_eq!(found, Some(at));
            assert!(n_asked <= 9, "{n_asked}");
        }
    }

    #[test]
    fn what_is_unclear_is_passed_over_or_ends_it() {
        use Trial::{Cured, Ill, Unclear};
        assert_eq!(search(&[Cured, Cured, Unclear, Cured, Ill, Ill]).0, Some(4));
        assert_eq!(search(&[Cured, Unclear, Ill]).0, None);
        assert_eq!(search(&[Ill, Ill]).0, None);
        assert_eq!(search(&[Cured, Cured]).0, None);
        assert_eq!(search(&[Ill]).0, None);
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
