//! The campaign itself: batches on all threads, and what they show.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use pathsmith_backend::{Backend, LowerError, ProgramOptions};
use pathsmith_oracles::process::{Stop, thread_time};
use pathsmith_oracles::{Limits, OracleError, Spent, Verdict};
use pathsmith_symlang::Seed;
use pathsmith_symlang::lang::{IntTy, Program, ScalarTy};
use pathsmith_symlang::semantics::checksum::Crc32;

use crate::activity::{Activity, AtStage, Stage};
use crate::at_hand::AtHand;
use crate::batch::{Batch, Case};
use crate::batch_window::BatchWindow;
use crate::error::CampaignError;
use crate::family::{Artifact, Family, Options, TargetFamily};
use crate::finding::{Finding, SerializeError, TargetInfo};
use crate::growth::Grown;
use crate::lost::{Lost, Ran};
use crate::memory::Memory;
use crate::oversized::Oversized;
use crate::plan::Plan;
use crate::preflight::Preflight;
use crate::reduce::{Job, Jobs, Reduced};
use crate::reproducer::Reproducer;
use crate::shares::EPOCH;
use crate::sighting::{Explained, Sighting};
use crate::stats::{Purpose, Purposes, Stats, transform_stats};
use crate::store::{Done, Flaky, Identity};
use crate::versions::Versions;

/// How many cases the fingerprint covers, which tells whether two versions generate the same
/// programs. A guess: enough to notice most changes of the generator.
const FINGERPRINT_CASES: u64 = 8;

/// A campaign against one target family.
#[derive(Debug)]
pub struct Campaign<F: Family> {
    /// The targets, with their backend and oracle.
    pub family: F,
    /// What tells whether a target still works.
    pub(crate) preflight: Preflight<F>,
    /// What people should know of its targets: what was left out, and why.
    pub notes: Vec<String>,
    /// What does not work any more.
    pub(crate) lost: Lost,
    /// How cases are made at first.
    pub plan: Plan,
    /// What each process may use.
    pub limits: Limits,
    /// The RNG seed.
    pub seed: u64,
    /// Whether findings are deduplicated by what triggers them.
    pub triage: bool,
    /// The wish to stop it.
    pub stop: Stop,
    /// Findings that wait to be reduced.
    pub jobs: Jobs,
    /// Findings that wait to be run on all versions at hand.
    pub replays: Jobs,
    /// All targets of the family on this machine.
    pub(crate) at_hand: AtHand<F>,
    /// The share of compilations that known bugs are suppressed in from the start.
    pub known_off: f64,
    /// Whether what shows new bugs is drawn more often.
    pub adaptive: bool,
    /// What it has learned.
    pub memory: Memory,
    /// What its threads are doing.
    pub activity: Activity,
}

/// When a campaign stops by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stopping {
    /// After so many cases: functions or programs.
    pub count: Option<u64>,
    /// At that moment.
    pub deadline: Option<Instant>,
}

