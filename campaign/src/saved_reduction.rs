//! Reducing findings that a store has.

use std::path::{Path, PathBuf};

use crate::any_campaign::AnyCampaign;
use crate::cluster_versions::record_versions;
use crate::error::CampaignError;
use crate::reduce::{Job, Reduced};
use crate::registry::{Env, entry};
use crate::store::{Reduction, Saved, Store, StoreError};

impl Job {
    /// A finding to be reduced, from where its reduction was left.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn resumed(store: &Store, saved: Saved) -> Result<Self, StoreError> {
        let started = store.reduction(saved.id)?;
        let n_tests = started.as_ref().map_or(0, |started| started.n_tests);
        let is_reduced = started.as_ref().is_some_and(|started| started.is_done);
        let finding = started.map_or(saved.finding, |started| started.finding);
        Ok(Self { id: saved.id, finding, n_tests, is_reduced })
    }
}

/// The folder of the campaign that a folder belongs to, which is that of a finding or of a campaign.
///
/// # Errors
/// If the folder is neither.
pub fn campaign_of(folder: &Path) -> Result<PathBuf, CampaignError> {
    match Store::read(folder) {
        Ok(_) => return Ok(folder.to_owned()),
        Err(StoreError::None(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let path = folder
        .canonicalize()
        .map_err(|source| CampaignError::Read { path: folder.to_owned(), source })?;
    match path.parent() {
        Some(dir) if path.file_name().is_some() => Ok(dir.to_owned()),
        _ => Err(StoreError::None(folder.to_owned()).into()),
    }
}

/// The store that a folder belongs to, and the findings in it that are meant: the folder is that
/// of a finding, or that of a campaign, which stands for one finding of each cluster that is not
/// reduced yet.
///
/// # Errors
/// If the folder is neither.
pub fn findings_in(folder: &Path) -> Result<(Store, Vec<i64>), CampaignError> {
    let dir = campaign_of(folder)?;
    let store = Store::open(&dir)?;
    if dir == folder {
        let ids = store.unreduced()?;
        return Ok((store, ids));
    }
    let path = folder
        .canonicalize()
        .map_err(|source| CampaignError::Read { path: folder.to_owned(), source })?;
    let name = path.file_name().unwrap_or_default();
    let found = store.finding_named(&name.to_string_lossy())?;
    let saved = found.ok_or_else(|| {
        CampaignError::Request(format!("the campaign in {} has no such finding", dir.display()))
    })?;
    Ok((store, vec![saved.id]))
}

/// A finding of a store that was reduced.
#[derive(Debug)]
pub struct SavedReduction {
    /// The folder of what is left.
    pub folder: PathBuf,
    /// What is left; nothing if this version cannot run the finding.
    pub last: Option<Reduction>,
    /// Whether it was reduced before, so that nothing was done.
    pub was_done: bool,
    /// The campaign that did it.
    pub campaign: Box<dyn AnyCampaign>,
}

/// Reduces a finding of a store on `n_jobs` threads, from where that was left, or from the start if
/// `restart`. One that is reduced, and was given a file that shows it, is left as it is. Every step is recorded, and passed to `on_step`; what is left goes to the folder
/// `reduced` in the finding's.
///
/// # Errors
/// If an oracle cannot work, or what is left cannot be saved.
pub fn reduce_saved(
    store: &mut Store,
    saved: &Saved,
    restart: bool,
    n_jobs: usize,
    env: &Env,
    mut on_step: impl FnMut(&Reduced),
) -> Result<SavedReduction, CampaignError> {
    let campaign = entry(saved.family).without_targets(&store.header()?.config, env)?;
    let folder = store.folder_of(saved)?.join("reduced");
    let finished = store.reduction(saved.id)?.filter(|known| known.is_done && !restart);
    if let Some(finished) = finished.filter(|known| known.finding.bug.is_some()) {
        return Ok(SavedReduction { folder, last: Some(finished), was_done: true, campaign });
    }
    let job = match restart {
        true => Job { id: saved.id, finding: saved.finding.clone(), n_tests: 0, is_reduced: false },
        false => Job::resumed(store, saved.clone())?,
    };
    let mut result = Ok(());
    let mut last = None;
    campaign.reduce(job, n_jobs, &mut |reduced: Reduced| {
        on_step(&reduced);
        if result.is_ok() {
            result = store.save_reduction(saved.id, &reduced.reduction);
        }
        last = Some(reduced.reduction);
    })?;
    result?;
    if let Some(last) = last.as_ref().filter(|last| last.is_done) {
        last.finding.write(&folder)?;
        record_versions(store, saved, env)?;
    }
    Ok(SavedReduction { folder, last, was_done: false, campaign })
}
