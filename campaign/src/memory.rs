//! What a campaign has learned, and which batch may know of it.
//!
//! A batch knows what was learned in batches that are at least [`MEMORY_LAG`] numbers behind it.
//! These are finished when it starts, however many threads there are, so a campaign does the same
//! each time, interrupted or not.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pathsmith_generate::GenConfig;

use crate::batch_window::MEMORY_LAG;
use crate::finding::{Finding, TargetInfo};
use crate::known::{Identity, KnownBug};
use crate::shares::{ArmCounts, EPOCH, Multipliers, NewBug, adapted, multipliers};

/// What a campaign against one target family has learned.
#[derive(Debug, Default)]
pub struct Memory(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Bugs that were known from the start.
    given: Vec<KnownBug>,
    /// Bugs that were learned, each with the first finding that shows it.
    learned: BTreeMap<Identity, (Place, KnownBug)>,
    /// What people have made of bugs that were learned before.
    edited: BTreeMap<Identity, KnownBug>,
    /// The keys of all clusters.
    clusters: BTreeSet<String>,
    /// All findings, in order.
    shown: BTreeMap<Place, Shown>,
    /// The arms of all functions, by epoch.
    arms: BTreeMap<u64, ArmCounts>,
    /// The configs of epochs, once they were asked for.
    configs: BTreeMap<u64, Arc<GenConfig>>,
}

/// Where a finding comes from: batch, case, variant, target and setting.
type Place = (u64, u64, u32, String, String);

/// What a finding says about new bugs.
#[derive(Clone, Debug)]
struct Shown {
    target: String,
    /// What tells its bug from others. A finding that shares one with an earlier one is not new.
    traits: Vec<String>,
    arms: Vec<String>,
}

impl Memory {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of bugs that are known from the start.
    pub fn give(&self, bugs: impl IntoIterator<Item = KnownBug>) {
        self.state().given.extend(bugs);
    }

    /// Takes note of what people have made of the bug that `finding` was the first to show.
    pub fn edit(&self, finding: &Finding, bug: KnownBug) {
        if let Some(identity) = KnownBug::of(finding).as_ref().map(KnownBug::identity) {
            self.state().edited.insert(identity, bug);
        }
    }

    /// Takes note of a finding. Returns the bug that it shows if that is one that was not known.
    pub fn learn(&self, finding: &Finding) -> Option<KnownBug> {
        let signature = finding.signature.as_ref()?;
        let place = place(finding);
        let mut state = self.state();
        state.clusters.insert(signature.key());
        let suppressing =
            signature.suppressing_flags.iter().chain(&signature.suppressing_lowerings);
        let suppressing: Vec<String> = suppressing.map(|known| known.flag.clone()).collect();
        let traits = if suppressing.is_empty() { vec![signature.key()] } else { suppressing };
        let (target, arms) = (signature.target.clone(), finding.arms.clone());
        state.shown.insert(place.clone(), Shown { target, traits, arms });
        let bug = KnownBug::of(finding)?;
        let is_given =
            |known: &KnownBug| known.condition == bug.condition && known.is_of(&finding.target);
        if state.given.iter().any(is_given) {
            return None;
        }
        let identity = bug.identity();
        match state.learned.get_mut(&identity) {
            Some(known) => {
                if place < known.0 {
                    *known = (place, bug);
                }
                None
            }
            None => {
                state.learned.insert(identity, (place, bug.clone()));
                Some(bug)
            }
        }
    }

    /// The bugs of a target that batch `batch` knows of and that are not switched off.
    pub fn known(&self, batch: u64, target: &TargetInfo) -> Vec<KnownBug> {
        let state = self.state();
        let mut learned: Vec<(&Place, &KnownBug)> = state
            .learned
            .iter()
            .filter(|(_, (place, _))| place.0 + MEMORY_LAG <= batch)
            .map(|(identity, (place, bug))| (place, state.edited.get(identity).unwrap_or(bug)))
            .collect();
        learned.sort_by_key(|(place, _)| *place);
        let all = state.given.iter().chain(learned.into_iter().map(|(_, bug)| bug));
        all.filter(|bug| !bug.off && bug.is_of(target)).cloned().collect()
    }

    /// Whether there is a finding with that key.
    pub(crate) fn has_cluster(&self, key: &str) -> bool {
        self.state().clusters.contains(key)
    }

    /// Takes note of the functions of a batch that is finished, or of a whole epoch.
    pub fn add_arms(&self, epoch: u64, counts: &ArmCounts) {
        let mut state = self.state();
        let known = state.arms.entry(epoch).or_default();
        for (arm, n) in counts {
            *known.entry(arm.clone()).or_default() += n;
        }
    }

    /// How the functions of a batch are generated, if shares are adaptive.
    pub fn config(&self, config: &GenConfig, batch: u64) -> Arc<GenConfig> {
        let epoch = batch / EPOCH;
        let mut state = self.state();
        if let Some(known) = state.configs.get(&epoch) {
            return Arc::clone(known);
        }
        let multipliers = state.multipliers(epoch);
        let made = match multipliers.is_empty() {
            true => Arc::new(config.clone()),
            false => Arc::new(adapted(config, &multipliers)),
        };
        // Threads are never more than a few epochs apart.
        state.configs.retain(|known, _| known + 8 > epoch);
        state.configs.insert(epoch, Arc::clone(&made));
        made
    }

    /// Functions that showed a bug that no earlier one did.
    pub fn new_bugs(&self) -> Vec<NewBug> {
        self.state().new_bugs(u64::MAX)
    }
}

impl State {
    fn multipliers(&self, epoch: u64) -> Multipliers {
        // All batches of these epochs are so far behind that every batch of this one may know them.
        let is_known = |earlier: u64| (earlier + 1) * EPOCH - 1 + MEMORY_LAG <= epoch * EPOCH;
        let arms: BTreeMap<u64, ArmCounts> = self
            .arms
            .iter()
            .filter(|(earlier, _)| is_known(**earlier))
            .map(|(earlier, counts)| (*earlier, counts.clone()))
            .collect();
        let Some(last) = (0..epoch).rev().find(|earlier| is_known(*earlier)) else {
            return Multipliers::new();
        };
        multipliers(&arms, &self.new_bugs((last + 1) * EPOCH), epoch)
    }

    /// Those of batches before `end`.
    fn new_bugs(&self, end: u64) -> Vec<NewBug> {
        let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
        let mut new = Vec::new();
        for (place, shown) in self.shown.iter().filter(|(place, _)| place.0 < end) {
            let is_new = shown.traits.iter().all(|one| !seen.contains(&(&shown.target, one)));
            seen.extend(shown.traits.iter().map(|one| (&shown.target[..], &one[..])));
            if is_new {
                new.push(NewBug { batch: place.0, arms: shown.arms.clone() });
            }
        }
        new
    }
}

fn place(finding: &Finding) -> Place {
    let target = &finding.target;
    let setting = target.setting.to_string();
    (finding.batch, finding.number, finding.variant, target.name.clone(), setting)
}

#[cfg(test)]
mod tests;
