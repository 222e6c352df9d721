//! Deduplicating the findings of a campaign by their signatures.

use pathsmith_oracles::Signature;

use crate::bug_groups::{BugGroup, bug_groups};
use crate::error::CampaignError;
use crate::registry::{Env, entry};
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
    Ok(signed)
}

/// All clusters of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Clusters {
    /// The clusters, the largest first.
    pub clusters: Vec<ClusterLine>,
    /// Clusters that are probably one bug, each with how many findings they have together.
    pub bug_groups: Vec<(BugGroup, usize)>,
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
}

impl Clusters {
    /// Those of a campaign.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn of_campaign(store: &Store) -> Result<Self, StoreError> {
        let mut found = store.clusters()?;
        found.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
        let mut clusters = Vec::new();
        let mut signatures: Vec<Signature> = Vec::new();
        for (key, members) in found {
            let Some(first) = members.first() else { continue };
            let front = store.finding(*first)?;
            let Some(signature) = front.finding.signature else { continue };
            clusters.push(ClusterLine { key, n_findings: members.len(), smallest: front.name });
            signatures.push(signature);
        }
        let size =
            |group: &BugGroup| group.clusters.iter().map(|at| clusters[*at].n_findings).sum();
        let groups = bug_groups(&signatures).into_iter();
        let bug_groups = groups
            .map(|group| {
                let n = size(&group);
                (group, n)
            })
            .collect();
        Ok(Self { clusters, bug_groups })
    }

    /// How many findings they have together.
    pub fn n_findings(&self) -> usize {
        self.clusters.iter().map(|cluster| cluster.n_findings).sum()
    }
}
