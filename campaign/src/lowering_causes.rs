//! Ways of lowering that suppress a finding.
//!
//! Compilers have flags that disable optimizations one at a time; most engines have none. What can be
//! changed instead is what they are given: a program in which every `select` is an `if` says that
//! `select` is what goes wrong.

use pathsmith_backend::{Backend, ProgramOptions};
use pathsmith_oracles::{Limits, OracleError, Report, Signature, SuppressingFlag, Triage, Verdict};

use crate::campaign::Campaign;
use crate::family::{Artifact, Family, Options};
use crate::reproducer::Reproducer;
use crate::variation::Variation;

/// How long a program may take each time, in seconds, if the limits allow for more. A guess: what is
/// asked is whether it works.
const MAX_TIME: u64 = 10;

/// What triage says of a finding that shows in every setting of an engine.
const EVERY_SETTING: &str = "every setting";

impl<F: Family> Campaign<F> {
    /// What a finding is deduplicated by, with the ways of lowering that suppress it if it is wrong
    /// code that no flag suppresses.
    ///
    /// # Errors
    /// If the oracle cannot work.
    pub(crate) fn signature_of(
        &self,
        oracle: &mut F::Oracle,
        shown: &Reproducer<F>,
        artifact: &Artifact<F>,
        report: &Report,
    ) -> Result<Signature, OracleError> {
        let mut signature = oracle.signature(artifact, &shown.target, report, &self.limits)?;
        let is_wrong_code = match signature.verdict {
            Verdict::WrongResult | Verdict::Crash | Verdict::Hang => !signature.is_crash_report,
            Verdict::Agrees
            | Verdict::Skipped
            | Verdict::InfrastructureFailure
            | Verdict::CompileError
            | Verdict::SanitizerError
            | Verdict::CompilerCrash
            | Verdict::CompilerTimeout => false,
        };
        if !is_wrong_code || !signature.suppressing_flags.is_empty() {
            return Ok(signature);
        }
        let kinds =
            [(Options::<F>::SPECIFIC_VARIATIONS, false), (Options::<F>::BROAD_VARIATIONS, true)];
        let all =
            kinds.iter().flat_map(|(texts, is_broad)| texts.iter().map(|it| (*it, *is_broad)));
        for (text, is_broad) in all {
            let Ok(variation) = text.parse() else { continue };
            if self.passes_lowered(oracle, shown, &variation)? == Some(true) {
                let found = SuppressingFlag { flag: text.to_owned(), is_broad };
                signature.suppressing_lowerings.push(found);
            }
        }
        let specific: Vec<String> = signature
            .suppressing_lowerings
            .iter()
            .filter(|known| !known.is_broad)
            .map(|known| lowering_of(&known.flag))
            .collect();
        if !specific.is_empty() {
            // What shows whatever the setting is has no cause there.
            signature.suspected_causes.retain(|cause| cause != EVERY_SETTING);
            signature.suspected_causes.extend(specific);
            signature.suspected_causes.dedup();
        }
        Ok(signature)
    }

    /// Whether the target does what it should if the program is lowered in another way. `None` if it
    /// is lowered in that way already, or cannot be.
    ///
    /// # Errors
    /// If the oracle cannot work.
    pub(crate) fn passes_lowered(
        &self,
        oracle: &mut F::Oracle,
        shown: &Reproducer<F>,
        variation: &Variation,
    ) -> Result<Option<bool>, OracleError> {
        let Ok(options) = variation.of(&shown.options, shown.program.functions.len()) else {
            return Ok(None);
        };
        let backend = self.family.backend();
        let Ok(artifact) = backend.lower(&shown.program, &options) else { return Ok(None) };
        if backend.lower(&shown.program, &shown.options).is_ok_and(|as_shown| as_shown == artifact)
        {
            return Ok(None);
        }
        let limits = quick(&self.limits);
        let report = F::run_quickly(oracle, &artifact, &shown.target, &limits)?;
        Ok(Some(report.verdict == Verdict::Agrees))
    }
}

fn quick(limits: &Limits) -> Limits {
    let mut limits = limits.clone();
    limits.compile_time = limits.compile_time.min(MAX_TIME);
    limits.run_time = limits.run_time.min(MAX_TIME);
    limits
}

/// A variation as a cause: `lowering of selects`.
pub(crate) fn lowering_of(variation: &str) -> String {
    let option = variation.split_once('=').map_or(variation, |(option, _)| option);
    format!("lowering of {option}")
}
