//! The campaign against C compilers.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use pathsmith_backend_c::{CBackend, COptions, CSource, DIALECT};
use pathsmith_core::backend::{Backend, LowerError};
use pathsmith_core::lang::{Program, StorageTy};
use pathsmith_core::{FuncId, Seed};
use pathsmith_oracles::c::{COracle, CTarget, FlagPool, Setting, Spent, Toolchain};
use pathsmith_oracles::process::{Stop, thread_time};
use pathsmith_oracles::{Disagreement, Oracle, OracleError, Report, Verdict};

use crate::batch::{Batch, Case};
use crate::config::FuzzConfig;
use crate::finding::{Finding, TargetInfo};
use crate::stats::Stats;

/// How many functions of one file are looked at more closely for one target.
const MAX_SUSPECTS: usize = 5;
/// How many times in a row something has to be seen to be believed.
const N_CONFIRMATIONS: usize = 2;

/// A campaign against C compilers.
#[derive(Debug)]
pub struct CCampaign {
    config: FuzzConfig,
    seed: u64,
    compilers: Vec<(Toolchain, FlagPool)>,
    /// Whether programs are run with sanitizers, to find bugs of our own.
    sanitize: bool,
    stop: Stop,
}

/// When a campaign ends by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stopping {
    /// After so many functions.
    pub count: Option<u64>,
    /// At that moment.
    pub deadline: Option<Instant>,
}

impl Stopping {
    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// What happens in a campaign.
#[derive(Debug)]
pub enum Event {
    /// A batch is done.
    Batch(Stats),
    /// Something was found, and seen again alone. Where its verdict is no finding, it is a bug of
    /// our own.
    Found(Box<Finding>),
    /// Something was seen, but not again.
    NotConfirmed {
        /// What was seen.
        verdict: Verdict,
        /// On which target.
        target: String,
        /// The first case of the batch it was seen in.
        number: u64,
    },
    /// A target could not be run.
    CouldNotRun {
        /// Which one.
        target: String,
        /// Why.
        why: String,
    },
}

impl CCampaign {
    /// A campaign against `toolchains`.
    ///
    /// # Errors
    /// Where the flags of one of them cannot be found out.
    pub fn new(
        config: FuzzConfig,
        seed: u64,
        toolchains: Vec<Toolchain>,
        sanitize: bool,
        stop: Stop,
    ) -> Result<Self, OracleError> {
        let mut compilers = Vec::new();
        let needs_flags = config.c.random_settings > 0 && !sanitize;
        for toolchain in toolchains {
            let pool = match needs_flags {
                true => FlagPool::new(&toolchain, &stop)?,
                false => FlagPool::default(),
            };
            compilers.push((toolchain, pool));
        }
        Ok(Self { config, seed, compilers, sanitize, stop })
    }

