//! Running the findings that stand for clusters on all versions of their targets that are at hand.

use crate::budget::CampaignConfig;
use crate::error::CampaignError;
use crate::reduce::Job;
use crate::registry::{Env, entry};
use crate::store::{Saved, Store, StoreError};

/// The smallest findings of clusters that were not run on all versions at hand yet, and are to be:
/// once they are reduced, if the campaign reduces them.
///
/// # Errors
/// If the store cannot be read.
pub(crate) fn versions_wanted(
    store: &Store,
    config: &CampaignConfig,
) -> Result<Vec<i64>, StoreError> {
    let mut wanted = Vec::new();
    if !config.versions {
        return Ok(wanted);
    }
    let unreduced = if config.reduce { store.unreduced()? } else { Vec::new() };
    for (_, ids) in store.clusters()? {
        let Some(first) = ids.first() else { continue };
        let is_waiting = ids.iter().any(|id| unreduced.contains(id));
        if !is_waiting && store.versions(*first)?.is_none() {
            wanted.push(*first);
        }
    }
    Ok(wanted)
}

/// Runs the smallest finding of each cluster on all versions at hand, as it is reduced so far, if the
/// campaign does that and it was not done yet. `on_finding` is called with the name of each first.
///
/// # Errors
/// If an oracle cannot work, or the store cannot be used.
pub fn add_versions(
    store: &mut Store,
    env: &Env,
    mut on_finding: impl FnMut(&str),
) -> Result<(), CampaignError> {
    let config = CampaignConfig { reduce: false, ..store.header()?.config.campaign };
    for id in versions_wanted(store, &config)? {
        let saved = store.finding(id)?;
        on_finding(&saved.name);
        record_versions(store, &saved, env)?;
    }
    Ok(())
}

/// Runs a finding on all versions at hand, as it is reduced so far, if the campaign does that.
///
/// # Errors
/// If an oracle cannot work, or the store cannot be used.
pub(crate) fn record_versions(
    store: &mut Store,
    saved: &Saved,
    env: &Env,
) -> Result<(), CampaignError> {
    let header = store.header()?;
    if !header.config.campaign.versions || !saved.finding.verdict.is_finding() {
        return Ok(());
    }
    let finding = Job::resumed(store, saved.clone())?.finding;
    let campaign = entry(saved.family).at_hand(&header.targets, &header.config, env)?;
    if let Some(versions) = campaign.versions(&finding)? {
        store.save_versions(saved.id, &versions)?;
    }
    Ok(())
}
