//! Command-line engines: they run self-checking WASI modules, and their exit status is the answer.
//!
//! A process is started for each question. An exit status names the first wrong call at most, so
//! there is a question for each failure: what comes after it is asked about again. The engine's own
//! failures are told from those of its code by a module that exits before the first call.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use pathsmith_backend_wasm::{WasiChecks, WasiStatus, WasmCall, WasmModule};
use pathsmith_symlang::FuncId;
use serde::{Deserialize, Serialize};

use super::MODULE_FILE;
use crate::oracle::{Limits, OracleError, Spent, StepError};
use crate::process::{CommandLine, End, Ended, ProcessLimits, Reached, Stop};
use crate::scratch::{ScratchFolder, write_afresh};
use crate::verdict::{Disagreement, Evidence, Report, Verdict};

/// A command line that runs WASI modules: `wasmtime run`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WasiEngine {
    /// The command.
    pub command: PathBuf,
    /// Its arguments. The name of the module's file replaces `{module}` in them; if that stands
    /// nowhere, it is the last argument.
    pub args: Vec<String>,
    /// What stands in front of the command: an emulator or another wrapper, and its arguments.
    pub runner: Vec<String>,
    /// Environment variables.
    pub env: BTreeMap<String, String>,
}

/// What the name of the module's file replaces in arguments.
const PLACEHOLDER: &str = "{module}";
/// How many failures of one module are looked for. A guess: there are few bugs in one module, and
/// each failure takes two processes or more.
const MAX_FAILURES: usize = 8;
/// How much longer than loading a run has to take until it is a hang. A guess: loading the same
/// module takes about the same time each time.
const LOAD_SHARE: u32 = 4;
/// How many lines of an engine's standard error are kept.
const MESSAGE_LINES: usize = 12;

impl WasiEngine {
    /// The words that run the module in `file`.
    pub fn words(&self, file: &str) -> Vec<String> {
        let mut words = self.runner.clone();
        words.push(self.command.to_string_lossy().into_owned());
        words.extend(with_file(&self.args, file));
        words
    }

    /// Asks the engine about all calls of `module`.
    ///
    /// # Errors
    /// If the oracle cannot work.
    pub fn ask(
        &self,
        module: &WasmModule,
        limits: &Limits,
        stop: &Stop,
        spent: &mut Spent,
    ) -> Result<Report, OracleError> {
        let (engine, folder, evidence) = (self, ScratchFolder::new()?, Vec::new());
        let time = Duration::from_secs(limits.run_time);
        let mut inquiry = Inquiry { engine, module, limits, stop, spent, folder, time, evidence };
        inquiry.report().or_else(StepError::into_report)
    }
}

/// Arguments with the name of the module's file among them.
pub(super) fn with_file(args: &[String], file: &str) -> Vec<String> {
    let is_last = !args.iter().any(|arg| arg.contains(PLACEHOLDER));
    let args = args.iter().map(|arg| arg.replace(PLACEHOLDER, file));
    args.chain(is_last.then(|| file.to_owned())).collect()
}

/// Questions about one module.
struct Inquiry<'a> {
    engine: &'a WasiEngine,
    module: &'a WasmModule,
    limits: &'a Limits,
    stop: &'a Stop,
    spent: &'a mut Spent,
    folder: ScratchFolder,
    /// How long a run may take.
    time: Duration,
    /// What the runs did that something follows from.
    evidence: Vec<Evidence>,
}

/// What came of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The module has exited.
    Exited(WasiStatus),
    /// The engine has ended in its own way, with an exit status or a signal.
    Died,
    /// It has reached a limit.
    Limit(Reached),
}