impl Stopping {
    pub(crate) fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// What happens in a campaign.
#[derive(Debug)]
pub enum Event {
    /// A batch is done.
    BatchDone {
        /// The target family.
        family: TargetFamily,
        /// Its number.
        number: u64,
        /// Its figures.
        stats: Stats,
        /// The targets and settings that it could not be run on.
        missed: BTreeSet<String>,
        /// Its cases that show features that were news to it.
        grown: Vec<Grown>,
    },
    /// A batch was left unfinished, because the campaign stops; it has to run again.
    BatchUnfinished(Stats),
    /// Something was found, and confirmed alone. If its verdict is no finding, it is a possible
    /// bug of pathsmith.
    Found(TargetFamily, Box<Finding>),
    /// A failure was confirmed whose bug is not known, and is at triage.
    Triaging {
        /// The number of its case.
        number: u64,
        /// Which variant of it.
        variant: u32,
        /// What it is, for people.
        what: String,
    },
    /// A failure was confirmed whose bug is known.
    Sighted(Sighting),
    /// Something was seen once, and not again.
    Flaky(Flaky),
    /// A target, or one of its settings, does not work any more. It is not asked again.
    TargetLost {
        /// Which one.
        target: String,
        /// Why.
        why: String,
    },
    /// A case is left out.
    Oversized(Oversized),
    /// A target could not be run.
    InfrastructureFailure {
        /// Which one.
        target: String,
        /// Why.
        why: String,
    },
    /// A finding is reduced further, or as far as it gets.
    Reduced(Box<Reduced>),
    /// A finding was run on all versions at hand.
    Versions {
        /// Its number in the store.
        id: i64,
        /// What they make of it.
        versions: Box<Versions>,
    },
}

impl<F: Family> Campaign<F> {
    /// Runs it on `n_jobs` threads, leaving out what is done already, and passes what happens to
    /// `on_event`, whose errors stop it.
    ///
    /// # Errors
    /// The first of `on_event`, or of an oracle that cannot work.
    pub fn run(
        &self,
        done: Done,
        stopping: Stopping,
        n_jobs: usize,
        on_event: &mut dyn FnMut(Event) -> Result<(), CampaignError>,
    ) -> Result<(), CampaignError> {
        let next = AtomicU64::new(done.below);
        let missed = Mutex::new(done.missed.clone());
        let window = BatchWindow::new(done);
        let (sender, receiver) = mpsc::sync_channel(64);
        std::thread::scope(|scope| {
            for _ in 0..n_jobs {
                let (sender, next, window) = (sender.clone(), &next, &window);
                let missed = &missed;
                scope.spawn(move || {
                    let result = self.family.oracle(self.stop.clone());
                    let result = result.map_err(CampaignError::from).and_then(|oracle| {
                        Worker {
                            campaign: self,
                            oracle,
                            stopping,
                            batch: 0,
                            explained: Vec::new(),
                            clock: thread_time(),
                            spent: Spent::default(),
                            purposes: Purposes::default(),
                            at: self.activity.begin(),
                            sender: &sender,
                        }
                        .work(missed, next, window)
                    });
                    if let Err(error) = result {
                        // No thread may wait for the batch that this one was at.
                        window.give_up();
                        let _ = sender.send(Err(error));
                    }
                });
            }
            drop(sender);
            let mut result = Ok(());
            for event in receiver {
                let handled = match event {
                    Ok(event) if result.is_ok() => on_event(event),
                    Ok(_) | Err(CampaignError::Oracle(OracleError::Stopped)) => Ok(()),
                    Err(error) => Err(error),
                };
                if let Err(error) = handled
                    && result.is_ok()
                {
                    result = Err(error);
                    self.stop.raise();
                }
            }
            result
        })
    }

    /// A checksum of what this version generates from the first few numbers of the seed.
    ///
    /// # Errors
    /// If they cannot be generated, which is a bug of pathsmith.
    pub fn fingerprint(&self) -> Result<String, CampaignError> {
        let mut checksum = Crc32::new();
        let per_batch = self.cases_per_batch();
        let (batch, options) = self.made(0, 0..per_batch.min(FINGERPRINT_CASES))?;
        let options =
            serde_json::to_string(&options).map_err(SerializeError::of("lowering options"))?;
        let corpus = self.plan.parents.corpus.iter().map(|known| known.program.to_string());
        for text in [batch.program.to_string(), options].into_iter().chain(corpus) {
            for byte in text.bytes() {
                checksum.add(ScalarTy::Int(IntTy::U8), byte.into());
            }
        }
        Ok(format!("{} {:08x}", F::FAMILY.as_str(), checksum.value()))
    }

    /// The identities of all targets, by their names.
    pub fn identities(&self) -> BTreeMap<String, Identity> {
        let infos =
            self.family.targets(self.seed, 0).into_iter().map(|target| F::describe(&target));
        let identity =
            |info: TargetInfo| (info.name, Identity { version: info.version, path: info.path });
        infos.map(identity).collect()
    }

    /// Whether a target, or one of its settings, does not work any more.
    pub fn has_lost(&self) -> bool {
        !self.lost.is_empty()
    }

