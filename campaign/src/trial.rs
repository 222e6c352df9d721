//! A program, how it is spelled, and what it is run on: all it takes to see a finding again.

use pathsmith_backend::Backend;
use pathsmith_oracles::{Limits, OracleError, Report, Verdict};
use pathsmith_symlang::lang::{Function, Program, Realization, Scalar};
use thiserror::Error;

use crate::finding::Finding;
use crate::kind::{Artifact, Kind, Options, Target};

/// A program, how it is spelled, and what it is run on.
#[derive(Debug)]
pub struct Trial<K: Kind> {
    /// The program.
    pub program: Program,
    /// How it is spelled.
    pub options: Options<K>,
    /// What it is run on.
    pub target: Target<K>,
}

impl<K: Kind> Clone for Trial<K> {
    fn clone(&self) -> Self {
        let Self { program, options, target } = self;
        Self { program: program.clone(), options: options.clone(), target: target.clone() }
    }
}

/// Why a finding cannot be run again.
#[derive(Debug, Error)]
#[error("the finding's {what} cannot be read: {why}")]
pub struct TrialError {
    what: &'static str,
    why: String,
}

impl<K: Kind> Trial<K> {
    /// What shows a finding, on the target that showed it.
    ///
    /// # Errors
    /// Where the finding was saved by a version that spells options or targets in another way.
    pub fn of(kind: &K, finding: &Finding) -> Result<Self, TrialError> {
        let wrong =
            |what| move |error: serde_json::Error| TrialError { what, why: error.to_string() };
        let target = serde_json::from_value(finding.run_on.clone()).map_err(wrong("target"))?;
        Ok(Self {
            program: finding.program.clone(),
            options: serde_json::from_value(finding.options.clone()).map_err(wrong("options"))?,
            target: kind.located(target),
        })
    }

    /// Runs it alone. `None` stands for a program that cannot be spelled so.
    ///
    /// # Errors
    /// Where the oracle cannot work.
    pub fn run(
        &self,
        kind: &K,
        oracle: &mut K::Oracle,
        limits: &Limits,
    ) -> Result<Option<(Artifact<K>, Report)>, OracleError> {
        let Ok(artifact) = kind.backend().lower(&self.program, &self.options) else {
            return Ok(None);
        };
        let report = K::run_alone(oracle, &artifact, &self.target, limits)?;
        Ok(Some((artifact, report)))
    }

    /// Says quickly whether what it is run on does what it should. `None` stands for a program that
    /// cannot be spelled so.
    ///
    /// # Errors
    /// Where the oracle cannot work.
    pub(crate) fn verdict(
        &self,
        kind: &K,
        oracle: &mut K::Oracle,
        limits: &Limits,
    ) -> Result<Option<Verdict>, OracleError> {
        let Ok(artifact) = kind.backend().lower(&self.program, &self.options) else {
            return Ok(None);
        };
        K::run_quickly(oracle, &artifact, &self.target, limits).map(|report| Some(report.verdict))
    }

    /// All that is known of a finding, but for where it comes from and its files.
    pub fn finding(&self, verdict: Verdict, report: &Report) -> Finding {
        let first = report.disagreements.iter().find(|found| found.verdict == verdict);
        let call = first.and_then(|found| {
            let function = self.program.function(found.function);
            let realization = function.realizations.get(found.realization)?;
            Some((spelled_call(function, realization), realization.ending.to_string()))
        });
        let (call, expected) = call.unzip();
        Finding {
            batch: 0,
            number: 0,
            seed: 0,
            verdict,
            target: K::describe(&self.target),
            call,
            expected,
            actual: first.and_then(|found| found.actual.clone()),
            evidence: report.evidence.clone(),
            program: self.program.clone(),
            options: serde_json::to_value(&self.options).unwrap_or_default(),
            run_on: serde_json::to_value(&self.target).unwrap_or_default(),
            signature: None,
            files: Vec::new(),
        }
    }
}

/// A call as findings spell it: `f7(1, 2)`.
pub(crate) fn spelled_call(function: &Function, realization: &Realization) -> String {
    let args: Vec<String> = realization.args.iter().map(Scalar::to_string).collect();
    format!("{}({})", function.name, args.join(", "))
}
