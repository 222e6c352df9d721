//! Replaying all findings of a campaign: which remain, and in which versions of their targets?

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::any_campaign::AnyCampaign;
use crate::error::CampaignError;
use crate::family::TargetFamily;
use crate::registry::{Env, entry};
use crate::revisit::ReplayOn;
use crate::store::Store;
use crate::versions::{ReplayOutcome, Replayed};

/// What the targets of this machine make of a campaign's findings.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// Each finding by the name of its folder, with what every version makes of it.
    pub findings: Vec<(String, Vec<Replayed>)>,
}

/// How many findings a version of a target has fixed, and how many remain in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VersionCount {
    /// Those that it does not show.
    pub n_fixed: usize,
    /// Those that it shows.
    pub n_remaining: usize,
    /// Those that it says nothing of: it does not take the program or its flags, say.
    pub n_not_comparable: usize,
    /// Those that it could not be run on.
    pub n_failures: usize,
}

impl Replay {
    /// Runs every finding of a campaign on `targets`, or, if there are none, on those of the
    /// campaign and all that are at hand. `on_finding` is called with the name of each first.
    ///
    /// # Errors
    /// If the store cannot be read, or an oracle cannot work.
    pub fn of_campaign(
        store: &Store,
        targets: &[String],
        env: &Env,
        mut on_finding: impl FnMut(&str),
    ) -> Result<Self, CampaignError> {
        let header = store.header()?;
        let (named, on) = match targets {
            [] => (&header.targets[..], ReplayOn::AllAtHand),
            _ => (targets, ReplayOn::TargetsOfCampaign),
        };
        let mut available: BTreeMap<TargetFamily, Box<dyn AnyCampaign>> = BTreeMap::new();
        let mut replay = Self::default();
        for id in store.ids()? {
            let saved = store.finding(id)?;
            if !saved.finding.verdict.is_finding() {
                continue;
            }
            on_finding(&saved.name);
            let family = saved.family;
            let campaign = match available.entry(family) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => {
                    free.insert(entry(family).at_hand(named, &header.config, env)?)
                }
            };
            replay.findings.push((saved.name, campaign.replay(&saved.finding, on)?));
        }
        Ok(replay)
    }

    /// How many findings each version has fixed, and how many remain in it.
    pub fn by_version(&self) -> BTreeMap<&str, VersionCount> {
        let mut counts: BTreeMap<&str, VersionCount> = BTreeMap::new();
        for replayed in self.findings.iter().flat_map(|(_, replayed)| replayed) {
            let count = counts.entry(&replayed.version).or_default();
            let n = match &replayed.outcome {
                ReplayOutcome::DoesNotShow => &mut count.n_fixed,
                ReplayOutcome::Shows { .. } => &mut count.n_remaining,
                ReplayOutcome::NotComparable { .. } => &mut count.n_not_comparable,
                ReplayOutcome::InfrastructureFailure { .. } => &mut count.n_failures,
            };
            *n += 1;
        }
        counts
    }

    /// How many findings are in targets that this machine does not have.
    pub fn n_without_target(&self) -> usize {
        self.findings.iter().filter(|(_, replayed)| replayed.is_empty()).count()
    }

    /// Whether a finding remains in some version.
    pub fn has_remaining(&self) -> bool {
        self.findings.iter().flat_map(|(_, replayed)| replayed).any(Replayed::remains)
    }

    /// Whether a target that works could not be run.
    pub fn has_failures(&self) -> bool {
        let mut all = self.findings.iter().flat_map(|(_, replayed)| replayed);
        all.any(|known| matches!(known.outcome, ReplayOutcome::InfrastructureFailure { .. }))
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_oracles::Verdict;

    use super::*;

    fn replayed(version: &str, outcome: ReplayOutcome) -> Replayed {
        Replayed {
            target: "gcc".to_owned(),
            setting: "-O2".to_owned(),
            command: "gcc".to_owned(),
            version: version.to_owned(),
            details: String::new(),
            outcome,
        }
    }

    #[test]
    fn versions_are_counted() {
        let shows = |verdict| ReplayOutcome::Shows { verdict };
        let replay = Replay {
            findings: vec![
                ("f1".to_owned(), vec![replayed("gcc 12", shows(Verdict::WrongResult))]),
                (
                    "f2".to_owned(),
                    vec![
                        replayed("gcc 12", shows(Verdict::Hang)),
                        replayed("gcc 13", ReplayOutcome::DoesNotShow),
                    ],
                ),
                ("f3".to_owned(), Vec::new()),
                (
                    "f4".to_owned(),
                    vec![replayed("gcc 11", ReplayOutcome::not_comparable("no such flag"))],
                ),
            ],
        };
        let counts = replay.by_version();
        assert_eq!(counts["gcc 12"], VersionCount { n_remaining: 2, ..VersionCount::default() });
        assert_eq!(counts["gcc 13"], VersionCount { n_fixed: 1, ..VersionCount::default() });
        let unclear = VersionCount { n_not_comparable: 1, ..VersionCount::default() };
        assert_eq!((counts["gcc 11"], replay.has_failures()), (unclear, false));
        assert_eq!((replay.n_without_target(), replay.has_remaining()), (1, true));
        assert!(!Replay::default().has_remaining());
    }

    /// A target that could not be run neither shows a finding nor has it fixed.
    #[test]
    fn failures_are_no_findings() {
        let failure = ReplayOutcome::InfrastructureFailure { why: "no room".to_owned() };
        let gone = Replay { findings: vec![("f5".to_owned(), vec![replayed("gcc 14", failure)])] };
        assert_eq!((gone.has_remaining(), gone.has_failures()), (false, true));
        let failed = VersionCount { n_failures: 1, ..VersionCount::default() };
        assert_eq!(gone.by_version()["gcc 14"], failed);
    }
}
