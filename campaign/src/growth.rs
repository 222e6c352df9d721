//! How a campaign's corpus grows: cases that show a feature that none before them did.
//!
//! A batch that is looked at knows the features of batches that are far enough back, so what it
//! shows may be no news after all. What is news is decided in the order of batches and cases: so it
//! does not matter which thread was first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pathsmith_symlang::lang::Program;

use crate::mutation::origin::Parent;
use crate::mutation::parents::Known;

/// A case that shows features that were news to its batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Grown {
    /// The batch.
    pub batch: u64,
    /// The number of the case.
    pub number: u64,
    /// Which variant of the case.
    pub variant: u32,
    /// The program.
    pub program: Arc<Program>,
    /// The features, by name.
    pub features: Vec<String>,
}

/// A batch, a case and a variant.
type Place = (u64, u64, u32);

/// All that was found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Growth {
    cases: BTreeMap<Place, Grown>,
    /// The features of batches before a number, once they were asked for.
    known: BTreeMap<u64, Arc<BTreeSet<String>>>,
}

impl Growth {
    /// Adds cases of a batch.
    pub(crate) fn add(&mut self, grown: impl IntoIterator<Item = Grown>) {
        for case in grown {
            self.cases.insert((case.batch, case.number, case.variant), case);
        }
    }

    /// Those of batches before `end` that show a feature that none before them did, each with the
    /// number of such features.
    fn news(&self, end: u64) -> (BTreeSet<&str>, Vec<(&Grown, usize)>) {
        let mut known = BTreeSet::new();
        let mut news = Vec::new();
        for (_, case) in self.cases.range(..(end, 0, 0)) {
            let n_known = known.len();
            known.extend(case.features.iter().map(String::as_str));
            if known.len() > n_known {
                news.push((case, known.len() - n_known));
            }
        }
        (known, news)
    }

    /// The features of batches before `end`.
    pub(crate) fn features(&mut self, end: u64) -> Arc<BTreeSet<String>> {
        if let Some(known) = self.known.get(&end) {
            return Arc::clone(known);
        }
        let features = self.news(end).0.into_iter().map(str::to_owned).collect();
        let features = Arc::new(features);
        self.known.insert(end, Arc::clone(&features));
        while self.known.len() > 4 {
            self.known.pop_first();
        }
        features
    }

    /// The corpus that batches before `end` have grown: the last `max` of their cases that show
    /// something new.
    pub(crate) fn members(&self, end: u64, max: usize) -> Vec<Known> {
        let (_, news) = self.news(end);
        let known = |(case, _): &(&Grown, usize)| Known {
            parent: Parent::Grown { number: case.number, variant: case.variant },
            program: Arc::clone(&case.program),
        };
        news.iter().rev().take(max).map(known).collect()
    }

    /// How many new features there were in each batch, in order, and how many cases that showed one.
    pub(crate) fn curve(&self) -> Vec<(u64, usize, usize)> {
        let mut curve: Vec<(u64, usize, usize)> = Vec::new();
        for (case, n_new) in self.news(u64::MAX).1 {
            match curve.last_mut() {
                Some((batch, n_features, n_cases)) if *batch == case.batch => {
                    *n_features += n_new;
                    *n_cases += 1;
                }
                _ => curve.push((case.batch, n_new, 1)),
            }
        }
        curve
    }

    /// How many features there are of each kind: what stands before the first colon of their names.
    pub(crate) fn kinds(&self) -> BTreeMap<String, usize> {
        let mut kinds = BTreeMap::new();
        for feature in self.news(u64::MAX).0 {
            let kind = feature.split(':').next().unwrap_or_default();
            *kinds.entry(kind.to_owned()).or_default() += 1;
        }
        kinds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(batch: u64, number: u64, features: &[&str]) -> Grown {
        let features = features.iter().map(|&name| name.to_owned()).collect();
        Grown { batch, number, variant: 0, program: Arc::default(), features }
    }

    fn numbers(growth: &Growth, end: u64, max: usize) -> Vec<u64> {
        let number = |known: &Known| match known.parent {
            Parent::Grown { number, .. } => number,
            _ => unreachable!("it has grown"),
        };
        growth.members(end, max).iter().map(number).collect()
    }

    #[test]
    fn the_first_case_with_a_feature_joins_whichever_was_finished_first() {
        let cases = [
            grown(7, 70, &["asm: a b"]),
            grown(3, 31, &["asm: a b", "gcc: x"]),
            grown(3, 30, &["gcc: x"]),
            grown(9, 90, &["asm: c d", "gcc: x"]),
        ];
        let mut growth = Growth::default();
        growth.add(cases.clone());
        let mut other = Growth::default();
        other.add(cases.into_iter().rev());
        for growth in [&mut growth, &mut other] {
            assert_eq!(numbers(growth, 10, 9), [90, 31, 30]);
            assert_eq!(numbers(growth, 9, 9), [31, 30]);
            assert_eq!(numbers(growth, 10, 1), [90]);
            assert_eq!(growth.features(4).len(), 2);
            assert_eq!(growth.features(10).len(), 3);
            assert_eq!(growth.curve(), [(3, 2, 2), (9, 1, 1)]);
            let kinds = growth.kinds();
            assert_eq!((kinds["asm"], kinds["gcc"]), (2, 1));
        }
    }
}