impl Inquiry<'_> {
    fn report(&mut self) -> Result<Report, StepError> {
        let n_calls = self.module.calls.len();
        let mut report = Report::new(Verdict::Agrees, Vec::new());
        let mut at = 0;
        // A wrong call that shares its exit status with others, until it is found.
        let mut sought = false;
        // A module without calls is compiled all the same.
        let mut is_first = true;
        while is_first || at < n_calls && report.disagreements.len() < MAX_FAILURES {
            is_first = false;
            let checks = WasiChecks::of(at..n_calls);
            let (outcome, evidence) = self.run(&checks)?;
            let mut failed = None;
            match outcome {
                Outcome::Exited(WasiStatus::Agrees) => {
                    report.n_checked += (n_calls - at) as u64;
                    if report.verdict == Verdict::Agrees && !sought {
                        self.evidence.push(evidence);
                    }
                    at = n_calls;
                }
                Outcome::Exited(WasiStatus::Wrong(call))
                    if self.is_from_module(outcome, &checks)? =>
                {
                    sought = false;
                    self.evidence.push(evidence);
                    failed = Some((call, Verdict::WrongResult));
                }
                Outcome::Exited(WasiStatus::WrongLater(call))
                    if self.is_from_module(outcome, &checks)? =>
                {
                    sought = true;
                    let next = call - usize::from(self.module.calls[call].is_memory);
                    self.evidence.push(evidence);
                    report.n_checked += (next - at) as u64;
                    at = next;
                }
                Outcome::Exited(_) | Outcome::Died | Outcome::Limit(_) => {
                    self.evidence.push(evidence);
                    let Some(verdict) = self.blamed(&checks, outcome)? else {
                        is_first = n_calls == 0;
                        continue;
                    };
                    report.verdict = report.verdict.max(verdict);
                    if verdict == Verdict::Crash {
                        failed = self.crashing_call(at..n_calls)?.map(|call| (call, verdict));
                    }
                    if failed.is_none() {
                        break;
                    }
                }
            }
            if let Some((number, verdict)) = failed {
                let call = &self.module.calls[number];
                report.verdict = report.verdict.max(verdict);
                report.disagreements.push(Disagreement {
                    function: FuncId::new(call.function),
                    realization: call.realization,
                    verdict,
                    actual: None,
                });
                report.n_checked += (number + 1 - at) as u64;
                // What a failed call left in memory says nothing new.
                let rest = self.module.calls[number + 1..].iter();
                at = number + 1 + rest.take_while(|call| call.is_memory).count();
            }
        }
        if sought {
            // It was wrong after all calls before it, but not without them.
            report.verdict = report.verdict.max(Verdict::WrongResult);
        }
        report.evidence = std::mem::take(&mut self.evidence);
        Ok(report)
    }

    /// Runs a module that makes some calls.
    fn run(&mut self, checks: &WasiChecks) -> Result<(Outcome, Evidence), StepError> {
        let (ended, line) = self.run_module(checks)?;
        let outcome = match ended.end {
            End::Stopped => return Err(OracleError::Stopped.into()),
            End::Limit(reached) => Outcome::Limit(reached),
            End::Status(status) => match status.code().map(|code| checks.meaning(code)) {
                Some(
                    status
                    @ (WasiStatus::Agrees | WasiStatus::Wrong(_) | WasiStatus::WrongLater(_)),
                ) => Outcome::Exited(status),
                Some(WasiStatus::Foreign) | None => Outcome::Died,
            },
        };
        let said = String::from_utf8_lossy(&ended.stderr);
        let said = said.lines().take(MESSAGE_LINES).map(str::to_owned);
        let message: Vec<String> =
            self.described(&ended, outcome).into_iter().chain(said).collect();
        Ok((outcome, Evidence::of(&line, &ended, message.join("\n"))))
    }

    fn run_module(&mut self, checks: &WasiChecks) -> Result<(Ended, CommandLine), StepError> {
        let bytes = self.module.self_checking(checks).map_err(|error| OracleError::Target {
            name: self.engine.command.display().to_string(),
            why: error.to_string(),
        })?;
        let path = self.folder.path().join(MODULE_FILE);
        write_afresh(&path, &bytes).map_err(|source| {
            OracleError::io(format!("cannot write {}", path.display()), source)
        })?;
        let line = self.line();
        let process_limits = ProcessLimits {
            time: match checks.loads_only {
                true => Duration::from_secs(self.limits.compile_time),
                false => self.time,
            },
            // Engines reserve more memory than there is.
            memory: None,
            resident: Some(self.limits.memory),
            output: self.limits.output,
            files: Some(self.limits.files),
        };
        let ended = line
            .run(&process_limits, self.stop)
            .map_err(|error| Report::not_started(&line, &error))?;
        match checks.loads_only {
            true => self.spent.compile += ended.cpu,
            false => self.spent.run += ended.cpu,
        }
        self.spent.n_compilations += 1;
        Ok((ended, line))
    }

    fn line(&self) -> CommandLine {
        let words = self.engine.words(MODULE_FILE);
        let (program, args) = words.split_first().map_or(("", &[][..]), |(it, args)| (it, args));
        CommandLine::new(program, self.folder.path()).args(args).envs(&self.engine.env)
    }

    /// What there is to say about a run.
    fn described(&self, ended: &Ended, outcome: Outcome) -> Option<String> {
        let status = ended.end.code().unwrap_or_default();
        let wrong = |call: &WasmCall| match call.is_memory {
            true => "left something else in memory",
            false => "returned something else",
        };
        match outcome {
            Outcome::Exited(WasiStatus::Agrees | WasiStatus::Foreign) => None,
            Outcome::Exited(WasiStatus::Wrong(number)) => {
                let call = &self.module.calls[number];
                let name = self.module.tests.get(call.function).map_or("", |(name, _)| name);
                Some(format!(
                    "exit status {status}: realization {} of {name} {} (export {}, expected {}; exit \
                     statuses do not say what it was)",
                    call.realization,
                    wrong(call),
                    call.export,
                    call.expected,
                ))
            }
            Outcome::Exited(WasiStatus::WrongLater(number)) => {
                Some(format!("exit status {status}: call {number} or a later one is wrong"))
            }
            Outcome::Died => match ended.end.signal() {
                Some(signal) => Some(format!("signal {signal}")),
                None => Some(format!("exit status {status}, which is not from the module")),
            },
            Outcome::Limit(reached) => Some(reached.to_string()),
        }
    }

    /// Whether a status that says that a call is wrong comes from the module: then it changes with
    /// the module's statuses.
    fn is_from_module(&mut self, outcome: Outcome, checks: &WasiChecks) -> Result<bool, StepError> {
        Ok(self.run(&checks.shifted())?.0 == outcome)
    }

    /// The verdict about a run that did not exit as modules do. There is none if it needs more time,
    /// which it has from then on.
    fn blamed(
        &mut self,
        checks: &WasiChecks,
        outcome: Outcome,
    ) -> Result<Option<Verdict>, StepError> {
        let spent_before = self.spent.compile;
        let (loading, evidence) = self.run(&checks.load_only())?;
        let load_time = self.spent.compile.saturating_sub(spent_before);
        let status = evidence.status;
        self.evidence.push(evidence);
        if loading != Outcome::Exited(WasiStatus::Agrees) {
            return Ok(Some(load_failure(loading, status)));
        }
        let run_time = Duration::from_secs(self.limits.run_time);
        let most = run_time + Duration::from_secs(self.limits.compile_time);
        Ok(match outcome {
            Outcome::Exited(_) | Outcome::Died => Some(Verdict::Crash),
            Outcome::Limit(Reached::Output | Reached::Files | Reached::Memory) => {
                Some(Verdict::Hang)
            }
            Outcome::Limit(Reached::Time) if load_time * LOAD_SHARE <= run_time => {
                Some(Verdict::Hang)
            }
            Outcome::Limit(Reached::Time) if self.time >= most => Some(Verdict::Hang),
            Outcome::Limit(Reached::Time) => {
                self.time = most;
                self.evidence.clear();
                None
            }
        })
    }

    /// The first of some calls that kills the engine, or its code, if it is found. All of them
    /// together do.
    fn crashing_call(&mut self, calls: Range<usize>) -> Result<Option<usize>, StepError> {
        if calls.is_empty() {
            return Ok(None);
        }
        // The calls before `survived` go well together, those before `killed` do not.
        let (mut survived, mut killed) = (calls.start, calls.end);
        let mut last = None;
        while killed - survived > 1 {
            let middle = survived + (killed - survived) / 2;
            let (outcome, evidence) = self.run(&WasiChecks::of(calls.start..middle))?;
            match outcome {
                Outcome::Exited(WasiStatus::Agrees) => survived = middle,
                Outcome::Died => {
                    killed = middle;
                    last = Some(evidence);
                }
                // It is not the same each time.
                Outcome::Exited(_) | Outcome::Limit(_) => return Ok(None),
            }
        }
        self.evidence.extend(last);
        Ok(Some(killed - 1))
    }
}

/// The verdict about an engine that does not even load a module.
fn load_failure(loading: Outcome, status: Option<i32>) -> Verdict {
    match (loading, status) {
        (Outcome::Limit(_), _) => Verdict::CompilerTimeout,
        // What wrappers and shells end with if there is no command.
        (Outcome::Died, Some(126 | 127)) => Verdict::InfrastructureFailure,
        // A Rust program that panics, and what shells make of signals.
        (Outcome::Died, None | Some(101 | 128..)) => Verdict::CompilerCrash,
        // No call was made, so a status that names one is the engine's own.
        (Outcome::Died | Outcome::Exited(_), _) => Verdict::CompileError,
    }
}
