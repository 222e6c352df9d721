//! What a target said about an artifact, and the report that follows from it.

use std::collections::BTreeSet;

use pathsmith_symlang::FuncId;

use super::interruption::Interruption;
use crate::oracle::Spent;
use crate::verdict::{Disagreement, Evidence, Observed, Report, Verdict};

/// What a target said about an artifact.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    /// Whether the artifact was compiled, or loaded, and calls were being made.
    pub(crate) is_running: bool,
    /// The call that it was at, or the first one of the function that it was at.
    pub(crate) at: Option<usize>,
    /// Calls that went wrong, in the order of the answers.
    pub(crate) failures: Vec<CallFailure>,
    /// How many calls were answered: the first ones, each once. Their results were compared.
    pub(crate) n_checked: u64,
    /// Calls that a target stopped repeating, because they did something else than the first time.
    pub(crate) stopped: BTreeSet<usize>,
    /// The CPU time that the target itself reports.
    pub(crate) spent: Spent,
    /// What kept it from answering to the end.
    pub(crate) interruption: Option<Interruption>,
    /// Whether it says that it was compiling when it died.
    pub(crate) has_crashed_compiling: bool,
}

/// A call that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallFailure {
    /// The number of the call.
    pub(crate) call: usize,
    /// What is wrong with it.
    pub(crate) verdict: Verdict,
    /// What is wrong about its result, if it returned.
    pub(crate) actual: Option<Observed>,
    /// What there is to say about it.
    pub(crate) message: Option<String>,
}

impl Transcript {
    /// Whether something is wrong with a call.
    pub(crate) fn has_failed(&self, call: usize) -> bool {
        self.failures.iter().any(|failure| failure.call == call)
    }

    /// The same, interrupted.
    #[must_use]
    pub(crate) fn interrupted(self, interruption: Interruption) -> Self {
        Self { interruption: Some(interruption), ..self }
    }

    /// The verdict about what interrupted it.
    pub(crate) fn verdict(&self) -> Verdict {
        match &self.interruption {
            None => Verdict::Agrees,
            Some(Interruption::Died) if self.has_crashed_compiling => Verdict::CompilerCrash,
            Some(interruption) => interruption.verdict(self.is_running),
        }
    }

    /// Whether it was interrupted while calls were being made, so that one of them is to blame.
    pub(crate) fn was_interrupted_running(&self) -> bool {
        self.is_running && self.interruption.as_ref().is_some_and(Interruption::is_silent)
    }

    /// What there is to say beside the verdict; `who` is the target.
    pub(crate) fn message(&self, who: &str) -> String {
        match &self.interruption {
            Some(interruption) => interruption.message(who),
            None => self.failures.iter().find_map(|it| it.message.clone()).unwrap_or_default(),
        }
    }

    /// The report. `calls` are the functions and realizations of all calls.
    pub(crate) fn report(&self, calls: &[(FuncId, usize)], evidence: Evidence) -> Report {
        let disagreement = |call: usize, verdict: Verdict, actual: Option<Observed>| {
            let (function, realization) = *calls.get(call)?;
            Some(Disagreement { function, realization, verdict, actual })
        };
        let failed = self
            .failures
            .iter()
            .filter_map(|it| disagreement(it.call, it.verdict, it.actual.clone()));
        let last = self.at.filter(|_| self.was_interrupted_running());
        let last = last.and_then(|call| disagreement(call, self.verdict(), None));
        let disagreements: Vec<Disagreement> = failed.chain(last).collect();
        let worst = disagreements.iter().map(|found| found.verdict).max();
        let verdict = worst.map_or(self.verdict(), |worst| worst.max(self.verdict()));
        Report { verdict, disagreements, evidence: vec![evidence], n_checked: self.n_checked }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls() -> Vec<(FuncId, usize)> {
        (0..3).map(|i| (FuncId::new(i), 0)).collect()
    }

    fn wrong_result(call: usize) -> CallFailure {
        let (actual, message) = (Some(Observed::Returned("7".to_owned())), None);
        CallFailure { call, verdict: Verdict::WrongResult, actual, message }
    }

    fn check(transcript: &Transcript, verdict: Verdict, blamed: &[usize]) {
        let report = transcript.report(&calls(), Evidence::default());
        let found: Vec<usize> =
            report.disagreements.iter().map(|found| found.function.index()).collect();
        assert_eq!((report.verdict, &found[..]), (verdict, blamed), "{transcript:?}");
    }

    #[test]
    fn an_interruption_is_blamed_on_the_call_it_was_at() {
        let running = || Transcript { is_running: true, at: Some(1), ..Transcript::default() };
        check(&running(), Verdict::Agrees, &[]);
        check(&running().interrupted(Interruption::Hung), Verdict::Hang, &[1]);
        check(&running().interrupted(Interruption::Died), Verdict::Crash, &[1]);
        let compiling = Transcript::default().interrupted(Interruption::Died);
        check(&compiling, Verdict::CompilerCrash, &[]);
        let refused = Interruption::CompileError("no".to_owned());
        check(&running().interrupted(refused), Verdict::CompileError, &[]);
        let crashed = Transcript { has_crashed_compiling: true, ..running() };
        check(&crashed.interrupted(Interruption::Died), Verdict::CompilerCrash, &[1]);
    }

    #[test]
    fn the_worst_counts() {
        let failures = vec![wrong_result(0)];
        let transcript =
            Transcript { is_running: true, at: Some(1), failures, ..Transcript::default() };
        check(&transcript.interrupted(Interruption::Hung), Verdict::WrongResult, &[0, 1]);
    }
}
