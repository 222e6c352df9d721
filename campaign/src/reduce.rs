//! Reduction: the smallest program, lowering options and flags that still show a finding.
//!
//! What programs to try is [`Reducer`]'s business, which knows no target. Here they are lowered
//! and run, on as many threads as there are oracles, and what still shows the finding is kept.

use std::collections::{BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pathsmith_backend::{Backend, ProgramOptions};
use pathsmith_oracles::{Limits, OracleError, Signature, Verdict};
use pathsmith_reduce::Reducer;

use crate::error::CampaignError;
use crate::family::Family;
use crate::finding::{Finding, SerializeError};
use crate::option_reduce;
use crate::reproducer::{Reproducer, unavailable};
use crate::store::Reduction;

/// How long a program may run while a finding is reduced, in seconds. A guess: generated programs
/// take milliseconds, so only hangs come near it.
const RUN_TIME: u64 = 3;

/// Findings that wait to be reduced.
#[derive(Clone, Debug, Default)]
pub struct Jobs(Arc<Mutex<VecDeque<Job>>>);

impl Jobs {
    fn queue(&self) -> MutexGuard<'_, VecDeque<Job>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one.
    pub fn add(&self, job: Job) {
        self.queue().push_back(job);
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.queue().is_empty()
    }

    /// How many wait.
    pub fn n_waiting(&self) -> usize {
        self.queue().len()
    }

    /// Takes the one that has waited longest.
    pub fn take(&self) -> Option<Job> {
        self.queue().pop_front()
    }
}

/// A finding to be reduced.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its number in the store.
    pub id: i64,
    /// The finding, as far as it is reduced.
    pub finding: Finding,
    /// How many programs were tried before.
    pub n_tests: u64,
    /// Whether nothing smaller shows it, and only a file for people is to be written.
    pub is_reduced: bool,
}

/// How far a finding is reduced.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// Its number in the store.
    pub id: i64,
    /// How far.
    pub reduction: Reduction,
    /// What is being tried.
    pub pass: &'static str,
}

impl Job {
    /// Reduces it, as far as `is_over` allows, with one thread for each of the oracles, and calls
    /// `on_step` whenever it has become smaller, and when it is done.
    ///
    /// # Errors
    /// If an oracle cannot work, or what is left cannot be saved.
    pub fn run<F: Family>(
        self,
        family: &F,
        oracles: &mut [F::Oracle],
        limits: &Limits,
        is_over: &(dyn Fn() -> bool + Sync),
        on_step: &mut dyn FnMut(Reduced),
    ) -> Result<(), CampaignError> {
        let Ok(best) = Reproducer::of(family, &self.finding) else { return Ok(()) };
        let limits = Limits { run_time: limits.run_time.min(RUN_TIME), ..limits.clone() };
        let (n_tests, is_reduced) = (self.n_tests, self.is_reduced);
        let (job, suppressed_by) = (self, None);
        let mut run =
            ReductionRun { family, oracles, limits, is_over, job, suppressed_by, best, n_tests };
        // What does not show it any more cannot be reduced, only recorded as it is.
        if !is_reduced && run.first_that_shows(&[run.best.clone()])?.is_some() {
            run.look_for_suppressing_flag()?;
            run.undo_transforms(on_step)?;
            run.reduce(on_step)?;
        }
        if !is_over() {
            let mut done = run.state("done", true)?;
            on_step(run.state("a file for a bug report", false)?);
            run.add_bug(&mut done.reduction.finding)?;
            // Stopped on the way, it is looked for again.
            done.reduction.is_done = !is_over();
            on_step(done);
        }
        Ok(())
    }
}

/// A reduction under way.
pub(crate) struct ReductionRun<'a, F: Family> {
    family: &'a F,
    oracles: &'a mut [F::Oracle],
    limits: Limits,
    pub(crate) is_over: &'a (dyn Fn() -> bool + Sync),
    pub(crate) job: Job,
    /// The signature whose flag suppresses the finding, if there is one.
    suppressed_by: Option<Signature>,
    /// The best so far.
    pub(crate) best: Reproducer<F>,
    n_tests: u64,
}

