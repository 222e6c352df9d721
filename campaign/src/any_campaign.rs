//! A campaign against whatever family of targets.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use pathsmith_oracles::c::SourceReduction;
use pathsmith_oracles::{OracleError, Signature};

use crate::activity::Activity;
use crate::campaign::{Campaign, Event, Stopping};
use crate::discover::Discover;
use crate::error::CampaignError;
use crate::family::TargetFamily;
use crate::finding::{Finding, SerializeError};
use crate::known::KnownBug;
use crate::memory::Memory;
use crate::plan::Plan;
use crate::reduce::{Job, Jobs, Reduced};
use crate::revisit::ReplayOn;
use crate::store::{Done, Identity, Store, StoreError};
use crate::versions::{Replayed, Versions};

/// A [`Campaign`] whose family is known only when it runs. The methods are those of [`Campaign`].
pub trait AnyCampaign: Debug + Send + Sync {
    /// The family of its targets.
    fn family(&self) -> TargetFamily;

    /// What it tests, one line for each target.
    fn target_lines(&self) -> Vec<String>;

    /// What people should know of its targets: what was left out, and why.
    fn notes(&self) -> &[String];

    /// The identities of its targets, by their names.
    fn identities(&self) -> BTreeMap<String, Identity>;

    /// Whether a target, or one of its settings, does not work any more.
    fn has_lost(&self) -> bool;

    /// A checksum of what this version generates from the first few numbers of the seed.
    ///
    /// # Errors
    /// As for [`Campaign::fingerprint`].
    fn fingerprint(&self) -> Result<String, CampaignError>;

    /// Runs it.
    ///
    /// # Errors
    /// As for [`Campaign::run`].
    fn run(
        &self,
        done: Done,
        stopping: Stopping,
        n_jobs: usize,
        on_event: &mut dyn FnMut(Event) -> Result<(), CampaignError>,
    ) -> Result<(), CampaignError>;

    /// Takes note of a finding, so that later targets can be like the one that showed it.
    fn learn(&self, finding: &Finding);

    /// What it has learned.
    fn memory(&self) -> &Memory;

    /// Checks that its targets take the conditions of known bugs.
    ///
    /// # Errors
    /// As for [`Campaign::check_known`].
    fn check_known(&self, bugs: &[KnownBug]) -> Result<(), CampaignError>;

    /// How many cases a batch has.
    fn cases_per_batch(&self) -> u64;

    /// How the cases of a batch are made.
    fn plan(&self, batch: u64) -> Arc<Plan>;

    /// Gives a finding its files, if this version can lower it.
    ///
    /// # Errors
    /// As for [`Campaign::add_files`].
    fn add_files(&self, finding: &mut Finding) -> Result<(), SerializeError>;

    /// Reduces a finding on `n_jobs` threads.
    ///
    /// # Errors
    /// As for [`Campaign::reduce`].
    fn reduce(
        &self,
        job: Job,
        n_jobs: usize,
        on_step: &mut dyn FnMut(Reduced),
    ) -> Result<(), CampaignError>;

    /// Reduces the source text of a finding, if its language has tools for that.
    ///
    /// # Errors
    /// If an oracle cannot work.
    fn source_reduce(
        &self,
        finding: &Finding,
        n_jobs: usize,
        time: Duration,
    ) -> Result<SourceReduction, OracleError>;

    /// What a finding is deduplicated by; `None` if it does not show any more.
    ///
    /// # Errors
    /// As for [`Campaign::signature`].
    fn signature(&self, finding: &Finding) -> Result<Option<Signature>, OracleError>;

    /// What targets make of a finding that are like the one that showed it.
    ///
    /// # Errors
    /// As for [`Campaign::replay`].
    fn replay(&self, finding: &Finding, on: ReplayOn) -> Result<Vec<Replayed>, CampaignError>;

    /// What all versions at hand make of a finding.
    ///
    /// # Errors
    /// As for [`Campaign::versions`].
    fn versions(&self, finding: &Finding) -> Result<Option<Versions>, CampaignError>;

    /// Findings that wait to be reduced.
    fn jobs(&self) -> &Jobs;

    /// Findings that wait to be run on all versions at hand.
    fn replays(&self) -> &Jobs;

    /// What its threads are doing.
    fn activity(&self) -> &Activity;

    /// Whether it has to stop.
    fn is_over(&self, stopping: Stopping) -> bool;
}

/// Tells a campaign what it did and found before, as far as it can be read.
///
/// # Errors
/// If the store cannot be read.
pub(crate) fn remember(store: &Store, campaign: &dyn AnyCampaign) -> Result<(), StoreError> {
    for (epoch, counts) in store.arms(campaign.family())? {
        campaign.memory().add_arms(epoch, &counts);
    }
    campaign.memory().grow(store.grown(campaign.family())?.0);
    for id in store.ids()? {
        let saved = store.finding(id)?;
        if saved.family == campaign.family() {
            campaign.learn(&saved.finding);
        }
    }
    Ok(())
}

impl<F: Discover> AnyCampaign for Campaign<F> {
    fn family(&self) -> TargetFamily {
        F::FAMILY
    }

    fn target_lines(&self) -> Vec<String> {
        self.family.target_lines()
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn identities(&self) -> BTreeMap<String, Identity> {
        self.identities()
    }

    fn has_lost(&self) -> bool {
        self.has_lost()
    }

    fn fingerprint(&self) -> Result<String, CampaignError> {
        self.fingerprint()
    }

    fn run(
        &self,
        done: Done,
        stopping: Stopping,
        n_jobs: usize,
        on_event: &mut dyn FnMut(Event) -> Result<(), CampaignError>,
    ) -> Result<(), CampaignError> {
        self.run(done, stopping, n_jobs, on_event)
    }

    fn learn(&self, finding: &Finding) {
        self.family.learn(finding);
        self.memory.learn(finding);
    }

    fn memory(&self) -> &Memory {
        &self.memory
    }

    fn check_known(&self, bugs: &[KnownBug]) -> Result<(), CampaignError> {
        self.check_known(bugs)
    }

    fn cases_per_batch(&self) -> u64 {
        self.cases_per_batch()
    }

    fn plan(&self, batch: u64) -> Arc<Plan> {
        self.plan(batch)
    }

    fn add_files(&self, finding: &mut Finding) -> Result<(), SerializeError> {
        self.add_files(finding)
    }

    fn reduce(
        &self,
        job: Job,
        n_jobs: usize,
        on_step: &mut dyn FnMut(Reduced),
    ) -> Result<(), CampaignError> {
        self.reduce(job, n_jobs, on_step)
    }

    fn source_reduce(
        &self,
        finding: &Finding,
        n_jobs: usize,
        time: Duration,
    ) -> Result<SourceReduction, OracleError> {
        self.family.source_reduce(finding, self.stop.clone(), n_jobs, time)
    }

    fn signature(&self, finding: &Finding) -> Result<Option<Signature>, OracleError> {
        self.signature(finding)
    }

    fn replay(&self, finding: &Finding, on: ReplayOn) -> Result<Vec<Replayed>, CampaignError> {
        self.replay(finding, on)
    }

    fn versions(&self, finding: &Finding) -> Result<Option<Versions>, CampaignError> {
        self.versions(finding)
    }

    fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    fn replays(&self) -> &Jobs {
        &self.replays
    }

    fn activity(&self) -> &Activity {
        &self.activity
    }

    fn is_over(&self, stopping: Stopping) -> bool {
        self.is_over(stopping)
    }
}
