//! Deduplicating the findings of a campaign by their signatures.

use std::collections::BTreeMap;

use crate::bug_groups::{BugGroup, ClusterFacts, bug_groups};
use crate::error::CampaignError;
use crate::known_list::KnownList;
use crate::outline::Outline;
use crate::registry::{Env, entry};
use crate::sighting::CountedUnder;
use crate::store::{Store, StoreError};

/// The findings that still have no signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signed {
    /// How many do not show any more.
    pub n_gone: usize,
    /// How many are possible bugs of pathsmith, which have no signature.
    pub n_own: usize,
}

/// Finds the signature of every finding that has none. `on_finding` is called with the name of
/// each first.
///
/// # Errors
/// If an oracle cannot work, or the store cannot be used.
pub fn sign_findings(
    store: &mut Store,
    env: &Env,
    mut on_finding: impl FnMut(&str),
) -> Result<Signed, CampaignError> {
    let config = store.header()?.config;
    let mut signed = Signed::default();
    for id in store.unsigned()? {
        let saved = store.finding(id)?;
        if !saved.finding.verdict.is_finding() {
            signed.n_own += 1;
            continue;
        }
        on_finding(&saved.name);
        let campaign = entry(saved.family).without_targets(&config, env)?;
        match campaign.signature(&saved.finding)? {
            Some(signature) => store.sign(id, &signature)?,
            None => signed.n_gone += 1,
        }
    }
    // What was learned is added to the file of known bugs.
    KnownList::open(store)?;
    Ok(signed)
}

/// All clusters of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Clusters {
    /// The clusters, the largest first.
    pub clusters: Vec<ClusterLine>,
    /// Clusters that are probably one bug, each with how many findings they have together.
    pub bug_groups: Vec<(BugGroup, usize)>,
    /// Known bugs, each with how many failures are counted under it.
    pub known: BTreeMap<String, usize>,
}

/// A cluster in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterLine {
    /// What its findings have in common.
    pub key: String,
    /// How many findings it has.
    pub n_findings: usize,
    /// The name of the smallest one.
    pub smallest: String,
    /// How many failures of the same functions there are with further settings.
    pub n_further: usize,
}

impl Clusters {
    /// Those of a campaign.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn of_campaign(store: &Store) -> Result<Self, StoreError> {
        let mut found = store.clusters()?;
        found.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        let mut further: BTreeMap<String, usize> = BTreeMap::new();
        for sighting in store.sightings()? {
            match sighting.under {
                CountedUnder::Known(name) => *known.entry(name).or_default() += 1,
                CountedUnder::Finding { cluster, .. } => *further.entry(cluster).or_default() += 1,
            }
        }
        let mut clusters = Vec::new();
        let mut facts: Vec<ClusterFacts> = Vec::new();
        for (key, members) in found {
            let Some(first) = members.first() else { continue };
            let Some(known) = ClusterFacts::of_finding(store, *first)? else { continue };
            facts.push(known);
            clusters.push(ClusterLine {
                n_findings: members.len(),
                smallest: store.finding(*first)?.name,
                n_further: further.get(&key).copied().unwrap_or(0),
                key,
            });
        }
        let size =
            |group: &BugGroup| group.clusters.iter().map(|at| clusters[*at].n_findings).sum();
        let groups = bug_groups(&facts).into_iter();
        let bug_groups = groups
            .map(|group| {
                let n = size(&group);
                (group, n)
            })
            .collect();
        Ok(Self { clusters, bug_groups, known })
    }

    /// How many findings they have together.
    pub fn n_findings(&self) -> usize {
        self.clusters.iter().map(|cluster| cluster.n_findings).sum()
    }
}

impl ClusterFacts {
    /// Those of the cluster whose smallest finding has the number `id`; nothing without a signature.
    pub(crate) fn of_finding(store: &Store, id: i64) -> Result<Option<Self>, StoreError> {
        let finding = store.finding(id)?.finding;
        let Some(signature) = finding.signature else { return Ok(None) };
        let reduced = store.reduction(id)?.map(|reduction| reduction.finding.program);
        let outline = Outline::of(&reduced.unwrap_or(finding.program), &finding.arms);
        Ok(Some(Self { signature, outline }))
    }
}