    /// Runs it on `n_jobs` threads, and tells `on_event` what happens. The errors of `on_event`
    /// end it.
    ///
    /// # Errors
    /// The first of `on_event`, or of an oracle that cannot work.
    pub fn run<E: From<OracleError>>(
        &self,
        stopping: Stopping,
        n_jobs: usize,
        mut on_event: impl FnMut(Event) -> Result<(), E>,
    ) -> Result<(), E> {
        let next = AtomicU64::new(0);
        let (sender, receiver) = mpsc::sync_channel(64);
        std::thread::scope(|scope| {
            for _ in 0..n_jobs {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    let result = COracle::new(self.stop.clone()).and_then(|oracle| {
                        Worker { campaign: self, oracle, stopping, sender: &sender }.work(next)
                    });
                    if let Err(error) = result {
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

    /// The targets of one batch.
    fn targets(&self, number: u64) -> Vec<CTarget> {
        let mut targets = Vec::new();
        let config = &self.config.c;
        for (toolchain, pool) in &self.compilers {
            let mut settings = Vec::new();
            if self.sanitize {
                settings.push(Setting::sanitizers(toolchain.compiler));
            } else {
                settings.extend(config.levels.iter().map(|level| Setting::level(level)));
                settings
                    .extend(config.extras.iter().map(|(name, flags)| Setting::named(name, flags)));
                let seed = Seed::new(self.seed).child("flags").child(&toolchain.name).nth(number);
                let mut rng = seed.rng();
                let n_random = if pool.is_empty() { 0 } else { config.random_settings };
                settings.extend((0..n_random).map(|_| pool.choose(&config.levels, &mut rng)));
            }
            targets.extend(
                settings
                    .into_iter()
                    .map(|setting| CTarget { toolchain: toolchain.clone(), setting }),
            );
        }
        targets
    }
}

/// One thread.
struct Worker<'a> {
    campaign: &'a CCampaign,
    oracle: COracle,
    stopping: Stopping,
    sender: &'a mpsc::SyncSender<Result<Event, OracleError>>,
}

impl Worker<'_> {
    fn work(&mut self, next: &AtomicU64) -> Result<(), OracleError> {
        let per_batch = u64::from(self.campaign.config.c.functions_per_file);
        let count = self.stopping.count.unwrap_or(u64::MAX);
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let first = number.saturating_mul(per_batch);
            if first >= count || self.stopping.is_over() || self.campaign.stop.is_raised() {
                return Ok(());
            }
            let last = first.saturating_add(per_batch).min(count);
            let stats = self.batch(number, first..last)?;
            self.send(Event::Batch(stats));
        }
    }

    fn send(&self, event: Event) {
        // Where nobody listens any more, the campaign is ending.
        let _ = self.sender.send(Ok(event));
    }

    /// Makes a batch and runs it on all targets.
    fn batch(&mut self, number: u64, numbers: std::ops::Range<u64>) -> Result<Stats, OracleError> {
        let campaign = self.campaign;
        let begun = thread_time();
        let seed = Seed::new(campaign.seed);
        let batch = Batch::generate(&campaign.config.generate, DIALECT, seed, numbers);
        let generate = thread_time() - begun;
        let mut rng = seed.child("lower").nth(number).rng();
        let options = campaign.config.c.style.choose(&batch.program, &mut rng);
        let source = lowered(&batch.program, &options)?;
        let lower = thread_time() - begun - generate;
        self.oracle.spent = Spent::default();
        let mut stats = Stats {
            n_batches: 1,
            n_functions: batch.cases.len() as u64,
            n_realizations: batch.n_realizations(),
            n_unsolved: batch.n_unsolved,
            generate,
            lower,
            ..Stats::default()
        };
        for target in campaign.targets(number) {
            if self.stopping.is_over() || batch.cases.is_empty() {
                break;
            }
            let report = self.oracle.run(&source, &target, &campaign.config.limits)?;
            stats.n_runs += 1;
            stats.n_checked += stats.n_realizations;
            stats.n_could_not_run += u64::from(report.verdict == Verdict::CouldNotRun);
            if report.verdict != Verdict::Agrees {
                self.look_closer(&batch, &options, &target, &report)?;
            }
        }
        stats.own = thread_time() - begun - generate - lower;
        stats.spent = self.oracle.spent;
        Ok(stats)
    }

    /// Narrows down what a batch has shown, and tells of it once it is confirmed.
    fn look_closer(
        &mut self,
        batch: &Batch,
        options: &COptions,
        target: &CTarget,
        report: &Report,
    ) -> Result<(), OracleError> {
        if report.verdict == Verdict::CouldNotRun {
            let why = report.evidence.last().map(|evidence| evidence.message.clone());
            let (target, why) = (target.name(), why.unwrap_or_default());
            self.send(Event::CouldNotRun { target, why });
            return Ok(());
        }
        let mut suspects = suspects(batch, &report.disagreements);
        if suspects.is_empty() {
            let found = self.bisect(batch, options, target, report.verdict)?;
            suspects.extend(found.map(|case| (case, None)));
        }
        let mut n_confirmed = 0;
        for (case, disagreement) in suspects.into_iter().take(MAX_SUSPECTS) {
            let case = &batch.cases[case];
            let verdict = disagreement.as_ref().map_or(report.verdict, |found| found.verdict);
            let found = self.confirm(case, options, target, verdict, disagreement.as_ref())?;
            if let Some(finding) = found {
                n_confirmed += 1;
                self.send(Event::Found(Box::new(finding)));
            }
        }
        if n_confirmed == 0 {
            let number = batch.cases[0].number;
            let verdict = report.verdict;
            self.send(Event::NotConfirmed { verdict, target: target.name(), number });
        }
        Ok(())
    }

    /// The case that gives a verdict about the whole, which a compiler that fails does not name.
    fn bisect(
        &mut self,
        batch: &Batch,
        options: &COptions,
        target: &CTarget,
        verdict: Verdict,
    ) -> Result<Option<usize>, OracleError> {
        let mut range = 0..batch.cases.len();
        while range.len() > 1 {
            let middle = range.start + range.len() / 2;
            let halves = [range.start..middle, middle..range.end];
            let mut guilty = None;
            for half in halves {
                let part = batch.part(half.clone());
                let part_options = restricted(options, &batch.cases[half.clone()]);
                let source = lowered(&part.program, &part_options)?;
                let limits = &self.campaign.config.limits;
                if self.oracle.run(&source, target, limits)?.verdict == verdict {
                    guilty = Some(half);
                    break;
                }
            }
            match guilty {
                Some(half) => range = half,
                // Neither half shows it alone.
                None => return Ok(None),
            }
        }
        Ok(Some(range.start))
    }

    /// Runs a case alone, with the one realization that shows it or with all, as a person would.
    fn confirm(
        &mut self,
        case: &Case,
        options: &COptions,
        target: &CTarget,
        verdict: Verdict,
        disagreement: Option<&Disagreement>,
    ) -> Result<Option<Finding>, OracleError> {
        let options = restricted(options, std::slice::from_ref(case));
        let shown = disagreement.map(|found| {
            (FuncId::new(found.function.index() - case.functions.start), found.realization)
        });
        let mut programs = vec![case.program.clone()];
        if let Some((function, realization)) = shown {
            programs.insert(0, with_one_realization(&case.program, function, realization));
        }
        for program in programs {
            let source = lowered(&program, &options)?;
            if let Some(report) = self.seen_again(&source, target, verdict)? {
                let info = Shown { case, program, options, source, report };
                return Ok(Some(self.finding(info, target, verdict)));
            }
        }
        Ok(None)
    }

    /// The last of several reports that all give `verdict` and agree on what was returned.
    fn seen_again(
        &mut self,
        source: &CSource,
        target: &CTarget,
        verdict: Verdict,
    ) -> Result<Option<Report>, OracleError> {
        let mut last: Option<Report> = None;
        for _ in 0..N_CONFIRMATIONS {
            let limits = &self.campaign.config.limits;
            let report = self.oracle.run_whole(source, target, limits)?;
            let is_same =
                last.as_ref().is_none_or(|last| last.disagreements == report.disagreements);
            if report.verdict != verdict || !is_same {
                return Ok(None);
            }
            last = Some(report);
        }
        Ok(last)
    }

    fn finding(&self, shown: Shown<'_>, target: &CTarget, verdict: Verdict) -> Finding {
        let Shown { case, program, options, source, report } = shown;
        let first = report.disagreements.iter().find(|found| found.verdict == verdict);
        let call = first.and_then(|found| {
            let function = program.function(found.function);
            let realization = function.realizations.get(found.realization)?;
            let args: Vec<String> = std::iter::zip(function.params(), &realization.args)
                .map(|(param, arg)| param.ty.elem().to_wide(*arg).to_string())
                .collect();
            let expected = StorageTy::from(function.ret).to_wide(realization.output);
            Some((format!("{}({})", function.name, args.join(", ")), expected.to_string()))
        });
        let (call, expected) = call.unzip();
        Finding {
            number: case.number,
            seed: self.campaign.seed,
            verdict,
            target: TargetInfo {
                name: target.toolchain.name.clone(),
                command: target.toolchain.command.clone(),
                version: target.toolchain.version.clone(),
                setting: target.setting.name.clone(),
                flags: target.flags(),
            },
            call,
            expected,
            actual: first.and_then(|found| found.actual.clone()),
            evidence: report.evidence,
            program,
            options,
            source,
        }
    }
}

/// A program that shows something.
struct Shown<'a> {
    case: &'a Case,
    program: Program,
    options: COptions,
    source: CSource,
    report: Report,
}

/// The cases that disagreements are about, each with its first one.
fn suspects(batch: &Batch, found: &[Disagreement]) -> Vec<(usize, Option<Disagreement>)> {
    let mut seen = BTreeSet::new();
    let of_case = |found: &Disagreement| {
        let case = batch.case_of(found.function)?;
        seen.insert(case).then(|| (case, Some(found.clone())))
    };
    found.iter().filter_map(of_case).collect()
}

/// The options of some cases that follow each other.
fn restricted(options: &COptions, cases: &[Case]) -> COptions {
    let (Some(first), Some(last)) = (cases.first(), cases.last()) else { return options.clone() };
    let functions = first.functions.start..last.functions.end;
    let globals = first.globals.start..last.globals.end;
    COptions {
        layout: options.layout,
        functions: options.functions.get(functions).unwrap_or_default().to_vec(),
        globals: options.globals.get(globals).unwrap_or_default().to_vec(),
    }
}

fn with_one_realization(program: &Program, function: FuncId, realization: usize) -> Program {
    let mut program = program.clone();
    for (i, data) in program.functions.iter_mut().enumerate() {
        let known = std::mem::take(&mut data.realizations);
        if i == function.index() {
            data.realizations = known.into_iter().skip(realization).take(1).collect();
        }
    }
    program
}

/// What we make and choose can be lowered; if not, that is an error of ours, and no reason to
/// panic.
fn lowered(program: &Program, options: &COptions) -> Result<CSource, OracleError> {
    CBackend.lower(program, options).map_err(|error: LowerError| OracleError::Target {
        name: CBackend.name().to_owned(),
        why: format!("a program cannot be lowered: {error}"),
    })
}
