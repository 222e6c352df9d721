//! How many functions of a campaign have shown something, by the policies they were generated with.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use pathsmith_generate::policy::{Policy, Theme};
use pathsmith_generate::{Observation, generate_leaf};
use pathsmith_symlang::Seed;

use crate::any_campaign::{AnyCampaign, remember};
use crate::batch::is_program;
use crate::error::CampaignError;
use crate::mutation::variant::is_variant;
use crate::registry::{Env, campaigns_without_targets, check_fingerprint, entry};
use crate::store::{Store, StoreError};

/// Counts over some of the functions of a campaign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HitRate {
    /// How many functions.
    pub n_functions: u64,
    /// How many of them showed something.
    pub n_failing: u64,
}

impl HitRate {
    /// How many of a thousand functions showed something.
    pub fn per_thousand(self) -> f64 {
        1000.0 * self.n_failing as f64 / self.n_functions.max(1) as f64
    }

    const fn add(&mut self, is_failing: bool) {
        self.n_functions += 1;
        self.n_failing += is_failing as u64;
    }
}

/// What the single functions of a campaign have shown, by theme. Whole programs are left out,
/// because each of their functions has policies of its own, and so are variants, which are more than
/// what was generated.
#[derive(Clone, Debug, Default)]
pub struct PolicyStats {
    /// Those of each theme, and those that have none.
    pub by_theme: BTreeMap<Option<Theme>, ThemeStats>,
    /// Those of which each kind of thing is observed.
    pub by_observation: BTreeMap<Observation, HitRate>,
}

/// What the functions of one theme have shown.
#[derive(Clone, Debug, Default)]
pub struct ThemeStats {
    /// All functions.
    pub all: HitRate,
    /// For each policy, the functions that were made without it, and those made with it. Within a
    /// theme policies are drawn independently of each other, so the two differ in nothing else.
    pub by_policy: BTreeMap<Policy, [HitRate; 2]>,
}

impl PolicyStats {
    /// What the functions of all these campaigns have shown together.
    ///
    /// # Errors
    /// If a store cannot be read, or this version generates other functions.
    pub fn of_campaigns(folders: &[PathBuf], env: &Env) -> Result<Self, CampaignError> {
        let mut stats = Self::default();
        for folder in folders {
            let store = Store::read(folder)?;
            let header = store.header()?;
            // Its functions are generated again, and have to be the same.
            let campaigns = campaigns_without_targets(&header.config, env)?;
            check_fingerprint(&campaigns, &header, folder)?;
            for campaign in &campaigns {
                remember(&store, &**campaign)?;
                stats.add(&store, &**campaign)?;
            }
        }
        Ok(stats)
    }

    /// Adds what a campaign did against one target family. All its functions are generated again.
    fn add(&mut self, store: &Store, campaign: &dyn AnyCampaign) -> Result<(), StoreError> {
        let family = campaign.family();
        let config = store.header()?.config;
        let (_, done) = store.progress(family)?;
        let mut failing = BTreeSet::new();
        for id in store.ids()? {
            let saved = store.finding(id)?;
            // A variant says nothing of the policies of the case that it was made from.
            let is_own = saved.family == family && saved.finding.variant == 0;
            if is_own && saved.finding.verdict.is_finding() {
                failing.insert(saved.finding.number);
            }
        }
        let known = store.sightings()?.into_iter();
        let known = known.filter(|it| it.family == family && it.variant == 0);
        failing.extend(known.map(|sighting| sighting.number));
        let seed = Seed::new(config.campaign.seed());
        let dialect = entry(family).language().dialect();
        for number in 0..done.n_cases + done.n_unsolved + done.n_oversized {
            let plan = campaign.plan(number / campaign.cases_per_batch());
            let generate = &plan.generate;
            if is_program(generate, seed, number) || is_variant(&plan.mutate, seed, number) {
                continue;
            }
            if let Ok(leaf) = generate_leaf(generate, dialect, seed, number) {
                let of_kind = self.by_observation.entry(leaf.observation).or_default();
                of_kind.add(failing.contains(&number));
                self.by_theme
                    .entry(leaf.theme)
                    .or_default()
                    .count(&leaf.policies, failing.contains(&number));
            }
        }
        Ok(())
    }

    /// All functions.
    pub fn all(&self) -> HitRate {
        self.by_theme.values().fold(HitRate::default(), |sum, stats| HitRate {
            n_functions: sum.n_functions + stats.all.n_functions,
            n_failing: sum.n_failing + stats.all.n_failing,
        })
    }
}

impl ThemeStats {
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
        let mut stats = ThemeStats::default();
        stats.count(&[Policy::Boundary], true);
        stats.count(&[Policy::Boundary, Policy::Zero], false);
        stats.count(&[], false);
        assert_eq!(stats.all, HitRate { n_functions: 3, n_failing: 1 });
        let [without, with] = stats.by_policy[&Policy::Boundary];
        assert_eq!(without, HitRate { n_functions: 1, n_failing: 0 });
        assert_eq!(with, HitRate { n_functions: 2, n_failing: 1 });
        assert_eq!(with.per_thousand(), 500.0);
        assert_eq!(stats.by_policy[&Policy::Zero][1].n_failing, 0);
    }
}
