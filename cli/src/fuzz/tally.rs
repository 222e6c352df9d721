//! What happens in a campaign: recorded, counted and told.

use std::collections::{BTreeMap, BTreeSet};

use pathsmith_campaign::{Done, Event, Finding, Job, Jobs, KindName, Reduced, Stats, Store};

use super::display::{Display, Now};
use crate::errors::Failure;
use crate::targets::AnyCampaign;

/// What happened so far.
pub(super) struct Tally {
    store: Store,
    display: Display,
    now: Now,
    /// The clusters that are known.
    clusters: BTreeSet<String>,
    /// Where findings of each kind wait to be reduced; nothing where they are not to be.
    jobs: BTreeMap<KindName, Jobs>,
}

impl Tally {
    pub(super) fn new(
        store: Store,
        campaigns: &[AnyCampaign],
        reduce: bool,
        display: Display,
    ) -> Result<Self, Failure> {
        let mut now = Now::default();
        for campaign in campaigns {
            now.before.add(&store.progress(campaign.name())?.1);
        }
        for (verdict, n) in store.counts()? {
            now.findings.insert(verdict, n);
        }
        let clusters: BTreeSet<String> =
            store.clusters()?.into_iter().map(|(key, _)| key).collect();
        now.n_clusters = clusters.len();
        now.n_flaky = store.flaky()?.len();
        let with_jobs = campaigns.iter().filter(|_| reduce);
        let jobs = with_jobs.map(|campaign| (campaign.name(), campaign.jobs().clone())).collect();
        Ok(Self { store, display, now, clusters, jobs })
    }

    /// The batches that are done.
    pub(super) fn done(&self, kind: KindName) -> Result<Done, Failure> {
        Ok(self.store.progress(kind)?.0)
    }

    pub(super) fn event(&mut self, event: Event) -> Result<(), Failure> {
        match event {
            Event::Batch { kind, number, stats } => {
                self.store.finish_batch(kind, number, &stats)?;
                self.now.stats.add(&stats);
            }
            Event::Unfinished(stats) => self.now.stats.add(&stats),
            Event::Found(kind, finding) => self.found(kind, *finding)?,
            Event::Reduced(reduced) => self.reduced(&reduced)?,
            Event::Flaky(flaky) => {
                self.store.record_flaky(&flaky)?;
                self.now.n_flaky = self.store.flaky()?.len();
                self.display.flaky(&flaky);
            }
            Event::InfrastructureFailure { target, why } => {
                self.display.infrastructure_failure(&target, &why)
            }
        }
        self.display.show(&self.now);
        Ok(())
    }

    fn found(&mut self, kind: KindName, finding: Finding) -> Result<(), Failure> {
        let Some(saved) = self.store.record(kind, &finding)? else { return Ok(()) };
        let folder = self.store.dir().join(&saved.name);
        finding.write(&folder)?;
        *self.now.findings.entry(finding.verdict.name().to_owned()).or_default() += 1;
        self.display.found(&finding, &folder)?;
        let cluster = finding.signature.as_ref().map(pathsmith_oracles::Signature::key);
        let is_new = cluster.is_some_and(|key| self.clusters.insert(key));
        self.now.n_clusters = self.clusters.len();
        if is_new && let Some(jobs) = self.jobs.get(&kind) {
            jobs.add(Job { id: saved.id, finding, n_tests: 0 });
        }
        Ok(())
    }

    fn reduced(&mut self, reduced: &Reduced) -> Result<(), Failure> {
        let Reduced { id, reduction, pass } = reduced;
        self.store.save_reduction(*id, reduction)?;
        let name = self.store.finding(*id)?.name;
        if reduction.is_done {
            reduction.finding.write(&self.store.dir().join(&name).join("reduced"))?;
            self.display.reduced(&name, reduction);
            self.now.reducing.remove(id);
        } else {
            let size = reduction.finding.size();
            let n_tests = reduction.n_tests;
            let line = format!("{name}: {size} statements after {n_tests} tests, {pass}");
            self.now.reducing.insert(*id, line);
        }
        Ok(())
    }

    pub(super) fn finish(&mut self, is_stopped: bool) -> Result<(), Failure> {
        self.display.finish(&self.now, is_stopped)
    }

    /// Whether anything was found, now or before.
    pub(super) fn has_findings(&self) -> Result<bool, Failure> {
        Ok(!self.store.counts()?.is_empty())
    }
}

/// All that was done, now and before.
pub(super) fn total(now: &Now) -> Stats {
    let mut all = now.before.clone();
    all.add(&now.stats);
    all
}
