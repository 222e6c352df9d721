//! The campaign itself: batches on all threads, and what they show.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use pathsmith_core::backend::Backend;
use pathsmith_core::generate::GenConfig;
use pathsmith_core::lang::{Program, StorageTy};
use pathsmith_core::{FuncId, Seed};
use pathsmith_oracles::process::{Stop, thread_time};
use pathsmith_oracles::{Disagreement, Limits, Oracle, OracleError, Report, Verdict};

use crate::batch::{Batch, Case};
use crate::finding::Finding;
use crate::kind::{Artifact, Kind, Options, Target};
use crate::stats::Stats;

/// How many functions of one artifact are looked at more closely for one target.
const MAX_SUSPECTS: usize = 5;
/// How many times in a row something has to be seen to be believed.
const N_CONFIRMATIONS: usize = 2;

/// A campaign against one kind of target.
#[derive(Clone, Debug)]
pub struct Campaign<K> {
    /// What it is against.
    pub kind: K,
    /// How functions are made.
    pub generate: GenConfig,
    /// What each process may use.
    pub limits: Limits,
    /// Where all randomness comes from.
    pub seed: u64,
    /// The wish to end it.
    pub stop: Stop,
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
        /// What the target said.
        why: String,
    },
    /// A target could not be run.
    CouldNotRun {
        /// Which one.
        target: String,
        /// Why.
        why: String,
    },
}

impl<K: Kind> Campaign<K> {
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
                    let result = self.kind.oracle(self.stop.clone()).and_then(|oracle| {
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

    /// What we make and choose can be lowered; if not, that is an error of ours, and no reason to
    /// panic.
    fn lowered(&self, program: &Program, options: &Options<K>) -> Result<Artifact<K>, OracleError> {
        let backend = self.kind.backend();
        backend.lower(program, options).map_err(|error| OracleError::Target {
            name: backend.name().to_owned(),
            why: format!("a program cannot be lowered: {error}"),
        })
    }

    /// The options of some cases that follow each other.
    fn restricted(&self, options: &Options<K>, cases: &[Case]) -> Options<K> {
        let (Some(first), Some(last)) = (cases.first(), cases.last()) else {
            return options.clone();
        };
        let functions = first.functions.start..last.functions.end;
        let globals = first.globals.start..last.globals.end;
        self.kind.restrict_options(options, functions, globals)
    }
}

/// One thread.
struct Worker<'a, K: Kind> {
    campaign: &'a Campaign<K>,
    oracle: K::Oracle,
    stopping: Stopping,
    sender: &'a mpsc::SyncSender<Result<Event, OracleError>>,
}

impl<K: Kind> Worker<'_, K> {
    fn work(&mut self, next: &AtomicU64) -> Result<(), OracleError> {
        let per_artifact = self.campaign.kind.functions_per_artifact();
        let per_batch = self.campaign.generate.link.cases_of(per_artifact);
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
    fn batch(&mut self, number: u64, numbers: Range<u64>) -> Result<Stats, OracleError> {
        let campaign = self.campaign;
        let begun = thread_time();
        let seed = Seed::new(campaign.seed);
        let dialect = campaign.kind.backend().dialect();
        let batch =
            Batch::generate(&campaign.generate, dialect, seed, numbers).map_err(|error| {
                OracleError::Target { name: "pathsmith".to_owned(), why: error.to_string() }
            })?;
        let generate = thread_time() - begun;
        let mut rng = seed.child("lower").nth(number).rng();
        let options = campaign.kind.choose_options(&batch.program, &mut rng);
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
            ..Stats::default()
        };
        for target in campaign.kind.targets(campaign.seed, number) {
            if self.stopping.is_over() || batch.cases.is_empty() {
                break;
            }
            let report = self.oracle.run(&artifact, &target, &campaign.limits)?;
            let spent = K::take_spent(&mut self.oracle);
            stats.add_run(K::describe(&target).group(), report.n_checked, &spent);
            stats.n_could_not_run += u64::from(report.verdict == Verdict::CouldNotRun);
            if report.verdict != Verdict::Agrees {
                self.look_closer(&batch, &options, &target, &report)?;
            }
        }
        stats.own = thread_time() - begun - generate - lower;
        // What a closer look took.
        stats.spent.add(&K::take_spent(&mut self.oracle));
        Ok(stats)
    }