impl<F: Family> ReductionRun<'_, F> {
    fn reduce(&mut self, on_step: &mut dyn FnMut(Reduced)) -> Result<(), CampaignError> {
        let mut is_first = true;
        loop {
            let simpler_options = self.simplify_options(F::LAST_OPTION, on_step)?;
            let simpler_target = self.simplify_target(on_step)?;
            if !(is_first || simpler_options || simpler_target) {
                break;
            }
            is_first = false;
            if !self.reduce_program(on_step)? {
                break;
            }
        }
        if F::LAST_OPTION.is_some() {
            self.simplify_options(None, on_step)?;
        }
        Ok(())
    }

    /// The signature names a flag that suppresses the finding; it counts only if it does so here.
    fn look_for_suppressing_flag(&mut self) -> Result<(), CampaignError> {
        let signature = self.job.finding.signature.clone();
        let suppressed =
            signature.as_ref().and_then(|known| F::suppressed(&self.best.target, known));
        let Some(target) = suppressed else { return Ok(()) };
        let without = Reproducer { target, ..self.best.clone() };
        if agrees(&without, self.family, &mut self.oracles[0], &self.limits)? {
            self.suppressed_by = signature;
        }
        Ok(())
    }

    /// Says whether the program became smaller.
    fn reduce_program(&mut self, on_step: &mut dyn FnMut(Reduced)) -> Result<bool, CampaignError> {
        let mut reducer = Reducer::new(self.best.program.clone());
        let mut is_smaller = false;
        while !(self.is_over)() {
            let candidates = reducer.propose(self.oracles.len());
            if candidates.is_empty() {
                break;
            }
            let candidates: Vec<Reproducer<F>> = candidates
                .into_iter()
                .map(|candidate| Reproducer {
                    options: self.best.options.fitted(&self.best.program, &candidate.program),
                    program: candidate.program,
                    target: self.best.target.clone(),
                })
                .collect();
            let accepted = self.first_that_shows(&candidates)?;
            reducer.answer(accepted);
            if let Some(at) = accepted {
                self.keep(&candidates[at], reducer.pass_name(), on_step)?;
                is_smaller = true;
            }
        }
        Ok(is_smaller)
    }

    /// Says whether there were simpler options, with the option `kept` as it is, that still show
    /// the finding.
    fn simplify_options(
        &mut self,
        kept: Option<&str>,
        on_step: &mut dyn FnMut(Reduced),
    ) -> Result<bool, CampaignError> {
        let mut tried = Tried::new(&self.best)?;
        let mut is_simpler = false;
        loop {
            let best = self.best.clone();
            let (mut options, _) = best.saved()?;
            let kept = kept.and_then(|key| options.as_object_mut()?.remove_entry(key));
            let simpler = option_reduce::simpler(&options)
                .map(|mut simpler| {
                    if let Some(table) = simpler.as_object_mut() {
                        table.extend(kept.clone());
                    }
                    simpler
                })
                .filter_map(|options| serde_json::from_value(options).ok())
                .map(|options| Reproducer { options, ..best.clone() });
            if !self.take_first("lowering options", simpler, &mut tried, on_step)? {
                return Ok(is_simpler);
            }
            is_simpler = true;
        }
    }

    /// Says whether there were fewer flags that still show the finding.
    fn simplify_target(&mut self, on_step: &mut dyn FnMut(Reduced)) -> Result<bool, CampaignError> {
        let mut tried = Tried::new(&self.best)?;
        let mut is_simpler = false;
        loop {
            let best = self.best.clone();
            let simpler = F::simpler_targets(&best.target)
                .into_iter()
                .map(|target| Reproducer { target, ..best.clone() });
            if !self.take_first("flags", simpler, &mut tried, on_step)? {
                return Ok(is_simpler);
            }
            is_simpler = true;
        }
    }

    /// Keeps the first of some simpler candidates, those that were tried before aside, that still
    /// shows the finding. Says whether there was one.
    fn take_first(
        &mut self,
        pass: &'static str,
        simpler: impl Iterator<Item = Reproducer<F>>,
        tried: &mut Tried,
        on_step: &mut dyn FnMut(Reduced),
    ) -> Result<bool, CampaignError> {
        let mut simpler = simpler.filter_map(|candidate| match tried.is_new(&candidate) {
            Ok(is_new) => is_new.then_some(Ok(candidate)),
            Err(error) => Some(Err(error)),
        });
        loop {
            let some = simpler.by_ref().take(self.oracles.len());
            let some: Vec<Reproducer<F>> = some.collect::<Result<_, _>>()?;
            if some.is_empty() || (self.is_over)() {
                return Ok(false);
            }
            if let Some(at) = self.first_that_shows(&some)? {
                self.keep(&some[at], pass, on_step)?;
                return Ok(true);
            }
        }
    }

    pub(crate) fn keep(
        &mut self,
        candidate: &Reproducer<F>,
        pass: &'static str,
        on_step: &mut dyn FnMut(Reduced),
    ) -> Result<(), CampaignError> {
        self.best = candidate.clone();
        on_step(self.state(pass, false)?);
        Ok(())
    }

    /// How far it is: what the best so far shows when it runs once more.
    fn state(&mut self, pass: &'static str, is_done: bool) -> Result<Reduced, CampaignError> {
        let Job { id, finding: known, .. } = &self.job;
        let mut finding = known.clone();
        let shown = match is_done {
            true => self.best.run(self.family, &mut self.oracles[0], &self.limits)?,
            false => None,
        };
        match shown {
            // It says nothing about the candidates either that were tried last.
            Some((_, report)) if report.verdict == Verdict::InfrastructureFailure => {
                return Err(unavailable::<F>(&self.best.target, &report).into());
            }
            Some((artifact, report)) if report.verdict == known.verdict => {
                finding = self.best.finding(known.verdict, &report)?;
                finding.files = F::files(&finding, &self.best.target, &artifact)?;
            }
            // What its script does not show is no reduction of it.
            _ if is_done => {}
            // Evidence is gathered at the end.
            _ => {
                finding.program = self.best.program.clone();
                (finding.options, finding.run_on) = self.best.saved()?;
                finding.target = F::describe(&self.best.target);
            }
        }
        (finding.batch, finding.seed) = (known.batch, known.seed);
        (finding.number, finding.variant) = (known.number, known.variant);
        finding.signature = known.signature.clone();
        finding.arms = known.arms.clone();
        finding.origin = known.origin.clone();
        let reduction = Reduction { is_done, n_tests: self.n_tests, finding };
        Ok(Reduced { id: *id, reduction, pass })
    }

    /// Gives a reduced finding a file that shows it without anything of pathsmith's.
    fn add_bug(&mut self, finding: &mut Finding) -> Result<(), CampaignError> {
        let oracle = &mut self.oracles[0];
        finding.bug = self.family.bug(finding, oracle, &self.limits, self.is_over)?;
        let Ok(known) = Reproducer::of(self.family, finding) else { return Ok(()) };
        if let Ok(artifact) = self.family.backend().lower(&known.program, &known.options) {
            finding.files = F::files(finding, &known.target, &artifact)?;
        }
        Ok(())
    }

    /// The first of some candidates that shows the finding. They run at the same time, as far as
    /// there are oracles.
    pub(crate) fn first_that_shows(
        &mut self,
        candidates: &[Reproducer<F>],
    ) -> Result<Option<usize>, CampaignError> {
        let next = AtomicUsize::new(0);
        let (family, limits) = (self.family, &self.limits);
        let suppressed_by = self.suppressed_by.as_ref();
        let verdict = self.job.finding.verdict;
        let results: Vec<Result<Vec<usize>, OracleError>> = std::thread::scope(|scope| {
            let threads: Vec<_> = self
                .oracles
                .iter_mut()
                .map(|oracle| {
                    let next = &next;
                    scope.spawn(move || {
                        let mut shown = Vec::new();
                        loop {
                            let at = next.fetch_add(1, Ordering::Relaxed);
                            let Some(candidate) = candidates.get(at) else { return Ok(shown) };
                            let shows = Shows { verdict, suppressed_by };
                            if shows.is_shown_by(candidate, family, oracle, limits)? {
                                shown.push(at);
                            }
                        }
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or(Err(OracleError::Stopped)))
                .collect()
        });
        self.n_tests += candidates.len() as u64;
        let shown = results.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(shown.into_iter().flatten().min())
    }
}

/// Hashes of the options and targets that were tried.
struct Tried(BTreeSet<u64>);

impl Tried {
    fn new<F: Family>(first: &Reproducer<F>) -> Result<Self, SerializeError> {
        Ok(Self(BTreeSet::from([Self::hash(first)?])))
    }

    fn is_new<F: Family>(&mut self, candidate: &Reproducer<F>) -> Result<bool, SerializeError> {
        Ok(self.0.insert(Self::hash(candidate)?))
    }

    fn hash<F: Family>(candidate: &Reproducer<F>) -> Result<u64, SerializeError> {
        let mut hasher = DefaultHasher::new();
        let text = serde_json::to_string(&(&candidate.options, &candidate.target))
            .map_err(SerializeError::of("lowering options and target"))?;
        text.hash(&mut hasher);
        Ok(hasher.finish())
    }
}

/// What a candidate has to show to be the same finding: the same verdict, and the same flag
/// suppresses it.
#[derive(Clone, Copy)]
struct Shows<'a> {
    verdict: Verdict,
    suppressed_by: Option<&'a Signature>,
}

impl Shows<'_> {
    fn is_shown_by<F: Family>(
        self,
        candidate: &Reproducer<F>,
        family: &F,
        oracle: &mut F::Oracle,
        limits: &Limits,
    ) -> Result<bool, OracleError> {
        if candidate.verdict(family, oracle, limits)? != Some(self.verdict) {
            return Ok(false);
        }
        // Otherwise reduction could slip from one bug to another.
        let target = self.suppressed_by.and_then(|known| F::suppressed(&candidate.target, known));
        let Some(target) = target else { return Ok(true) };
        agrees(&Reproducer { target, ..candidate.clone() }, family, oracle, limits)
    }
}

fn agrees<F: Family>(
    candidate: &Reproducer<F>,
    family: &F,
    oracle: &mut F::Oracle,
    limits: &Limits,
) -> Result<bool, OracleError> {
    Ok(candidate.verdict(family, oracle, limits)? == Some(Verdict::Agrees))
}
