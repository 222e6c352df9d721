//! A program, its lowering options and a target: all it takes to see a finding again.

use pathsmith_backend::Backend;
use pathsmith_oracles::{Limits, Observed, OracleError, Report, Verdict, shown_line};
use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::{Function, Program, Realization, Scalar};
use serde_json::Value;
use thiserror::Error;

use crate::family::{Artifact, Family, Options, Target};
use crate::finding::{Finding, SerializeError};

/// A program, its lowering options and a target.
#[derive(Debug)]
pub struct Reproducer<F: Family> {
    /// The program.
    pub program: Program,
    /// Its lowering options.
    pub options: Options<F>,
    /// What it is run on.
    pub target: Target<F>,
}

impl<F: Family> Clone for Reproducer<F> {
    fn clone(&self) -> Self {
        let Self { program, options, target } = self;
        Self { program: program.clone(), options: options.clone(), target: target.clone() }
    }
}

/// Why a finding cannot be run again.
#[derive(Debug, Error)]
#[error("the finding's {what} cannot be read: {why}")]
pub struct ReproducerError {
    what: &'static str,
    why: String,
}

impl<F: Family> Reproducer<F> {
    /// What shows a finding, on the target that showed it.
    ///
    /// # Errors
    /// If the finding was saved by a version with other options or targets.
    pub fn of(family: &F, finding: &Finding) -> Result<Self, ReproducerError> {
        let wrong =
            |what| move |error: serde_json::Error| ReproducerError { what, why: error.to_string() };
        let target = serde_json::from_value(finding.run_on.clone()).map_err(wrong("target"))?;
        Ok(Self {
            program: finding.program.clone(),
            options: serde_json::from_value(finding.options.clone()).map_err(wrong("options"))?,
            target: family.located(target),
        })
    }

    /// Runs it alone. `None` stands for a program that cannot be lowered with these options.
    ///
    /// # Errors
    /// If the oracle cannot work.
    pub fn run(
        &self,
        family: &F,
        oracle: &mut F::Oracle,
        limits: &Limits,
    ) -> Result<Option<(Artifact<F>, Report)>, OracleError> {
        let Ok(artifact) = family.backend().lower(&self.program, &self.options) else {
            return Ok(None);
        };
        let report = F::run_alone(oracle, &artifact, &self.target, limits)?;
        Ok(Some((artifact, report)))
    }

    /// Says quickly whether the target does what it should. `None` stands for a program that cannot
    /// be lowered with these options.
    ///
    /// # Errors
    /// If the oracle cannot work.
    pub(crate) fn verdict(
        &self,
        family: &F,
        oracle: &mut F::Oracle,
        limits: &Limits,
    ) -> Result<Option<Verdict>, OracleError> {
        let Ok(artifact) = family.backend().lower(&self.program, &self.options) else {
            return Ok(None);
        };
        F::run_quickly(oracle, &artifact, &self.target, limits).map(|report| Some(report.verdict))
    }

    /// All that is known of a finding, but for where it comes from and its files.
    ///
    /// # Errors
    /// If the options or the target cannot be saved: without them the finding could not be seen
    /// again.
    pub fn finding(&self, verdict: Verdict, report: &Report) -> Result<Finding, SerializeError> {
        let first = report.disagreements.iter().find(|found| found.verdict == verdict);
        let call = first.and_then(|found| {
            let function = self.program.function(found.function);
            let realization = function.realizations.get(found.realization)?;
            let expected = match &found.actual {
                Some(actual) => actual.expected(realization),
                None => realization.ending.to_string(),
            };
            Some((call_text(function, realization), expected))
        });
        let (call, expected) = call.unzip();
        let (options, run_on) = self.saved()?;
        Ok(Finding {
            batch: 0,
            number: 0,
            variant: 0,
            seed: 0,
            verdict,
            target: F::describe(&self.target),
            call,
            expected,
            actual: first
                .and_then(|found| found.actual.as_ref().map(Observed::to_string))
                .map(|actual| shown_line(&actual)),
            evidence: report.evidence.clone(),
            program: self.program.clone(),
            options,
            run_on,
            signature: None,
            arms: Vec::new(),
            origin: None,
            bug: None,
            files: Vec::new(),
        })
    }

    /// The options and the target as findings save them.
    pub(crate) fn saved(&self) -> Result<(Value, Value), SerializeError> {
        let options =
            serde_json::to_value(&self.options).map_err(SerializeError::of("lowering options"))?;
        let target = serde_json::to_value(&self.target).map_err(SerializeError::of("target"))?;
        Ok((options, target))
    }
}

/// The realization of a program that a finding is about, if it is about one.
pub(crate) fn failed_call(finding: &Finding, program: &Program) -> Option<(FuncId, usize)> {
    let call = finding.call.as_ref()?;
    program.functions_with_ids().find_map(|(id, function)| {
        let is_it = |known: &Realization| *call == call_text(function, known);
        Some((id, function.realizations.iter().position(is_it)?))
    })
}

/// That a target does not work, which its report says.
pub(crate) fn unavailable<F: Family>(target: &Target<F>, report: &Report) -> OracleError {
    let why = report.evidence.last().map(|evidence| evidence.message.clone());
    OracleError::Unavailable { name: F::describe(target).full_name(), why: why.unwrap_or_default() }
}

/// A call as findings write it: `f7(1, 2)`.
pub(crate) fn call_text(function: &Function, realization: &Realization) -> String {
    let args: Vec<String> = realization.args.iter().map(Scalar::to_string).collect();
    format!("{}({})", function.name, args.join(", "))
}
