//! The campaign itself: batches on all threads, and what they show.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use pathsmith_backend::Backend;
use pathsmith_generate::GenConfig;
use pathsmith_oracles::process::{Stop, thread_time};
use pathsmith_oracles::{Limits, Oracle, OracleError, Verdict};
use pathsmith_symlang::Seed;
use pathsmith_symlang::lang::{IntTy, Program, ScalarTy};
use pathsmith_symlang::semantics::checksum::Crc32;

use crate::batch::{Batch, Case};
use crate::finding::Finding;
use crate::kind::{Artifact, Kind, KindName, Options};
use crate::pace::Pace;
use crate::reduce::{Job, Jobs, Reduced};
use crate::stats::Stats;
use crate::store::{Done, Flaky};
use crate::trial::Trial;

/// How many cases are looked at to tell versions apart that make different programs.
const FINGERPRINT_CASES: u64 = 8;

/// A campaign against one kind of target.
#[derive(Debug)]
pub struct Campaign<K> {
    /// What it is against.
    pub kind: K,
    /// How functions are made.
    pub generate: GenConfig,
    /// What each process may use.
    pub limits: Limits,
    /// Where all randomness comes from.
    pub seed: u64,
    /// Whether findings are told apart by what they need.
    pub triage: bool,
    /// The wish to end it.
    pub stop: Stop,
    /// Findings that wait to be reduced.
    pub jobs: Jobs,
}

/// When a campaign ends by itself.
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
    Batch {
        /// The kind of target.
        kind: KindName,
        /// Its number.
        number: u64,
        /// What came of it.
        stats: Stats,
    },
    /// A batch was left unfinished, because the campaign ends; it has to be done again.
    Unfinished(Stats),
    /// Something was found, and seen again alone. Where its verdict is no finding, it is a bug of
    /// our own.
    Found(KindName, Box<Finding>),
    /// Something was seen, but not again.
    Flaky(Flaky),
    /// A target could not be run.
    InfrastructureFailure {
        /// Which one.
        target: String,
        /// Why.
        why: String,
    },
    /// A finding is reduced further, or as far as it gets.
    Reduced(Box<Reduced>),
}

