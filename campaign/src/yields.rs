//! What the functions of a campaign have shown, by the policies that they were made by.

use std::collections::{BTreeMap, BTreeSet};

use pathsmith_generate::generate_leaf;
use pathsmith_generate::policy::{Policy, Theme};
use pathsmith_symlang::Seed;

use crate::batch::is_program;
use crate::kind::KindName;
use crate::store::{Store, StoreError};

/// Counts over some of the functions of a campaign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Yield {
    /// How many functions.
    pub n_functions: u64,
    /// How many of them showed something.
    pub n_failing: u64,
}

impl Yield {
    /// How many of a thousand functions showed something.
    pub fn per_thousand(self) -> f64 {
        1000.0 * self.n_failing as f64 / self.n_functions.max(1) as f64
    }

    const fn add(&mut self, is_failing: bool) {
        self.n_functions += 1;
        self.n_failing += is_failing as u64;
    }
}

/// What the single functions of a campaign have shown, by theme; whole programs are left out,
/// because each of their functions has policies of its own.
#[derive(Clone, Debug, Default)]
pub struct Yields {
    /// Those of each theme, and those that have none.
    pub by_theme: BTreeMap<Option<Theme>, PolicyYields>,
}

/// What the functions of one theme have shown.
#[derive(Clone, Debug, Default)]
pub struct PolicyYields {
    /// All functions.
    pub all: Yield,
    /// For each policy, the functions that were made without it, and those made with it. Within a
    /// theme policies are drawn independently of each other, so the two differ in nothing else.
    pub by_policy: BTreeMap<Policy, [Yield; 2]>,
}

impl Yields {
    /// Adds what a campaign did against one kind of target. All its functions are made again.
    ///
    /// # Errors
    /// Where the store cannot be read.
    pub fn add(&mut self, store: &Store, kind: KindName) -> Result<(), StoreError> {
        let config = store.header()?.config;
        let (_, stats) = store.progress(kind)?;
        let mut failing = BTreeSet::new();
        for id in store.ids()? {
            let saved = store.finding(id)?;
            if saved.kind == kind && saved.finding.verdict.is_finding() {
                failing.insert(saved.finding.number);
            }
        }
        let (generate, seed) = (&config.generate, Seed::new(config.campaign.seed));
        for number in 0..stats.n_cases + stats.n_unsolved {
            if is_program(generate, seed, number) {
                continue;
            }
            if let Ok(leaf) = generate_leaf(generate, kind.dialect(), seed, number) {
                self.by_theme
                    .entry(leaf.theme)
                    .or_default()
                    .count(&leaf.policies, failing.contains(&number));
            }
        }
        Ok(())
    }

    /// All functions.
    pub fn all(&self) -> Yield {
        self.by_theme.values().fold(Yield::default(), |sum, yields| Yield {
            n_functions: sum.n_functions + yields.all.n_functions,
            n_failing: sum.n_failing + yields.all.n_failing,
        })
    }
}

impl PolicyYields {
    fn count(&mut self, policies: &[Policy], is_failing: bool) {
        self.all.add(is_failing);
        for policy in Policy::ALL {
            let with = usize::from(policies.contains(&policy));
            self.by_policy.entry(policy).or_default()[with].add(is_failing);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_counted_with_and_without_each_policy() {
        let mut yields = PolicyYields::default();
        yields.count(&[Policy::Brink], true);
        yields.count(&[Policy::Brink, Policy::Zero], false);
        yields.count(&[], false);
        assert_eq!(yields.all, Yield { n_functions: 3, n_failing: 1 });
        let [without, with] = yields.by_policy[&Policy::Brink];
        assert_eq!(without, Yield { n_functions: 1, n_failing: 0 });
        assert_eq!(with, Yield { n_functions: 2, n_failing: 1 });
        assert_eq!(with.per_thousand(), 500.0);
        assert_eq!(yields.by_policy[&Policy::Zero][1].n_failing, 0);
    }
}
