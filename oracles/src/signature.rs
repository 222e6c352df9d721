//! Signatures: what findings are deduplicated by.

use serde::{Deserialize, Serialize};

use crate::oracle::{Limits, Oracle, OracleError};
use crate::verdict::{Report, Verdict};

/// What causes a finding, as far as the target shows. Findings with the same [`key`] are taken to be
/// one bug, seen several times.
///
/// [`key`]: Signature::key
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// What happened.
    pub verdict: Verdict,
    /// Whose target it is, whatever its version and setting: `gcc`, `wasmtime`, `java`.
    pub target: String,
    /// The suspected causes: optimizations whose absence suppresses the finding, the pass that it
    /// is bisected to, or where the target says it crashed. Their order does not depend on the
    /// finding.
    pub suspected_causes: Vec<String>,
    /// What people want to know beside that. It may differ between findings of one bug.
    pub detail: Option<String>,
    /// Flags that suppress the finding, each of them alone, the most specific first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressing_flags: Vec<SuppressingFlag>,
    /// Ways of lowering that suppress the finding, each of them alone, the most specific first:
    /// `selects=if-else`. They are looked for if no flag does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressing_lowerings: Vec<SuppressingFlag>,
    /// The pass that the finding is bisected to, without its number: `tree-slsr`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bisected_pass: Option<String>,
    /// Whether the suspected causes are where the target says that it crashed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_crash_report: bool,
}

/// A flag or a way of lowering that suppresses a finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SuppressingFlag {
    /// The flag as the target is given it: `-fno-tree-slsr`, or `-mllvm -disable-lsr`, which are two
    /// words. Of a way of lowering, the option and its value: `selects=if-else`.
    pub flag: String,
    /// Whether it disables so much that it suppresses findings of many bugs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_broad: bool,
}

impl SuppressingFlag {
    /// Flags, those that are not broad first, and `first` before all others.
    pub(crate) fn ranked(
        flags: impl IntoIterator<Item = String>,
        is_broad: impl Fn(&str) -> bool,
        first: Option<&str>,
    ) -> Vec<Self> {
        let flag = |flag: String| Self { is_broad: is_broad(&flag), flag };
        let mut ranked: Vec<Self> = flags.into_iter().map(flag).collect();
        ranked.sort_by_key(|known| (known.is_broad, Some(&known.flag[..]) != first));
        ranked
    }
}

impl Signature {
    /// A signature that is known by its suspected causes alone.
    pub fn new(verdict: Verdict, target: impl Into<String>, suspected_causes: Vec<String>) -> Self {
        Self {
            verdict,
            target: target.into(),
            suspected_causes,
            detail: None,
            suppressing_flags: Vec::new(),
            suppressing_lowerings: Vec::new(),
            bisected_pass: None,
            is_crash_report: false,
        }
    }

    /// The name of all findings that have this in common: `gcc: wrong result: tree-slsr`.
    pub fn key(&self) -> String {
        let causes = match self.suspected_causes.is_empty() {
            true => "unknown".to_owned(),
            false => self.suspected_causes.join(", "),
        };
        format!("{}: {}: {causes}", self.target, self.verdict.name().replace('-', " "))
    }
}

/// An oracle that says what causes findings.
pub trait Triage: Oracle {
    /// How many times the target is run for one signature, at the most. If that is not enough, the
    /// signature rests on what is known by then, and its detail says so.
    const MAX_RUNS: u32;

    /// What causes the finding that `report` is about: what `target` made of `artifact`.
    ///
    /// The same finding has the same signature each time, as long as the target behaves the same
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

    /// Where the target says that it crashed, if `report` is about that: what the signature has as
    /// its suspected causes, without any runs.
    fn crash_report(target: &Self::Target, report: &Report) -> Option<Vec<String>>;
}

/// What a finding does with other settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrialOutcome {
    /// The target does what it should: the change suppresses the finding.
    Passes,
    /// It still fails, in this way or another.
    Fails,
    /// Neither: the target does not take the change, or the budget of runs is spent.
    Unclear,
}

impl TrialOutcome {
    /// What a verdict says of a finding whose verdict is `found`.
    pub(crate) fn of(verdict: Verdict, found: Verdict) -> Self {
        match verdict {
            Verdict::Agrees => Self::Passes,
            Verdict::Skipped
            | Verdict::InfrastructureFailure
            | Verdict::CompileError
            | Verdict::SanitizerError => Self::Unclear,
            Verdict::CompilerTimeout
            | Verdict::CompilerCrash
            | Verdict::Hang
            | Verdict::Crash
            | Verdict::WrongResult => {
                // The change may have uncovered another bug.
                match verdict.is_about_compiling() == found.is_about_compiling() {
                    true => Self::Fails,
                    false => Self::Unclear,
                }
            }
        }
    }
}

/// How many runs are left.
#[derive(Debug)]
pub(crate) struct RunBudget {
    n_left: u32,
    was_exceeded: bool,
}

impl RunBudget {
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
        self.was_exceeded
            .then(|| "not everything was tried: the budget of runs was spent".to_owned())
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
    fn keys_have_target_verdict_and_causes_but_no_detail() {
        let mut signature =
            Signature::new(Verdict::WrongResult, "gcc", vec!["tree-slsr".to_owned()]);
        signature.detail = Some("with -fwrapv".to_owned());
        assert_eq!(signature.key(), "gcc: wrong result: tree-slsr");
        signature.suspected_causes.push("tree-ter".to_owned());
        assert_eq!(signature.key(), "gcc: wrong result: tree-slsr, tree-ter");
        signature.suspected_causes.clear();
        assert_eq!(signature.key(), "gcc: wrong result: unknown");
    }

    #[test]
    fn a_change_that_crashes_the_compiler_suppresses_nothing_and_shows_nothing() {
        use Verdict::{Agrees, CompileError, CompilerCrash, CompilerTimeout, Hang, WrongResult};
        for (verdict, found, expected) in [
            (Agrees, WrongResult, TrialOutcome::Passes),
            (Hang, WrongResult, TrialOutcome::Fails),
            (CompilerCrash, WrongResult, TrialOutcome::Unclear),
            (CompileError, WrongResult, TrialOutcome::Unclear),
            (CompilerTimeout, CompilerTimeout, TrialOutcome::Fails),
        ] {
            assert_eq!(TrialOutcome::of(verdict, found), expected, "{verdict}");
        }
    }

    #[test]
    fn flags_that_disable_little_come_first() {
        let flags = ["-fno-inline", "-fno-ivopts", "-fno-tree-slsr"].map(str::to_owned);
        let ranked =
            SuppressingFlag::ranked(flags, |flag| flag == "-fno-inline", Some("-fno-tree-slsr"));
        let flags: Vec<&str> = ranked.iter().map(|known| &known.flag[..]).collect();
        assert_eq!(flags, ["-fno-tree-slsr", "-fno-ivopts", "-fno-inline"]);
        assert!(ranked[2].is_broad && !ranked[0].is_broad);
    }

    #[test]
    fn a_spent_budget_leaves_a_remark() {
        let mut budget = RunBudget::new(2);
        assert!(budget.take() && budget.take());
        assert_eq!(budget.remark(), None);
        assert!(!budget.take() && !budget.take());
        assert!(budget.remark().is_some());
    }
}
