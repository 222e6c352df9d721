//! Preflight: what a target has to show before anything is believed of it.
//!
//! Every target runs a program that is known to be good, in every setting, and a program with a
//! wrong expectation, which it has to be seen to fail: in every setting, if its exit status is all
//! that it answers with. So an unknown flag, a foreign architecture, a
//! missing feature or a target that says yes to everything is one message before a campaign starts,
//! and never a finding. When a target fails later, the good program tells whether it still works at
//! all.

use std::collections::BTreeSet;

use pathsmith_backend::Backend;
use pathsmith_oracles::{Limits, Oracle, OracleError, Report, Verdict};
use pathsmith_symlang::Seed;
use pathsmith_symlang::lang::{Ending, Program, Scalar, ScalarTy, text};

use crate::discover::{Discover, Env, PreflightStep};
use crate::error::CampaignError;
use crate::family::{Artifact, Family, Options, Target};
use crate::lineup::IsAsked;

const GOOD: &str = include_str!("preflight/good.sym");

/// How many times the lowering options of the good program are drawn, to see whether a target knows
/// what the style may use. Enough for all features of WebAssembly, which a test checks.
const N_STYLES: u64 = 12;

/// How long a program of preflight may compile and run at least, in seconds. A guess: that a
/// machine is slow says nothing of a target.
const PATIENCE: u64 = 30;

/// How much of what a target says is shown: what is wrong stands in the first lines.
const MESSAGE_LINES: usize = 3;

/// The programs of preflight, lowered for one family.
#[derive(Debug)]
pub(crate) struct Preflight<F: Family> {
    /// The good program with the plainest options.
    good: Artifact<F>,
    /// The same, with options as campaigns draw them.
    styled: Vec<Artifact<F>>,
    /// The good program with one wrong expectation.
    bad: Artifact<F>,
}

impl<F: Family> Preflight<F> {
    /// The programs for a family. Options are drawn in its style.
    ///
    /// # Errors
    /// If they cannot be lowered, which is a bug of pathsmith.
    pub(crate) fn new(family: &F) -> Result<Self, OracleError> {
        let ours = |why: String| OracleError::Target { name: "pathsmith".to_owned(), why };
        let good = text::parse("preflight", GOOD).map_err(|error| ours(error.to_string()))?;
        let lower = |program: &Program, options: &Options<F>| {
            family.backend().lower(program, options).map_err(|error| ours(error.to_string()))
        };
        let plain = Options::<F>::default();
        let styled = |n: u64| {
            let mut rng = Seed::new(0).child("preflight").nth(n).rng();
            lower(&good, &family.choose_options(&good, &mut rng))
        };
        Ok(Self {
            bad: lower(&with_wrong_expectation(&good), &plain)?,
            styled: (0..N_STYLES).map(styled).collect::<Result<_, _>>()?,
            good: lower(&good, &plain)?,
        })
    }

    /// Why a target does not work, if it does not: it gets the good program wrong, or says yes to
    /// everything.
    ///
    /// The bad program runs only on targets that answer with an exit status. Where a setting makes
    /// them run nothing at all, they look right. The other answers carry a nonce and the values that
    /// pathsmith compares itself, so that the good program shows all that the bad one would; C and
    /// JVMs have many settings, and each run takes time.
    ///
    /// # Errors
    /// If the oracle cannot work.
    pub(crate) fn problem(
        &self,
        oracle: &mut F::Oracle,
        target: &Target<F>,
        limits: &Limits,
    ) -> Result<Option<String>, OracleError> {
        let limits = &patient(limits);
        if let Some(why) = problem(&oracle.run(&self.good, target, limits)?) {
            return Ok(Some(why));
        }
        match F::answers_with_exit_status(target) {
            true => Ok(problem_with_bad(&oracle.run(&self.bad, target, limits)?)),
            false => Ok(None),
        }
    }

    /// Why nothing that a target says can be believed, if nothing can.
    fn plain_problem(
        &self,
        oracle: &mut F::Oracle,
        target: &Target<F>,
        limits: &Limits,
        has_results: bool,
    ) -> Result<Option<String>, OracleError> {
        let limits = &patient(limits);
        for program in std::iter::once(&self.good).chain(&self.styled) {
            if let Some(why) = problem(&oracle.run(program, target, limits)?) {
                return Ok(Some(why));
            }
        }
        if !has_results {
            return Ok(None);
        }
        Ok(problem_with_bad(&oracle.run(&self.bad, target, limits)?))
    }
}

fn patient(limits: &Limits) -> Limits {
    let (compile_time, run_time) = (limits.compile_time, limits.run_time);
    Limits {
        compile_time: compile_time.max(PATIENCE),
        run_time: run_time.max(PATIENCE),
        ..limits.clone()
    }
}

/// The program, with another output expected of the first realization of its last function.
fn with_wrong_expectation(good: &Program) -> Program {
    let mut bad = good.clone();
    let last = bad.functions.last_mut().and_then(|function| function.realizations.first_mut());
    if let Some(realization) = last
        && let Ending::Returns(value) = realization.ending
    {
        let word = match value.ty() {
            ScalarTy::Int(_) => value.word() ^ 1,
            ScalarTy::Float(ty) if value.word() == 0 => ty.word(1.0),
            ScalarTy::Float(_) => 0,
        };
        realization.ending = Ending::Returns(Scalar::new(value.ty(), word));
    }
    bad
}

