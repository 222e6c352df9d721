//! Reduction: the smallest program, spelling and flags that still show a finding.
//!
//! What programs to try is [`Reducer`]'s business, which knows no target. Here they are spelled
//! and run, on as many threads as there are oracles, and what still shows the finding is kept.

use std::collections::{BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pathsmith_oracles::{Limits, OracleError, Signature, Verdict};
use pathsmith_reduce::Reducer;

use crate::finding::Finding;
use crate::kind::Kind;
use crate::spelling;
use crate::store::Reduction;
use crate::trial::Trial;

/// What a program may take that is run to reduce a finding, in seconds. Generated programs take
/// milliseconds; only those that never end need a limit.
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
    /// `tell` whenever it has become smaller, and when it is done.
    ///
    /// # Errors
    /// Where an oracle cannot work.
    pub fn run<K: Kind>(
        self,
        kind: &K,
        oracles: &mut [K::Oracle],
        limits: &Limits,
        is_over: &(dyn Fn() -> bool + Sync),
        mut tell: impl FnMut(Reduced),
    ) -> Result<(), OracleError> {
        let Ok(trial) = Trial::of(kind, &self.finding) else { return Ok(()) };
        let limits = Limits { run_time: limits.run_time.min(RUN_TIME), ..limits.clone() };
        let n_tests = self.n_tests;
        let (job, cure) = (self, None);
        let mut session = Session { kind, oracles, limits, is_over, job, cure, trial, n_tests };
        // What does not show it any more cannot be reduced, only recorded as it is.
        if session.first_that_shows(&[session.trial.clone()])?.is_some() {
            session.look_for_cure()?;
            session.reduce(&mut tell)?;
        }
        if !is_over() {
            tell(session.state("done", true)?);
        }
        Ok(())
    }
}

/// A reduction under way.
struct Session<'a, K: Kind> {
    kind: &'a K,
    oracles: &'a mut [K::Oracle],
    limits: Limits,
    is_over: &'a (dyn Fn() -> bool + Sync),
    job: Job,
    /// What cures the finding, if something does.
    cure: Option<Signature>,
    /// The best so far.
    trial: Trial<K>,
    n_tests: u64,
}