    /// Narrows down what a batch has shown, and tells of it once it is confirmed.
    fn look_closer(
        &mut self,
        batch: &Batch,
        options: &Options<K>,
        target: &Target<K>,
        report: &Report,
    ) -> Result<(), OracleError> {
        let name = || K::describe(target).full_name();
        let why = report.evidence.last().map(|evidence| evidence.message.clone());
        let why = why.unwrap_or_default();
        if report.verdict == Verdict::CouldNotRun {
            self.send(Event::CouldNotRun { target: name(), why });
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
                self.tell(finding);
            }
        }
        if n_confirmed == 0 {
            if let Some(finding) = self.confirm_together(batch, options, target, report.verdict)? {
                self.tell(finding);
                return Ok(());
            }
            let number = batch.cases[0].number;
            let verdict = report.verdict;
            self.send(Event::NotConfirmed { verdict, target: name(), number, why });
        }
        Ok(())
    }

    fn tell(&self, finding: Finding) {
        self.campaign.kind.learn(&finding);
        self.send(Event::Found(Box::new(finding)));
    }

    /// The case that gives a verdict about the whole, where the target does not name it.
    fn bisect(
        &mut self,
        batch: &Batch,
        options: &Options<K>,
        target: &Target<K>,
        verdict: Verdict,
    ) -> Result<Option<usize>, OracleError> {
        let mut range = 0..batch.cases.len();
        while range.len() > 1 {
            let middle = range.start + range.len() / 2;
            let halves = [range.start..middle, middle..range.end];
            let mut guilty = None;
            for half in halves {
                if self.is_shown_by(batch, options, target, verdict, half.clone())? {
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

    /// Runs a case alone, with the one realization that shows it or with all.
    fn confirm(
        &mut self,
        case: &Case,
        options: &Options<K>,
        target: &Target<K>,
        verdict: Verdict,
        disagreement: Option<&Disagreement>,
    ) -> Result<Option<Finding>, OracleError> {
        let options = self.campaign.restricted(options, std::slice::from_ref(case));
        let shown = disagreement.map(|found| {
            (FuncId::new(found.function.index() - case.functions.start), found.realization)
        });
        let mut programs = vec![case.program.clone()];
        if let Some((function, realization)) = shown {
            programs.insert(0, with_one_realization(&case.program, function, realization));
        }
        for program in programs {
            let found = self.confirm_program(case.number, program, &options, target, verdict)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// What no case shows alone: as few neighbours as show it together. A compiler that decides by
    /// what it has compiled before can make that necessary.
    fn confirm_together(
        &mut self,
        batch: &Batch,
        options: &Options<K>,
        target: &Target<K>,
        verdict: Verdict,
    ) -> Result<Option<Finding>, OracleError> {
        let mut kept = 0..batch.cases.len();
        if kept.len() < 2 || !self.is_shown_by(batch, options, target, verdict, kept.clone())? {
            return Ok(None);
        }
        for is_front in [true, false] {
            let mut n_dropped = kept.len() / 2;
            while n_dropped > 0 {
                let rest = match is_front {
                    true => kept.start + n_dropped..kept.end,
                    false => kept.start..kept.end - n_dropped,
                };
                if self.is_shown_by(batch, options, target, verdict, rest.clone())? {
                    kept = rest;
                    n_dropped = n_dropped.min(kept.len() / 2);
                } else {
                    n_dropped /= 2;
                }
            }
        }
        let number = batch.cases[kept.start].number;
        let options = self.campaign.restricted(options, &batch.cases[kept.clone()]);
        let program = batch.part(kept).program;
        self.confirm_program(number, program, &options, target, verdict)
    }

    /// Whether some of the cases show it, if they are run alone.
    fn is_shown_by(
        &mut self,
        batch: &Batch,
        options: &Options<K>,
        target: &Target<K>,
        verdict: Verdict,
        cases: Range<usize>,
    ) -> Result<bool, OracleError> {
        let options = self.campaign.restricted(options, &batch.cases[cases.clone()]);
        let artifact = self.campaign.lowered(&batch.part(cases).program, &options)?;
        let limits = &self.campaign.limits;
        let report = K::run_alone(&mut self.oracle, &artifact, target, limits)?;
        Ok(report.verdict == verdict)
    }

    /// Runs a program alone, more than once.
    fn confirm_program(
        &mut self,
        number: u64,
        program: Program,
        options: &Options<K>,
        target: &Target<K>,
        verdict: Verdict,
    ) -> Result<Option<Finding>, OracleError> {
        let artifact = self.campaign.lowered(&program, options)?;
        let Some(report) = self.seen_again(&artifact, target, verdict)? else { return Ok(None) };
        let mut finding = self.finding(number, program, target, verdict, report);
        finding.options = serde_json::to_value(options).unwrap_or_default();
        finding.files = K::files(&finding, target, &artifact);
        Ok(Some(finding))
    }

    /// The last of several reports that all give `verdict` and agree on what was returned.
    fn seen_again(
        &mut self,
        artifact: &Artifact<K>,
        target: &Target<K>,
        verdict: Verdict,
    ) -> Result<Option<Report>, OracleError> {
        let mut last: Option<Report> = None;
        for _ in 0..N_CONFIRMATIONS {
            let limits = &self.campaign.limits;
            let report = K::run_alone(&mut self.oracle, artifact, target, limits)?;
            let is_same =
                last.as_ref().is_none_or(|last| last.disagreements == report.disagreements);
            if report.verdict != verdict || !is_same {
                return Ok(None);
            }
            last = Some(report);
        }
        Ok(last)
    }

    /// All that is known of a finding, but for its files.
    fn finding(
        &self,
        number: u64,
        program: Program,
        target: &Target<K>,
        verdict: Verdict,
        report: Report,
    ) -> Finding {
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
            number,
            seed: self.campaign.seed,
            verdict,
            target: K::describe(target),
            call,
            expected,
            actual: first.and_then(|found| found.actual.clone()),
            evidence: report.evidence,
            program,
            options: serde_json::Value::Null,
            files: Vec::new(),
        }
    }
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
