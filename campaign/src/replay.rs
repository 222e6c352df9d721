//! Replaying all findings of a campaign: which remain, and in which versions of their targets?

use std::collections::BTreeMap;

use pathsmith_oracles::Verdict;

use crate::any_campaign::AnyCampaign;
use crate::error::CampaignError;
use crate::registry::{Env, TargetRequest, campaigns};
use crate::revisit::Replayed;
use crate::store::Store;

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
    /// Those that it says nothing of: it does not work, or does not take the program or its flags.
    pub n_unclear: usize,
}

impl Replay {
    /// Runs every finding of a campaign on `targets`, or, if there are none, on those of the
    /// campaign and all that are found. `on_finding` is called with the name of each first.
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
        let mut lists = vec![targets.to_vec()];
        if targets.is_empty() {
            lists.push(header.targets.clone());
            lists.dedup();
        }
        let mut available: Vec<Box<dyn AnyCampaign>> = Vec::new();
        for targets in lists {
            let request = TargetRequest { targets, sanitize: false };
            available.extend(campaigns(&request, &header.config, env)?);
        }
        let mut replay = Self::default();
        for id in store.ids()? {
            let saved = store.finding(id)?;
            if !saved.finding.verdict.is_finding() {
                continue;
            }
            on_finding(&saved.name);
            let mut replayed: Vec<Replayed> = Vec::new();
            for campaign in available.iter().filter(|campaign| campaign.family() == saved.family) {
                for other in campaign.replay(&saved.finding)? {
                    if !replayed.contains(&other) {
                        replayed.push(other);
                    }
                }
            }
            replay.findings.push((saved.name, replayed));
        }
        Ok(replay)
    }

    /// How many findings each version has fixed, and how many remain in it.
    pub fn by_version(&self) -> BTreeMap<&str, VersionCount> {
        let mut counts: BTreeMap<&str, VersionCount> = BTreeMap::new();
        for replayed in self.findings.iter().flat_map(|(_, replayed)| replayed) {
            let count = counts.entry(&replayed.version).or_default();
            let n = match (replayed.is_fixed(), replayed.remains()) {
                (true, _) => &mut count.n_fixed,
                (false, true) => &mut count.n_remaining,
                (false, false) => &mut count.n_unclear,
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

    /// Whether a target did not work.
    pub fn has_failures(&self) -> bool {
        let mut all = self.findings.iter().flat_map(|(_, replayed)| replayed);
        all.any(|known| known.verdict == Verdict::InfrastructureFailure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_counted() {
        let replayed = |version: &str, verdict| Replayed {
            target: "gcc -O2".to_owned(),
            version: version.to_owned(),
            verdict,
        };
        let replay = Replay {
            findings: vec![
                ("f1".to_owned(), vec![replayed("gcc 12", Verdict::WrongResult)]),
                (
                    "f2".to_owned(),
                    vec![replayed("gcc 12", Verdict::Hang), replayed("gcc 13", Verdict::Agrees)],
                ),
                ("f3".to_owned(), Vec::new()),
                ("f4".to_owned(), vec![replayed("gcc 11", Verdict::CompileError)]),
            ],
        };
        let counts = replay.by_version();
        assert_eq!(counts["gcc 12"], VersionCount { n_remaining: 2, ..VersionCount::default() });
        assert_eq!(counts["gcc 13"], VersionCount { n_fixed: 1, ..VersionCount::default() });
        let unclear = VersionCount { n_unclear: 1, ..VersionCount::default() };
        assert_eq!((counts["gcc 11"], replay.has_failures()), (unclear, false));
        assert_eq!((replay.n_without_target(), replay.has_remaining()), (1, true));
        assert!(!Replay::default().has_remaining());
        let gone = vec![replayed("gcc 14", Verdict::InfrastructureFailure)];
        let gone = Replay { findings: vec![("f5".to_owned(), gone)] };
        assert_eq!((gone.has_remaining(), gone.has_failures()), (false, true));
    }
}