impl<K: Kind> Campaign<K> {
    /// Runs it on `n_jobs` threads, leaving out what is done already, and tells `on_event` what
    /// happens. The errors of `on_event` end it.
    ///
    /// # Errors
    /// The first of `on_event`, or of an oracle that cannot work.
    pub fn run<E: From<OracleError>>(
        &self,
        done: Done,
        stopping: Stopping,
        n_jobs: usize,
        mut on_event: impl FnMut(Event) -> Result<(), E>,
    ) -> Result<(), E> {
        let next = AtomicU64::new(done.below);
        let pace = Pace::new(done);
        let (sender, receiver) = mpsc::sync_channel(64);
        std::thread::scope(|scope| {
            for _ in 0..n_jobs {
                let (sender, next, pace) = (sender.clone(), &next, &pace);
                scope.spawn(move || {
                    let result = self.kind.oracle(self.stop.clone()).and_then(|oracle| {
                        let batch = 0;
                        Worker { campaign: self, oracle, stopping, batch, sender: &sender }
                            .work(next, pace)
                    });
                    if let Err(error) = result {
                        // Nobody is to wait for what this thread was at.
                        pace.give_up();
                        let _ = sender.send(Err(error));
                    }
                });
            }
            drop(sender);
            let mut result = Ok(());
            for event in receiver {
                let handled = match event {
                    Ok(event) if result.is_ok() => on_event(event),
                    Ok(_) | Err(OracleError::Stopped) => Ok(()),
                    Err(error) => Err(error.into()),
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

    /// A checksum of what this version makes of the first few numbers of the seed.
    ///
    /// # Errors
    /// Where they cannot be made, which is a bug of our own.
    pub fn fingerprint(&self) -> Result<String, OracleError> {
        let mut checksum = Crc32::new();
        let per_batch = self.generate.link.cases_of(self.kind.functions_per_artifact());
        let (batch, options) = self.made(0, 0..per_batch.min(FINGERPRINT_CASES))?;
        let options = serde_json::to_string(&options).unwrap_or_default();
        for byte in batch.program.to_string().bytes().chain(options.bytes()) {
            checksum.add(ScalarTy::Int(IntTy::U8), byte.into());
        }
        Ok(format!("{} {:08x}", K::NAME.as_str(), checksum.value()))
    }

    /// The versions of all targets, by their names.
    pub fn versions(&self) -> BTreeMap<String, String> {
        let infos = self.kind.targets(self.seed, 0).into_iter().map(|target| K::describe(&target));
        infos.map(|info| (info.name, info.version)).collect()
    }

    /// Gives a finding its files, if this version can spell it.
    pub fn add_files(&self, finding: &mut Finding) {
        let Ok(trial) = Trial::of(&self.kind, finding) else { return };
        if let Ok(artifact) = self.kind.backend().lower(&trial.program, &trial.options) {
            finding.files = K::files(finding, &trial.target, &artifact);
        }
    }

    /// Whether it has to end.
    pub fn is_over(&self, stopping: Stopping) -> bool {
        stopping.is_over() || self.stop.is_raised()
    }

    /// Makes a batch, and draws how it is spelled.
    fn made(&self, number: u64, cases: Range<u64>) -> Result<(Batch, Options<K>), OracleError> {
        let seed = Seed::new(self.seed);
        let dialect = self.kind.backend().dialect();
        let batch = Batch::generate(&self.generate, dialect, seed, cases).map_err(|error| {
            OracleError::Target { name: "pathsmith".to_owned(), why: error.to_string() }
        })?;
        let mut rng = seed.child("lower").nth(number).rng();
        let options = self.kind.choose_options(&batch.program, &mut rng);
        Ok((batch, options))
    }

    /// What we make and choose can be lowered; if not, that is an error of ours, and no reason to
    /// panic.
    pub(crate) fn lowered(
        &self,
        program: &Program,
        options: &Options<K>,
    ) -> Result<Artifact<K>, OracleError> {
        let backend = self.kind.backend();
        backend.lower(program, options).map_err(|error| OracleError::Target {
            name: backend.name().to_owned(),
            why: format!("a program cannot be lowered: {error}"),
        })
    }

    /// The options of some cases that follow each other.
    pub(crate) fn restricted(&self, options: &Options<K>, cases: &[Case]) -> Options<K> {
        let (Some(first), Some(last)) = (cases.first(), cases.last()) else {
            return options.clone();
        };
        let functions = first.functions.start..last.functions.end;
        let globals = first.globals.start..last.globals.end;
        self.kind.restrict_options(options, functions, globals)
    }
}

/// One thread.
pub(crate) struct Worker<'a, K: Kind> {
    pub(crate) campaign: &'a Campaign<K>,
    pub(crate) oracle: K::Oracle,
    pub(crate) stopping: Stopping,
    /// The batch it is at.
    pub(crate) batch: u64,
    sender: &'a mpsc::SyncSender<Result<Event, OracleError>>,
}

impl<K: Kind> Worker<'_, K> {
    fn work(&mut self, next: &AtomicU64, pace: &Pace) -> Result<(), OracleError> {
        let per_artifact = self.campaign.kind.functions_per_artifact();
        let per_batch = self.campaign.generate.link.cases_of(per_artifact);
        let count = self.stopping.count.unwrap_or(u64::MAX);
        loop {
            while let Some(job) = self.campaign.jobs.take() {
                self.reduce(job)?;
            }
            let number = next.fetch_add(1, Ordering::Relaxed);
            let first = number.saturating_mul(per_batch);
            if first >= count || self.is_over() {
                return Ok(());
            }
            if pace.is_done(number) {
                continue;
            }
            if !pace.wait(number) {
                return Ok(());
            }
            let last = first.saturating_add(per_batch).min(count);
            self.batch = number;
            let (stats, is_finished) = self.run_batch(first..last)?;
            if is_finished {
                self.send(Event::Batch { kind: K::NAME, number, stats });
                pace.finish(number);
            } else {
                pace.give_up();
                self.send(Event::Unfinished(stats));
            }
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.campaign.is_over(self.stopping)
    }

    pub(crate) fn send(&self, event: Event) {
        // Where nobody listens any more, the campaign is ending.
        let _ = self.sender.send(Ok(event));
    }

    /// Reduces a finding, as far as time allows.
    fn reduce(&mut self, job: Job) -> Result<(), OracleError> {
        let campaign = self.campaign;
        let (sender, stopping) = (self.sender, self.stopping);
        let is_over = || campaign.is_over(stopping);
        let tell = |reduced: Reduced| {
            let _ = sender.send(Ok(Event::Reduced(Box::new(reduced))));
        };
        let oracles = std::slice::from_mut(&mut self.oracle);
        job.run(&campaign.kind, oracles, &campaign.limits, &is_over, tell)
    }

    /// Makes a batch and runs it on all targets. Says too whether it was finished.
    fn run_batch(&mut self, numbers: Range<u64>) -> Result<(Stats, bool), OracleError> {
        let campaign = self.campaign;
        let begun = thread_time();
        let (batch, options) = campaign.made(self.batch, numbers)?;
        let generate = thread_time() - begun;
        let artifact = campaign.lowered(&batch.program, &options)?;
        let lower = thread_time() - begun - generate;
        let mut stats = Stats {
            n_batches: 1,
            n_cases: batch.cases.len() as u64,
            n_functions: batch.program.functions.len() as u64,
            n_realizations: batch.n_realizations(),
            n_unsolved: batch.n_unsolved,
            generate,
            lower,
            // What reducing findings took since the last batch.
            spent: K::take_spent(&mut self.oracle),
            ..Stats::default()
        };
        let mut is_finished = true;
        for target in campaign.kind.targets(campaign.seed, self.batch) {
            if batch.cases.is_empty() {
                break;
            }
            if self.is_over() {
                is_finished = false;
                break;
            }
            let report = self.oracle.run(&artifact, &target, &campaign.limits)?;
            let spent = K::take_spent(&mut self.oracle);
            stats.add_run(K::describe(&target).group(), report.n_checked, &spent);
            stats.n_infrastructure_failures +=
                u64::from(report.verdict == Verdict::InfrastructureFailure);
            if report.verdict != Verdict::Agrees {
                self.look_closer(&batch, &options, &target, &report)?;
                // That is no time of any one target.
                stats.spent.add(&K::take_spent(&mut self.oracle));
            }
        }
        stats.own = thread_time() - begun - generate - lower;
        Ok((stats, is_finished))
    }
}
