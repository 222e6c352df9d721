//! What tells findings apart.

use serde::{Deserialize, Serialize};

use crate::oracle::{Limits, Oracle, OracleError};
use crate::verdict::{Report, Verdict};

/// What a finding comes from, as far as the target tells. Findings with the same [`key`] are taken
/// to be one bug, seen several times.
///
/// [`key`]: Signature::key
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// What happened.
    pub verdict: Verdict,
    /// Whose target it is, whatever its version and setting: `gcc`, `wasmtime`, `java`.
    pub target: String,
    /// What is to blame: optimizations, passes, or what the target says of its own crash. In an
    /// order that does not depend on the finding.
    pub culprit: Vec<String>,
    /// What people want to know beside that: it may differ between findings of one bug.
    pub detail: Option<String>,
}

impl Signature {
    /// The name of all findings that have this in common: `gcc: wrong output: tree-slsr`.
    pub fn key(&self) -> String {
        let culprit = match self.culprit.is_empty() {
            true => "unknown".to_owned(),
            false => self.culprit.join(", "),
        };
        format!("{}: {}: {culprit}", self.target, self.verdict)
    }
}

/// An oracle that says what findings come from.
pub trait Triage: Oracle {
    /// How many times the target is run for one signature, at the most. Where that does not do,
    /// the signature rests on what is known by then, and its detail says so.
    const MAX_RUNS: u32;

    /// What the finding that `report` is about comes from: what `target` made of `artifact`.
    ///
    /// The same finding gives the same signature each time, as long as the target behaves the same
    /// each time. Each of the runs keeps within `limits`.
    ///
    /// # Errors
    /// As for [`Oracle::run`].
    fn signature(
        &mut self,
        artifact: &Self::Artifact,
        target: &Self::Target,
        report: &Report,
        limits: &Limits,
    ) -> Result<Signature, OracleError>;
}

/// What a change of settings makes of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trial {
    /// The target does what it should.
    Cured,
    /// It still goes wrong, in this way or another.
    Ill,
    /// It cannot be told: the target does not take the change, or nothing may be run any more.
    Unclear,
}

impl Trial {
    /// What a verdict says of a finding whose verdict is `found`.
    pub(crate) fn of(verdict: Verdict, found: Verdict) -> Self {
        let is_about_compiling =
            |verdict| matches!(verdict, Verdict::CompilerCrashed | Verdict::CompilerHung);
        match verdict {
            Verdict::Agrees => Self::Cured,
            // The change has brought up something else.
            _ if is_about_compiling(verdict) != is_about_compiling(found) => Self::Unclear,
            _ if verdict.is_finding() => Self::Ill,
            _ => Self::Unclear,
        }
    }
}

/// How many runs are left.
#[derive(Debug)]
pub(crate) struct Budget {
    n_left: u32,
    was_exceeded: bool,
}

impl Budget {
    pub(crate) const fn new(n_runs: u32) -> Self {
        Self { n_left: n_runs, was_exceeded: false }
    }

    /// Takes one run, if there is one.
    pub(crate) fn take(&mut self) -> bool {
        let is_left = self.n_left > 0;
        self.n_left = self.n_left.saturating_sub(1);
        self.was_exceeded |= !is_left;
        is_left
    }

    /// A remark about runs that were not made, if there were any.
    pub(crate) fn remark(&self) -> Option<String> {
        self.was_exceeded.then(|| "not all was tried, for want of runs".to_owned())
    }
}

/// The parts of a detail, if there are any.
pub(crate) fn joined(parts: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_say_who_what_and_why_but_no_detail() {
        let mut signature = Signature {
            verdict: Verdict::WrongOutput,
            target: "gcc".to_owned(),
            culprit: vec!["tree-slsr".to_owned()],
            detail: Some("with -fwrapv".to_owned()),
        };
        assert_eq!(signature.key(), "gcc: wrong output: tree-slsr");
        signature.culprit.push("tree-ter".to_owned());
        assert_eq!(signature.key(), "gcc: wrong output: tree-slsr, tree-ter");
        signature.culprit.clear();
        assert_eq!(signature.key(), "gcc: wrong output: unknown");
    }

    #[test]
    fn a_change_that_crashes_the_compiler_cures_nothing_and_shows_nothing() {
        use Verdict::{Agrees, CompilerCrashed, CompilerHung, Hung, Rejected, WrongOutput};
        for (verdict, found, expected) in [
            (Agrees, WrongOutput, Trial::Cured),
            (Hung, WrongOutput, Trial::Ill),
            (CompilerCrashed, WrongOutput, Trial::Unclear),
            (Rejected, WrongOutput, Trial::Unclear),
            (CompilerHung, CompilerHung, Trial::Ill),
        ] {
            assert_eq!(Trial::of(verdict, found), expected, "{verdict}");
        }
    }

    #[test]
    fn a_budget_comes_to_an_end_and_says_so() {
        let mut budget = Budget::new(2);
        assert!(budget.take() && budget.take());
        assert_eq!(budget.remark(), None);
        assert!(!budget.take() && !budget.take());
        assert!(budget.remark().is_some());
    }
}