/// What keeps a target from being tested.
fn problem(report: &Report) -> Option<String> {
    let said = report.evidence.last().map(|evidence| evidence.message.trim()).unwrap_or_default();
    let lines: Vec<&str> =
        said.lines().map(str::trim).filter(|line| !line.is_empty()).take(MESSAGE_LINES).collect();
    let said = if lines.is_empty() { "it says nothing".to_owned() } else { lines.join("; ") };
    match report.verdict {
        Verdict::Agrees | Verdict::Skipped => None,
        Verdict::InfrastructureFailure => Some(said),
        Verdict::CompileError | Verdict::CompilerTimeout | Verdict::CompilerCrash => {
            Some(format!("it does not take a program that is known to be good: {said}"))
        }
        verdict @ (Verdict::SanitizerError
        | Verdict::Hang
        | Verdict::Crash
        | Verdict::WrongResult) => {
            Some(format!("a program that is known to be good fails: {verdict}: {said}"))
        }
    }
}

/// What keeps a target from being tested that has run a program with a wrong expectation.
fn problem_with_bad(report: &Report) -> Option<String> {
    match report.verdict {
        Verdict::WrongResult | Verdict::SanitizerError => None,
        // It has no way to check it, and says so.
        Verdict::Skipped => None,
        Verdict::Agrees => Some(
            "it reports that a program returns what it should, but the expectation is wrong: \
             what it says does not depend on what the program does"
                .to_owned(),
        ),
        Verdict::InfrastructureFailure
        | Verdict::CompileError
        | Verdict::CompilerTimeout
        | Verdict::CompilerCrash
        | Verdict::Hang
        | Verdict::Crash => problem(report),
    }
}

/// Runs preflight, and leaves out what does not work. Returns what people should know: what was left
/// out, and why.
///
/// # Errors
/// If a target or setting that was asked for does not work.
pub(crate) fn preflight<F: Discover>(
    family: &mut F,
    is_asked: IsAsked,
    limits: &Limits,
    env: &Env,
) -> Result<Vec<String>, CampaignError> {
    let programs = Preflight::new(family)?;
    let has_results = family.has_results();
    let mut oracle = family.oracle(env.stop.clone())?;
    let mut notes = family.notes();
    let (mut targets, mut settings) = (BTreeSet::new(), BTreeSet::new());
    let lineups = family.lineups(is_asked);
    let of = lineups.len();
    for (lineup, number) in lineups.into_iter().zip(1..) {
        let name = F::describe(&lineup.plain).name;
        (env.on_preflight)(&PreflightStep { target: &name, number, of });
        let mut unfit = |what: Option<String>, is_asked: IsAsked, why: String| {
            let message = match &what {
                None => why,
                Some(setting) => format!("in the setting {setting}: {why}"),
            };
            if is_asked == IsAsked::Yes {
                return Err(OracleError::Target { name: name.clone(), why: message });
            }
            notes.push(format!(
                "{name} is left out {}",
                match &what {
                    None => format!("because {message}"),
                    Some(_) => message,
                }
            ));
            match what {
                None => targets.insert(name.clone()),
                Some(setting) => settings.insert((name.clone(), setting)),
            };
            Ok(())
        };
        let plain = programs.plain_problem(&mut oracle, &lineup.plain, limits, has_results)?;
        if let Some(why) = plain {
            let why = match &lineup.plain_setting {
                None => why,
                Some(setting) => format!("in the setting {setting}: {why}"),
            };
            unfit(None, lineup.is_asked, why)?;
            continue;
        }
        for (target, is_asked) in lineup.settings {
            if let Some(why) = programs.problem(&mut oracle, &target, limits)? {
                unfit(Some(F::describe(&target).setting.to_string()), is_asked, why)?;
            }
        }
    }
    family.leave_out(&targets, &settings);
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use pathsmith_backend_wasm::WasmModule;

    use super::*;
    use crate::config::FuzzConfig;
    use crate::families::WasmEngines;

    /// An engine that lacks a feature which campaigns use is noticed before they start.
    #[test]
    fn preflight_has_every_feature_that_modules_use() {
        let config = FuzzConfig::default().wasm;
        let family = WasmEngines { config, targets: Vec::new(), program: "pathsmith".into() };
        let programs = Preflight::new(&family).unwrap();
        let text: Vec<String> =
            programs.styled.iter().map(|module| module.wat().unwrap()).collect();
        // What `docs/engines.md` lists, but for tail calls, which are off.
        let features = [
            " (mut i32) ",
            "(export \"ps.sink\" (global ",
            "i32.extend8_s",
            "i32.extend16_s",
            "memory.init",
            "memory.fill",
            "(result i32 i64",
            "select (result ",
            "call_indirect",
        ];
        let is_missing = |feature: &&str| !text.iter().any(|text| text.contains(feature));
        let missing: Vec<&str> = features.into_iter().filter(is_missing).collect();
        assert!(missing.is_empty(), "{missing:?}");
        let has_crc = |module: &WasmModule| module.imports_crc;
        assert!(programs.styled.iter().any(has_crc), "a checksum of the host");
        assert!(!programs.styled.iter().all(has_crc), "a checksum of the module");
    }
}
