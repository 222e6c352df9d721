//! What happens in a campaign: recorded, counted and reported.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use pathsmith_oracles::Signature;

use crate::activity::{Activity, Stage};
use crate::any_campaign::AnyCampaign;
use crate::budget::CampaignConfig;
use crate::campaign::{Event, Stopping};
use crate::error::CampaignError;
use crate::family::TargetFamily;
use crate::finding::Finding;
use crate::known::KnownError;
use crate::known_list::KnownList;
use crate::oversized::Oversized;
use crate::reduce::{Job, Jobs, Reduced};
use crate::stats::Stats;
use crate::store::{Done, Flaky, Reduction, Store};

/// How a campaign stands.
#[derive(Clone, Debug, Default)]
pub struct CampaignState {
    /// What was done before it was resumed.
    pub before: Stats,
    /// What was done since.
    pub stats: Stats,
    /// How many findings there are of each verdict.
    pub findings: BTreeMap<String, u64>,
    /// How many clusters they form.
    pub n_clusters: usize,
    /// How many failures were of known bugs.
    pub n_known: u64,
    /// How many times something was flaky.
    pub n_flaky: usize,
    /// How many targets and settings do not work any more.
    pub n_lost: usize,
    /// What is at triage, by its case and variant.
    pub triaging: BTreeMap<(u64, u32), String>,
    /// What is being reduced, and how far it is.
    pub reducing: BTreeMap<i64, String>,
    /// How many findings wait to be reduced.
    pub n_waiting: usize,
    /// How many threads are at each stage, in the order of [`Stage::ALL`].
    pub stages: [usize; Stage::ALL.len()],
    /// How far each family is.
    pub families: BTreeMap<TargetFamily, FamilyState>,
}

/// How far the campaign against a family is.
#[derive(Clone, Copy, Debug, Default)]
pub struct FamilyState {
    /// How many cases were tried, now and before.
    pub n_tried: u64,
    /// How many there are to be.
    pub count: Option<u64>,
    /// When it stops.
    pub deadline: Option<Instant>,
}

impl CampaignState {
    /// All that was done, now and before.
    pub fn total(&self) -> Stats {
        let mut all = self.before.clone();
        all.add(&self.stats);
        all
    }

    /// How long it runs at most from now on, if every family has a limit.
    pub fn time_left(&self) -> Option<Duration> {
        let deadlines = self.families.values().map(|family| family.deadline);
        let last = deadlines.collect::<Option<Vec<Instant>>>()?.into_iter().max()?;
        Some(last.saturating_duration_since(Instant::now()))
    }

    /// How many cases are tested at most from now on, if every family has a limit.
    pub fn cases_left(&self) -> Option<u64> {
        let left = |family: &FamilyState| Some(family.count?.saturating_sub(family.n_tried));
        let left = self.families.values().map(left).collect::<Option<Vec<u64>>>()?;
        (!left.is_empty()).then(|| left.into_iter().sum())
    }
}

/// How many cases the numbers of some batches stand for.
fn n_tried(stats: &Stats) -> u64 {
    stats.n_cases + stats.n_unsolved + stats.n_oversized
}