    /// Gives a finding its files, if this version can lower it.
    ///
    /// # Errors
    /// If something of them cannot be written as JSON.
    pub fn add_files(&self, finding: &mut Finding) -> Result<(), SerializeError> {
        let Ok(known) = Reproducer::of(&self.family, finding) else { return Ok(()) };
        if let Ok(artifact) = self.family.backend().lower(&known.program, &known.options) {
            finding.files = F::files(finding, &known.target, &artifact)?;
        }
        Ok(())
    }

    /// Whether it has to stop.
    pub fn is_over(&self, stopping: Stopping) -> bool {
        stopping.is_over() || self.stop.is_raised()
    }

    /// How the cases of a batch are made.
    pub fn plan(&self, batch: u64) -> Arc<Plan> {
        self.memory.plan(&self.plan, self.adaptive, batch)
    }

    /// How many cases a batch has.
    pub fn cases_per_batch(&self) -> u64 {
        self.plan.generate.link.cases_of(self.family.functions_per_artifact())
    }

    /// Makes a batch, and draws its lowering options.
    fn made(&self, number: u64, cases: Range<u64>) -> Result<(Batch, Options<F>), OracleError> {
        let seed = Seed::new(self.seed);
        let dialect = self.family.backend().dialect();
        let plan = self.plan(number);
        let batch = Batch::generate(&plan, dialect, seed, cases).map_err(|error| {
            OracleError::Target { name: "pathsmith".to_owned(), why: error.to_string() }
        })?;
        let options = self.options_of(number, &batch.program);
        Ok((batch, options))
    }

    /// What we generate and choose can be lowered; if not, that is a bug of pathsmith, and no
    /// reason to panic.
    pub(crate) fn lowered(
        &self,
        program: &Program,
        options: &Options<F>,
    ) -> Result<Artifact<F>, OracleError> {
        self.family.backend().lower(program, options).map_err(|error| self.cannot_lower(&error))
    }

    pub(crate) fn cannot_lower(&self, error: &LowerError) -> OracleError {
        let name = self.family.backend().name().to_owned();
        OracleError::Target { name, why: format!("a program cannot be lowered: {error}") }
    }

    /// The options of some cases that follow each other.
    pub(crate) fn restricted(options: &Options<F>, cases: &[Case]) -> Options<F> {
        let (Some(first), Some(last)) = (cases.first(), cases.last()) else {
            return options.clone();
        };
        let functions = first.functions.start..last.functions.end;
        let globals = first.globals.start..last.globals.end;
        options.restricted(functions, globals)
    }
}

/// One thread.
pub(crate) struct Worker<'a, F: Family> {
    pub(crate) campaign: &'a Campaign<F>,
    pub(crate) oracle: F::Oracle,
    pub(crate) stopping: Stopping,
    /// The batch it is at.
    pub(crate) batch: u64,
    /// Failures of that batch whose bugs are known by now.
    pub(crate) explained: Vec<Explained>,
    /// Its CPU time when it was last looked at.
    clock: Duration,
    /// What targets took since the last batch that was recorded.
    spent: Spent,
    /// All CPU time since then.
    purposes: Purposes,
    /// What it is doing.
    pub(crate) at: AtStage,
    sender: &'a mpsc::SyncSender<Result<Event, CampaignError>>,
}

/// What came of running a batch.
struct RanBatch {
    stats: Stats,
    is_finished: bool,
    /// The targets and settings that it could not be run on.
    missed: BTreeSet<String>,
    /// Its cases that show features that were news to it.
    grown: Vec<Grown>,
}

