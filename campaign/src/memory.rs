//! What a campaign has learned, and which batch may know of it.
//!
//! A batch knows what was learned in batches that are at least [`MEMORY_LAG`] numbers behind it.
//! These are finished when it starts, however many threads there are, so a campaign does the same
//! each time, interrupted or not.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pathsmith_symlang::lang::Program;

use crate::batch_window::MEMORY_LAG;
use crate::finding::{Finding, TargetInfo};
use crate::growth::{Grown, Growth};
use crate::known::{Identity, KnownBug};
use crate::mutation::origin::Parent;
use crate::mutation::parents::Known;
use crate::plan::Plan;
use crate::shares::{
    ArmCounts, EPOCH, Multipliers, NewBug, adapted, adapted_mutation, multipliers,
};

/// How many programs that have shown a bug variants are made of: the last ones. A guess.
const MAX_FINDINGS: usize = 64;

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
    /// The programs of findings, by batch, case and variant: that of the first target and setting.
    programs: BTreeMap<(u64, u64, u32), (Place, Arc<Program>)>,
    /// What has shown new features.
    growth: Growth,
    /// The plans of epochs, once they were asked for.
    plans: BTreeMap<u64, Arc<Plan>>,
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
        let place = place(finding);
        let mut state = self.state();
        state.note_program(&place, finding);
        let signature = finding.signature.as_ref()?;
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

    /// Takes note of cases that showed new features in a batch that is finished.
    pub(crate) fn grow(&self, grown: impl IntoIterator<Item = Grown>) {
        self.state().growth.add(grown);
    }

    /// Which features are no news to a batch.
    pub(crate) fn features(&self, batch: u64) -> Arc<BTreeSet<String>> {
        self.state().growth.features(known_before(batch / EPOCH))
    }

    /// How the cases of a batch are made, if that is `base` at first.
    pub(crate) fn plan(&self, base: &Plan, is_adaptive: bool, batch: u64) -> Arc<Plan> {
        let epoch = batch / EPOCH;
        let mut state = self.state();
        if let Some(known) = state.plans.get(&epoch) {
            return Arc::clone(known);
        }
        let mut plan = base.clone();
        let multipliers = if is_adaptive { state.multipliers(epoch) } else { Multipliers::new() };
        if !multipliers.is_empty() {
            plan.generate = adapted(&base.generate, &multipliers);
            plan.mutate = adapted_mutation(&base.mutate, &multipliers);
        }
        let end = known_before(epoch);
        plan.parents.findings = state.findings(end);
        plan.parents.grown = state.growth.members(end, base.mutate.max_grown as usize);
        let made = Arc::new(plan);
        // Threads are never more than a few epochs apart.
        state.plans.retain(|known, _| known + 8 > epoch);
        state.plans.insert(epoch, Arc::clone(&made));
        made
    }

    /// How the corpus has grown: for each batch with news, the new features and the cases with one.
    pub fn growth(&self) -> Vec<(u64, usize, usize)> {
        self.state().growth.curve()
    }

    /// How many features there are of each kind.
    pub fn feature_kinds(&self) -> BTreeMap<String, usize> {
        self.state().growth.kinds()
    }

    /// Functions that showed a bug that no earlier one did.
    pub fn new_bugs(&self) -> Vec<NewBug> {
        self.state().new_bugs(u64::MAX)
    }
}

/// All batches with smaller numbers are so far behind that every batch of this epoch may know them.
fn known_before(epoch: u64) -> u64 {
    (epoch * EPOCH).saturating_sub(MEMORY_LAG - 1) / EPOCH * EPOCH
}

impl State {
    /// Takes note of a program that has shown a bug and that variants can be made of.
    fn note_program(&mut self, place: &Place, finding: &Finding) {
        let has_realizations =
            finding.program.functions.iter().any(|function| !function.realizations.is_empty());
        if !finding.verdict.is_finding() || !has_realizations {
            return;
        }
        let key = (place.0, place.1, place.2);
        let is_first = self.programs.get(&key).is_none_or(|(known, _)| place < known);
        if is_first {
            let program = Arc::new(finding.program.clone());
            self.programs.insert(key, (place.clone(), program));
        }
    }

    /// The last programs of batches before `end` that have shown a bug.
    fn findings(&self, end: u64) -> Vec<Known> {
        let last = self.programs.range(..(end, 0, 0)).rev().take(MAX_FINDINGS);
        let known = last.map(|(&(_, number, variant), (_, program))| Known {
            parent: Parent::Finding { number, variant },
            program: Arc::clone(program),
        });
        known.collect()
    }

    fn multipliers(&self, epoch: u64) -> Multipliers {
        let end = known_before(epoch);
        let arms: BTreeMap<u64, ArmCounts> = self
            .arms
            .range(..end / EPOCH)
            .map(|(earlier, counts)| (*earlier, counts.clone()))
            .collect();
        if end == 0 {
            return Multipliers::new();
        }
        multipliers(&arms, &self.new_bugs(end), epoch)
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