impl<K: Kind> Session<'_, K> {
    fn reduce(&mut self, tell: &mut impl FnMut(Reduced)) -> Result<(), OracleError> {
        let mut is_first = true;
        loop {
            let simpler_spelling = self.simplify_spelling(K::LAST_OPTION, tell)?;
            let simpler_target = self.simplify_target(tell)?;
            if !(is_first || simpler_spelling || simpler_target) {
                break;
            }
            is_first = false;
            if !self.reduce_program(tell)? {
                break;
            }
        }
        if K::LAST_OPTION.is_some() {
            self.simplify_spelling(None, tell)?;
        }
        Ok(())
    }

    /// A cure that the finding's signature tells of holds only if it is one.
    fn look_for_cure(&mut self) -> Result<(), OracleError> {
        let signature = self.job.finding.signature.clone();
        let cured = signature.as_ref().and_then(|known| K::cured(&self.trial.target, known));
        let Some(target) = cured else { return Ok(()) };
        let without = Trial { target, ..self.trial.clone() };
        if agrees(&without, self.kind, &mut self.oracles[0], &self.limits)? {
            self.cure = signature;
        }
        Ok(())
    }

    /// Says whether the program became smaller.
    fn reduce_program(&mut self, tell: &mut impl FnMut(Reduced)) -> Result<bool, OracleError> {
        let mut reducer = Reducer::new(self.trial.program.clone());
        let mut is_smaller = false;
        while !(self.is_over)() {
            let candidates = reducer.propose(self.oracles.len());
            if candidates.is_empty() {
                break;
            }
            let trials: Vec<Trial<K>> = candidates
                .into_iter()
                .map(|candidate| Trial {
                    options: self.kind.fit_options(
                        &self.trial.options,
                        &self.trial.program,
                        &candidate.program,
                    ),
                    program: candidate.program,
                    target: self.trial.target.clone(),
                })
                .collect();
            let accepted = self.first_that_shows(&trials)?;
            reducer.answer(accepted);
            if let Some(at) = accepted {
                self.keep(&trials[at], reducer.pass_name(), tell)?;
                is_smaller = true;
            }
        }
        Ok(is_smaller)
    }

    /// Says whether there was a simpler spelling, with the option `kept` as it is, that still shows
    /// the finding.
    fn simplify_spelling(
        &mut self,
        kept: Option<&str>,
        tell: &mut impl FnMut(Reduced),
    ) -> Result<bool, OracleError> {
        let mut tried = Tried::new(&self.trial);
        let mut is_simpler = false;
        loop {
            let trial = self.trial.clone();
            let mut options = serde_json::to_value(&trial.options).unwrap_or_default();
            let kept = kept.and_then(|key| options.as_object_mut()?.remove_entry(key));
            let simpler = spelling::simpler(&options)
                .map(|mut simpler| {
                    if let Some(table) = simpler.as_object_mut() {
                        table.extend(kept.clone());
                    }
                    simpler
                })
                .filter_map(|options| serde_json::from_value(options).ok())
                .map(|options| Trial { options, ..trial.clone() });
            if !self.take_first("spelling", simpler, &mut tried, tell)? {
                return Ok(is_simpler);
            }
            is_simpler = true;
        }
    }

    /// Says whether there were fewer flags that still show the finding.
    fn simplify_target(&mut self, tell: &mut impl FnMut(Reduced)) -> Result<bool, OracleError> {
        let mut tried = Tried::new(&self.trial);
        let mut is_simpler = false;
        loop {
            let trial = self.trial.clone();
            let simpler = K::simpler_targets(&trial.target)
                .into_iter()
                .map(|target| Trial { target, ..trial.clone() });
            if !self.take_first("flags", simpler, &mut tried, tell)? {
                return Ok(is_simpler);
            }
            is_simpler = true;
        }
    }

    /// Keeps the first of some simpler trials, those that were tried before aside, that still
    /// shows the finding. Says whether there was one.
    fn take_first(
        &mut self,
        pass: &'static str,
        simpler: impl Iterator<Item = Trial<K>>,
        tried: &mut Tried,
        tell: &mut impl FnMut(Reduced),
    ) -> Result<bool, OracleError> {
        let mut simpler = simpler.filter(|trial| tried.is_new(trial));
        loop {
            let some: Vec<Trial<K>> = simpler.by_ref().take(self.oracles.len()).collect();
            if some.is_empty() || (self.is_over)() {
                return Ok(false);
            }
            if let Some(at) = self.first_that_shows(&some)? {
                self.keep(&some[at], pass, tell)?;
                return Ok(true);
            }
        }
    }

    fn keep(
        &mut self,
        trial: &Trial<K>,
        pass: &'static str,
        tell: &mut impl FnMut(Reduced),
    ) -> Result<(), OracleError> {
        self.trial = trial.clone();
        tell(self.state(pass, false)?);
        Ok(())
    }

    /// How far it is: what the best trial shows when it is run once more.
    fn state(&mut self, pass: &'static str, is_done: bool) -> Result<Reduced, OracleError> {
        let Job { id, finding: known, .. } = &self.job;
        let mut finding = known.clone();
        let shown = match is_done {
            true => self.trial.run(self.kind, &mut self.oracles[0], &self.limits)?,
            false => None,
        };
        match shown {
            Some((artifact, report)) if report.verdict == known.verdict => {
                finding = self.trial.finding(known.verdict, &report);
                finding.files = K::files(&finding, &self.trial.target, &artifact);
            }
            // What its script does not show is no reduction of it.
            _ if is_done => {}
            // Evidence is gathered at the end.
            _ => {
                finding.program = self.trial.program.clone();
                finding.options = serde_json::to_value(&self.trial.options).unwrap_or_default();
                finding.run_on = serde_json::to_value(&self.trial.target).unwrap_or_default();
                finding.target = K::describe(&self.trial.target);
            }
        }
        (finding.batch, finding.number, finding.seed) = (known.batch, known.number, known.seed);
        finding.signature = known.signature.clone();
        let reduction = Reduction { is_done, n_tests: self.n_tests, finding };
        Ok(Reduced { id: *id, reduction, pass })
    }

    /// The first of some trials that shows the finding. They are run at the same time, as far as
    /// there are oracles.
    fn first_that_shows(&mut self, trials: &[Trial<K>]) -> Result<Option<usize>, OracleError> {
        let next = AtomicUsize::new(0);
        let (kind, limits, cure) = (self.kind, &self.limits, self.cure.as_ref());
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
                            let Some(trial) = trials.get(at) else { return Ok(shown) };
                            if is_shown_by(trial, verdict, cure, kind, oracle, limits)? {
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
        self.n_tests += trials.len() as u64;
        let shown = results.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(shown.into_iter().flatten().min())
    }
}

/// Hashes of the ways that a program was spelled and run.
struct Tried(BTreeSet<u64>);

impl Tried {
    fn new<K: Kind>(trial: &Trial<K>) -> Self {
        Self(BTreeSet::from([Self::hash(trial)]))
    }

    fn is_new<K: Kind>(&mut self, trial: &Trial<K>) -> bool {
        self.0.insert(Self::hash(trial))
    }

    fn hash<K: Kind>(trial: &Trial<K>) -> u64 {
        let mut hasher = DefaultHasher::new();
        let text = serde_json::to_string(&(&trial.options, &trial.target)).unwrap_or_default();
        text.hash(&mut hasher);
        hasher.finish()
    }
}

/// Whether a trial shows a finding: the same verdict, and cured by the same.
fn is_shown_by<K: Kind>(
    trial: &Trial<K>,
    verdict: Verdict,
    cure: Option<&Signature>,
    kind: &K,
    oracle: &mut K::Oracle,
    limits: &Limits,
) -> Result<bool, OracleError> {
    if trial.verdict(kind, oracle, limits)? != Some(verdict) {
        return Ok(false);
    }
    // Else, reduction could slip from one bug to another.
    let Some(target) = cure.and_then(|known| K::cured(&trial.target, known)) else {
        return Ok(true);
    };
    agrees(&Trial { target, ..trial.clone() }, kind, oracle, limits)
}

fn agrees<K: Kind>(
    trial: &Trial<K>,
    kind: &K,
    oracle: &mut K::Oracle,
    limits: &Limits,
) -> Result<bool, OracleError> {
    Ok(trial.verdict(kind, oracle, limits)? == Some(Verdict::Agrees))
}