/// Something that is worth a line. It is recorded already.
#[derive(Clone, Copy, Debug)]
pub enum Notice<'a> {
    /// A finding is confirmed. If its verdict is no finding, it is a possible bug of pathsmith.
    Found {
        /// The finding.
        finding: &'a Finding,
        /// Its folder.
        folder: &'a Path,
    },
    /// A failure is confirmed, and is at triage, which can take minutes.
    Confirmed {
        /// What it is.
        what: &'a str,
    },
    /// A finding is reduced.
    Reduced {
        /// The name of its folder.
        name: &'a str,
        /// What it was reduced to.
        reduction: &'a Reduction,
    },
    /// Something was seen once, and not again.
    Flaky(&'a Flaky),
    /// A target, or one of its settings, does not work any more.
    TargetLost {
        /// Which one.
        target: &'a str,
        /// Why.
        why: &'a str,
    },
    /// A case is left out.
    Oversized(&'a Oversized),
    /// A target could not be run.
    InfrastructureFailure {
        /// Which one.
        target: &'a str,
        /// Why.
        why: &'a str,
    },
}

/// Shows a campaign to people or programs.
pub trait Reporter: Send {
    /// Something has happened.
    ///
    /// # Errors
    /// If it cannot be written and the campaign has to stop.
    fn notice(&mut self, notice: Notice<'_>) -> io::Result<()>;

    /// How it stands now; called often.
    fn progress(&mut self, state: &CampaignState);

    /// The campaign has ended, or was stopped.
    ///
    /// # Errors
    /// If it cannot be written.
    fn finish(&mut self, state: &CampaignState, is_stopped: bool) -> io::Result<()>;
}

/// Records, counts and reports what happens.
pub(crate) struct Tally<'a> {
    store: &'a mut Store,
    reporter: &'a mut dyn Reporter,
    state: CampaignState,
    /// The known bugs.
    known: KnownList,
    /// The clusters that are known.
    clusters: BTreeSet<String>,
    /// Where findings of each family wait to be reduced; nothing if they are not to be.
    jobs: BTreeMap<TargetFamily, Jobs>,
    /// Where they wait to be run on all versions at hand; nothing if they are not to be.
    replays: BTreeMap<TargetFamily, Jobs>,
    /// What the threads of all campaigns are doing.
    activities: Vec<Activity>,
}

impl<'a> Tally<'a> {
    pub(crate) fn new(
        store: &'a mut Store,
        campaigns: &[Box<dyn AnyCampaign>],
        known: KnownList,
        config: &CampaignConfig,
        reporter: &'a mut dyn Reporter,
    ) -> Result<Self, CampaignError> {
        let mut state = CampaignState::default();
        for campaign in campaigns {
            let before = store.progress(campaign.family())?.1;
            let family = FamilyState { n_tried: n_tried(&before), ..FamilyState::default() };
            state.families.insert(campaign.family(), family);
            state.before.add(&before);
        }
        state.findings.extend(store.counts()?);
        let clusters: BTreeSet<String> =
            store.clusters()?.into_iter().map(|(key, _)| key).collect();
        state.n_clusters = clusters.len();
        state.n_flaky = store.flaky()?.len();
        state.n_known = store.n_sightings()?;
        let with_jobs = campaigns.iter().filter(|_| config.reduce);
        let jobs = with_jobs.map(|campaign| (campaign.family(), campaign.jobs().clone())).collect();
        let replayed = campaigns.iter().filter(|_| config.versions);
        let replays =
            replayed.map(|campaign| (campaign.family(), campaign.replays().clone())).collect();
        let activities = campaigns.iter().map(|campaign| campaign.activity().clone()).collect();
        Ok(Self { store, reporter, state, known, clusters, jobs, replays, activities })
    }

    /// Says when the campaign against a family stops by itself.
    pub(crate) fn start(&mut self, family: TargetFamily, stopping: Stopping) {
        let state = self.state.families.entry(family).or_default();
        (state.count, state.deadline) = (stopping.count, stopping.deadline);
    }

    /// Shows how it stands.
    pub(crate) fn show(&mut self) {
        let count = |stage| self.activities.iter().map(|one| one.n_threads(stage)).sum();
        self.state.stages = Stage::ALL.map(count);
        self.state.n_waiting = self.jobs.values().map(Jobs::n_waiting).sum();
        self.reporter.progress(&self.state);
    }

    /// The batches that are done.
    pub(crate) fn done(&self, family: TargetFamily) -> Result<Done, CampaignError> {
        Ok(self.store.progress(family)?.0)
    }

    pub(crate) fn event(&mut self, event: Event) -> Result<(), CampaignError> {
        match event {
            Event::BatchDone { family, number, stats, missed, grown } => {
                self.store.finish_batch(family, number, &stats, &missed, &grown)?;
                self.state.families.entry(family).or_default().n_tried += n_tried(&stats);
                self.state.stats.add(&stats);
            }
            Event::BatchUnfinished(stats) => self.state.stats.add(&stats),
            Event::Triaging { number, variant, what } => {
                self.report(Notice::Confirmed { what: &what })?;
                self.state.triaging.insert((number, variant), what);
            }
            Event::Found(family, finding) => self.found(family, *finding)?,
            Event::Reduced(reduced) => self.reduced(&reduced)?,
            Event::Versions { id, versions } => self.store.save_versions(id, &versions)?,
            Event::Sighted(sighting) => {
                self.state.n_known += u64::from(self.store.record_sighting(&sighting)?);
            }
            Event::Flaky(flaky) => {
                self.store.record_flaky(&flaky)?;
                self.state.n_flaky = self.store.flaky()?.len();
                self.report(Notice::Flaky(&flaky))?;
            }
            Event::TargetLost { target, why } => {
                self.state.n_lost += 1;
                self.report(Notice::TargetLost { target: &target, why: &why })?;
            }
            Event::Oversized(case) => self.report(Notice::Oversized(&case))?,
            Event::InfrastructureFailure { target, why } => {
                self.report(Notice::InfrastructureFailure { target: &target, why: &why })?;
            }
        }
        self.show();
        Ok(())
    }

    fn report(&mut self, notice: Notice<'_>) -> Result<(), CampaignError> {
        self.reporter.notice(notice).map_err(CampaignError::Report)
    }

    fn found(&mut self, family: TargetFamily, finding: Finding) -> Result<(), CampaignError> {
        self.state.triaging.remove(&(finding.number, finding.variant));
        let Some(saved) = self.store.record(family, &finding)? else { return Ok(()) };
        let folder = self.store.folder_of(&saved)?;
        finding.write(&folder)?;
        match self.known.note(&saved.name, &finding) {
            // Someone is editing the file. What is missing is added when the campaign is resumed.
            Ok(()) | Err(CampaignError::Known(KnownError::Malformed { .. })) => {}
            Err(error) => return Err(error),
        }
        *self.state.findings.entry(finding.verdict.name().to_owned()).or_default() += 1;
        self.report(Notice::Found { finding: &finding, folder: &folder })?;
        let cluster = finding.signature.as_ref().map(Signature::key);
        let is_new = cluster.is_some_and(|key| self.clusters.insert(key));
        self.state.n_clusters = self.clusters.len();
        // What is reduced is run on other versions afterwards.
        let queue = self.jobs.get(&family).or_else(|| self.replays.get(&family));
        if is_new && let Some(queue) = queue {
            queue.add(Job { id: saved.id, finding, n_tests: 0, is_reduced: false });
        }
        Ok(())
    }

    fn reduced(&mut self, reduced: &Reduced) -> Result<(), CampaignError> {
        let Reduced { id, reduction, pass } = reduced;
        self.store.save_reduction(*id, reduction)?;
        let saved = self.store.finding(*id)?;
        let name = &saved.name;
        if reduction.is_done {
            reduction.finding.write(&self.store.folder_of(&saved)?.join("reduced"))?;
            self.state.reducing.remove(id);
            self.report(Notice::Reduced { name, reduction })?;
            if let Some(replays) = self.replays.get(&saved.family) {
                let finding = reduction.finding.clone();
                replays.add(Job { id: *id, finding, n_tests: 0, is_reduced: true });
            }
        } else {
            let size = reduction.finding.size();
            let n_tests = reduction.n_tests;
            let line = format!("{name}: {size} statements after {n_tests} tests, {pass}");
            self.state.reducing.insert(*id, line);
        }
        Ok(())
    }

    pub(crate) fn finish(&mut self, is_stopped: bool) -> Result<(), CampaignError> {
        self.reporter.finish(&self.state, is_stopped).map_err(CampaignError::Report)
    }
}