impl<F: Family> Worker<'_, F> {
    fn work(
        &mut self,
        missed: &Mutex<BTreeMap<u64, BTreeSet<String>>>,
        next: &AtomicU64,
        window: &BatchWindow,
    ) -> Result<(), CampaignError> {
        let per_batch = self.campaign.cases_per_batch();
        let count = self.stopping.count.unwrap_or(u64::MAX);
        let cases_of = |number: u64| {
            let first = number.saturating_mul(per_batch);
            first..first.saturating_add(per_batch).min(count)
        };
        let next_missed = || missed.lock().unwrap_or_else(PoisonError::into_inner).pop_first();
        while let Some((number, targets)) = next_missed() {
            if self.is_over() {
                return Ok(());
            }
            self.batch = number;
            let ran = self.run_batch(cases_of(number), Some(&targets))?;
            if ran.is_finished {
                let (stats, missed) = (ran.stats.of_runs_alone(), ran.missed);
                let grown = Vec::new();
                self.send(Event::BatchDone { family: F::FAMILY, number, stats, missed, grown });
            }
        }
        loop {
            while let Some(job) = self.campaign.jobs.take() {
                self.reduce(job)?;
            }
            while !self.is_over()
                && let Some(job) = self.campaign.replays.take()
            {
                self.run_on_versions(&job)?;
            }
            let number = next.fetch_add(1, Ordering::Relaxed);
            let cases = cases_of(number);
            if cases.start >= count || self.is_over() {
                return Ok(());
            }
            if window.is_done(number) {
                continue;
            }
            if !window.wait(number) {
                return Ok(());
            }
            self.batch = number;
            let RanBatch { stats, is_finished, missed, grown } = self.run_batch(cases, None)?;
            if is_finished {
                self.campaign.memory.add_arms(number / EPOCH, &stats.arms);
                self.campaign.memory.grow(grown.iter().cloned());
                self.send(Event::BatchDone { family: F::FAMILY, number, stats, missed, grown });
                window.finish(number);
            } else {
                window.give_up();
                self.send(Event::BatchUnfinished(stats));
            }
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.campaign.is_over(self.stopping)
    }

    pub(crate) fn send(&self, event: Event) {
        // If no one listens any more, the campaign is stopping.
        let _ = self.sender.send(Ok(event));
    }

    /// Reduces a finding, as far as time allows.
    fn reduce(&mut self, job: Job) -> Result<(), CampaignError> {
        let campaign = self.campaign;
        let (sender, stopping) = (self.sender, self.stopping);
        let is_over = || campaign.is_over(stopping);
        let mut on_step = |reduced: Reduced| {
            let _ = sender.send(Ok(Event::Reduced(Box::new(reduced))));
        };
        self.at.enter(Stage::Reducing);
        let oracles = std::slice::from_mut(&mut self.oracle);
        let reduced = job.run(&campaign.family, oracles, &campaign.limits, &is_over, &mut on_step);
        self.at.enter(Stage::Testing);
        self.spend(Purpose::Reduce);
        match reduced {
            // It is not reduced, and will be when the campaign is resumed.
            Err(CampaignError::Oracle(OracleError::Unavailable { name: target, why })) => {
                self.send(Event::InfrastructureFailure { target, why });
                Ok(())
            }
            reduced => reduced,
        }
    }

    /// Runs a finding on all versions at hand.
    fn run_on_versions(&mut self, job: &Job) -> Result<(), CampaignError> {
        let versions = self.campaign.versions_with(&mut self.oracle, &job.finding);
        self.spend(Purpose::Triage);
        match versions {
            Ok(Some(versions)) => {
                self.send(Event::Versions { id: job.id, versions: Box::new(versions) });
                Ok(())
            }
            Ok(None) => Ok(()),
            // It will be when the campaign is resumed.
            Err(CampaignError::Oracle(OracleError::Io { what, source })) => {
                let target = job.finding.target.full_name();
                let why = format!("{what}: {source}");
                self.send(Event::InfrastructureFailure { target, why });
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// The CPU time since it was last looked at: ours and the targets'. Returns what targets took,
    /// too.
    pub(crate) fn lap(&mut self) -> (Duration, Spent) {
        let now = thread_time();
        let own = now.saturating_sub(self.clock);
        self.clock = now;
        let spent = F::take_spent(&mut self.oracle);
        self.spent.add(&spent);
        (own + spent.compile + spent.link + spent.run + spent.overhead, spent)
    }

    /// Accounts for the CPU time since it was last looked at.
    pub(crate) fn spend(&mut self, purpose: Purpose) -> Spent {
        let (time, spent) = self.lap();
        self.purposes.spend(purpose, time);
        spent
    }

    /// Accounts for CPU time that was looked at before.
    pub(crate) fn spend_time(&mut self, purpose: Purpose, time: Duration) {
        self.purposes.spend(purpose, time);
    }

    /// Generates a batch and runs it on all targets, or on those that it was not run on before. A batch
    /// is not finished if none of its targets works any more.
    fn run_batch(
        &mut self,
        numbers: Range<u64>,
        only: Option<&BTreeSet<String>>,
    ) -> Result<RanBatch, CampaignError> {
        let campaign = self.campaign;
        self.explained.clear();
        let started = thread_time();
        let (batch, options) = campaign.made(self.batch, numbers)?;
        let mutate = batch.mutating;
        let generate = (thread_time() - started).saturating_sub(mutate);
        let (making, _) = self.lap();
        self.spend_time(Purpose::Mutate, mutate.min(making));
        self.spend_time(Purpose::Generate, making.saturating_sub(mutate));
        let (batch, options, artifact) = campaign.lowered_batch(self.batch, batch, options)?;
        // What is run again was reported the first time.
        for case in batch.oversized.iter().filter(|_| only.is_none()) {
            self.send(Event::Oversized(case.clone()));
        }
        let lower = thread_time().saturating_sub(started + generate + mutate);
        self.spend(Purpose::Lower);
        let mut stats = Stats {
            n_batches: 1,
            n_cases: batch.cases.len() as u64,
            n_functions: batch.program.functions.len() as u64,
            n_realizations: batch.n_realizations(),
            n_unsolved: batch.n_unsolved,
            n_oversized: batch.oversized.len() as u64,
            n_variants: batch.cases.iter().filter(|case| case.variant > 0).count() as u64,
            n_without_variant: batch.n_without_variant,
            generate,
            mutate,
            lower,
            arms: batch.arms(),
            transforms: transform_stats(&batch.rejections),
            ..Stats::default()
        };
        let grown = match only {
            Some(_) => Vec::new(),
            None => self.look_for_features(&batch, &options, &artifact, &mut stats)?,
        };
        let mut is_finished = true;
        // A target that is not there now is missed as before.
        let mut missed = only.filter(|_| !batch.cases.is_empty()).cloned().unwrap_or_default();
        let mut n_run = 0;
        for target in campaign.targets(self.batch) {
            let name = F::describe(&target).full_name();
            if only.is_some_and(|only| !only.contains(&name)) {
                continue;
            }
            if batch.cases.is_empty() {
                break;
            }
            missed.remove(&name);
            if self.is_over() {
                is_finished = false;
                break;
            }
            let report = match self.run_if_available(&artifact, &target)? {
                Ran::Report(report) => report,
                Ran::Missed => {
                    stats.n_infrastructure_failures += 1;
                    missed.insert(name);
                    continue;
                }
                Ran::Refused => {
                    stats.n_infrastructure_failures += 1;
                    continue;
                }
            };
            n_run += 1;
            if report.verdict == Verdict::Skipped {
                stats.n_skipped += 1;
                continue;
            }
            let spent = self.spend(Purpose::Test);
            // That is no time of any one target.
            let is_believed = report.verdict == Verdict::Agrees
                || self.look_closer(&batch, &options, &target, &report)?;
            self.at.enter(Stage::Testing);
            if !is_believed {
                stats.n_infrastructure_failures += 1;
                missed.insert(name);
                continue;
            }
            stats.add_run(F::describe(&target).group(), report.n_checked, &spent);
        }
        // A batch that nothing is left to run on is no batch that was run.
        is_finished &= n_run > 0 || missed.is_empty() || !self.are_all_lost();
        stats.own = thread_time().saturating_sub(started + generate + mutate + lower);
        self.spend(Purpose::Test);
        // All that targets took, reducing findings since the last batch included.
        stats.spent = std::mem::take(&mut self.spent);
        stats.purposes = std::mem::take(&mut self.purposes);
        Ok(RanBatch { stats, is_finished, missed, grown })
    }
}

#[cfg(test)]
mod tests;
