//! Files of plain C, which have no harness: they abort if something is wrong.

use std::path::Path;
use std::time::Duration;

use super::{
    COracle, CSetting, CTarget, Compiler, Toolchain, judge, words_for_floats, write_files,
};
use crate::oracle::{Limits, OracleError, StepError};
use crate::process::{End, Stop};
use crate::verdict::{Evidence, Report, Verdict};
use pathsmith_backend_c::CFile;

/// The signal of `abort` on Linux.
const SIGABRT: i32 = 6;

/// What a file is called while it is tried, and later.
pub const BUG_FILE: &str = "bug.c";

impl COracle {
    /// Compiles a file as a person would, with the flags of the target's setting alone, and runs it,
    /// unless it is only to be compiled. It agrees if it exits with 0; another status is a wrong
    /// result, as is an abort.
    ///
    /// # Errors
    /// If the oracle cannot work.
    pub fn run_plain(
        &mut self,
        text: &str,
        target: &CTarget,
        is_run: bool,
        limits: &Limits,
    ) -> Result<Report, OracleError> {
        let run_time = Duration::from_secs(limits.run_time);
        self.run_plain_for(text, target, is_run, limits, run_time)
    }

    /// The same, if it may run for another time than the limits say.
    ///
    /// # Errors
    /// If the oracle cannot work.
    pub fn run_plain_for(
        &mut self,
        text: &str,
        target: &CTarget,
        is_run: bool,
        limits: &Limits,
        run_time: Duration,
    ) -> Result<Report, OracleError> {
        let report = self.plain_steps(text, target, is_run, limits, run_time);
        report.or_else(StepError::into_report)
    }

    fn plain_steps(
        &mut self,
        text: &str,
        target: &CTarget,
        is_run: bool,
        limits: &Limits,
        run_time: Duration,
    ) -> Result<Report, StepError> {
        let dir = self.fresh_folder()?;
        write_files(dir.path(), [&CFile { name: BUG_FILE.to_owned(), text: text.to_owned() }])?;
        let command = target.toolchain.line(dir.path()).args(&target.setting.flags);
        let (command, product) = match is_run {
            true => (command.args([BUG_FILE, "-o", "bug"]), "bug"),
            false => (command.args(["-c", BUG_FILE, "-o", "bug.o"]), "bug.o"),
        };
        let command = command.args(words_for_floats(target.toolchain.compiler, [text]));
        let mut evidence = Vec::new();
        self.compile(&command, &dir.path().join(product), target, limits, &mut evidence)?;
        if !is_run {
            return Ok(Report::new(Verdict::Agrees, evidence));
        }
        self.execute_plain(dir.path(), target, limits, run_time, evidence)
    }

    fn execute_plain(
        &mut self,
        dir: &Path,
        target: &CTarget,
        limits: &Limits,
        run_time: Duration,
        mut evidence: Vec<Evidence>,
    ) -> Result<Report, StepError> {
        let command = target.toolchain.program("./bug", dir);
        if let Some(missing) = self.missing_features(target)? {
            let message = format!("not run: the processor lacks {missing}");
            evidence.push(Evidence::said(command.words(), message));
            return Err(Report::new(Verdict::InfrastructureFailure, evidence).into());
        }
        let is_sanitizer = target.setting.name.is_sanitizer();
        let ended = self.run_command_for(&command, run_time, !is_sanitizer, limits)?;
        self.spent.run += ended.cpu;
        let verdict = match ended.end {
            _ if ended.end.is_success() => Verdict::Agrees,
            _ if is_sanitizer => Verdict::SanitizerError,
            End::Limit(_) => Verdict::Hang,
            end if end.signal().is_some_and(|signal| signal != SIGABRT) => Verdict::Crash,
            End::Status(_) | End::Stopped => Verdict::WrongResult,
        };
        let said = judge::first_lines(&String::from_utf8_lossy(&ended.stderr));
        evidence.push(Evidence::of(&command, &ended, said));
        Ok(Report::new(verdict, evidence))
    }
}

/// The compilers that say whether a file of plain C is right.
#[derive(Clone, Debug)]
pub struct Witnesses {
    /// Without optimization.
    pub plain: Vec<CTarget>,
    /// Without optimization, with sanitizers: those that have the runtime for it.
    pub sanitizers: Vec<CTarget>,
}

impl Witnesses {
    /// All compilers of this machine that compile and run a small program, and `target`'s.
    ///
    /// # Errors
    /// If there is no room for a trial, or it is stopped.
    pub fn at_hand(target: &CTarget, stop: &Stop) -> Result<Self, OracleError> {
        let mut toolchains = vec![target.toolchain.clone()];
        for other in Toolchain::on_path(stop)? {
            if toolchains.iter().all(|known| known.path != other.path) {
                toolchains.push(other);
            }
        }
        let mut witnesses = Self { plain: Vec::new(), sanitizers: Vec::new() };
        for toolchain in toolchains {
            let level = CSetting::level("-O0");
            let sanitizers = CSetting::plain_sanitizers(toolchain.compiler);
            if !level.is_taken_by(&toolchain, stop)? {
                continue;
            }
            let has_sanitizers = toolchain.compiler != Compiler::Other
                && sanitizers.is_taken_by(&toolchain, stop)?;
            if has_sanitizers {
                let (toolchain, setting) = (toolchain.clone(), sanitizers);
                witnesses.sanitizers.push(CTarget { toolchain, setting });
            }
            witnesses.plain.push(CTarget { toolchain, setting: level });
        }
        Ok(witnesses)
    }

    /// Why a file is not right, if one of them says so. What is not run is not asked of sanitizers.
    ///
    /// # Errors
    /// If the oracle cannot work.
    pub fn objection(
        &self,
        oracle: &mut COracle,
        text: &str,
        is_run: bool,
        limits: &Limits,
    ) -> Result<Option<String>, OracleError> {
        let sanitizers = self.sanitizers.iter().filter(|_| is_run);
        for witness in self.plain.iter().chain(sanitizers) {
            let report = oracle.run_plain(text, witness, is_run, limits)?;
            if report.verdict != Verdict::Agrees {
                let said = report.evidence.last().map(|last| last.message.clone());
                let said = said.unwrap_or_default();
                let first = said.lines().next().unwrap_or_default();
                return Ok(Some(format!("{}: {}: {first}", witness.name(), report.verdict)));
            }
        }
        Ok(None)
    }

    /// What they are, in a line.
    pub fn describe(&self, is_run: bool) -> String {
        let names = |targets: &[CTarget]| -> String {
            let names: Vec<&str> =
                targets.iter().map(|target| &target.toolchain.name[..]).collect();
            names.join(", ")
        };
        let plain = names(&self.plain);
        match (is_run, self.sanitizers.is_empty()) {
            (false, _) => format!("compiled without optimization by {plain}"),
            (true, true) => format!("right at -O0 with {plain}; no compiler has sanitizers"),
            (true, false) => format!(
                "right at -O0 with {plain}; clean under the sanitizers of {}",
                names(&self.sanitizers)
            ),
        }
    }
}
