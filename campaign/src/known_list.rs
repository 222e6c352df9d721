//! The known bugs of a campaign: its file, its store, and what each has that the other lacks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::any_campaign::AnyCampaign;
use crate::error::CampaignError;
use crate::files::read_text;
use crate::finding::Finding;
use crate::known::{
    Identity, KNOWN_FILE, KnownBug, Learned, MAX_KNOWN, add_known, parse_known, read_known,
};
use crate::memory::Memory;
use crate::store::Store;

/// The file of a campaign, and which bugs of the campaign's findings it has.
#[derive(Debug)]
pub(crate) struct KnownList {
    path: PathBuf,
    /// Bugs that people or other campaigns have written, from which nothing is learned.
    given: Vec<KnownBug>,
    /// Bugs that were learned and are in the file.
    written: BTreeSet<Identity>,
    /// Bugs that were learned before, each with the finding it was learned from and what people have
    /// made of it.
    edited: Vec<(Finding, KnownBug)>,
}

impl KnownList {
    /// That of a campaign. What its findings show and its file lacks is added to the file: it was
    /// stopped in between, or someone has removed it.
    pub(crate) fn open(store: &Store) -> Result<Self, CampaignError> {
        let path = store.dir().join(KNOWN_FILE);
        let mut list =
            Self { given: Vec::new(), written: BTreeSet::new(), edited: Vec::new(), path };
        for bug in read_known(&list.path)? {
            let from = bug.learned.as_ref().map(|learned| &learned.finding);
            let saved = from.map(|name| store.finding_named(name)).transpose()?.flatten();
            match saved {
                Some(saved) => {
                    list.written
                        .extend(KnownBug::of(&saved.finding).as_ref().map(KnownBug::identity));
                    list.edited.push((saved.finding, bug));
                }
                None => list.given.push(bug),
            }
        }
        for id in store.ids()? {
            let saved = store.finding(id)?;
            list.note(&saved.name, &saved.finding)?;
        }
        Ok(list)
    }

    /// The bugs that are known from the start.
    pub(crate) fn given(&self) -> &[KnownBug] {
        &self.given
    }

    /// Tells a campaign of everything that is not in its findings.
    pub(crate) fn tell(&self, memory: &Memory) {
        memory.give(self.given.iter().cloned());
        for (finding, bug) in &self.edited {
            memory.edit(finding, bug.clone());
        }
    }

    /// Adds the bug that a finding shows, if it is new.
    pub(crate) fn note(&mut self, name: &str, finding: &Finding) -> Result<(), CampaignError> {
        let Some(mut bug) = KnownBug::of(finding) else { return Ok(()) };
        let is_given =
            |known: &KnownBug| known.condition == bug.condition && known.is_of(&finding.target);
        if self.given.iter().any(is_given) || !self.written.insert(bug.identity()) {
            return Ok(());
        }
        let cluster = finding.signature.as_ref().map(pathsmith_oracles::Signature::key);
        bug.learned =
            Some(Learned { finding: name.to_owned(), cluster: cluster.unwrap_or_default() });
        Ok(add_known(&self.path, &[bug])?)
    }
}

/// Brings the bugs of a file, which is another campaign's, into the folder of a campaign.
pub(crate) fn import_known(from: &Path, dir: &Path) -> Result<(), CampaignError> {
    Ok(add_known(&dir.join(KNOWN_FILE), &imported(from)?)?)
}

/// Checks that a file can be brought in, and that targets take its conditions.
pub(crate) fn check_import(
    from: &Path,
    campaigns: &[Box<dyn AnyCampaign>],
) -> Result<(), CampaignError> {
    let bugs = imported(from)?;
    campaigns.iter().try_for_each(|campaign| campaign.check_known(&bugs))
}

fn imported(from: &Path) -> Result<Vec<KnownBug>, CampaignError> {
    // A file that is asked for has to be there.
    let text = read_text(from, MAX_KNOWN)
        .map_err(|source| CampaignError::Read { path: from.to_owned(), source })?;
    let mut bugs = parse_known(&text, from)?;
    // Its findings are not those of this campaign.
    bugs.iter_mut().for_each(|bug| bug.learned = None);
    Ok(bugs)
}
