//! The search for a class that shows a finding without a host of ours: its `main` repeats a call, and
//! throws an error if a result is wrong.
//!
//! Nothing is written that the target does not get wrong twice, or that an interpreter of a JVM at
//! hand gets wrong too.

use pathsmith_backend::Backend;
use pathsmith_backend_jvm::{DriverStep, JvmBackend, JvmClasses, JvmOptions};
use pathsmith_oracles::jvm::{JavaMachine, JvmOracle, JvmSetting, JvmTarget};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{Limits, OracleError, Report, Verdict, shell_command};
use pathsmith_symlang::lang::Program;

use super::Jvms;
use crate::bug_file::{Binary, Bug, BugFile};
use crate::finding::Finding;
use crate::reproducer::{Reproducer, failed_call};
use crate::short_names::with_short_names;

/// The class.
pub(super) const CLASS: &str = "Bug";
/// Its listing.
const TEXT_FILE: &str = "bug.jasm";
/// How often a call is repeated where the JVM decides by itself when to compile: more than HotSpot's
/// thresholds.
const N_REPETITIONS: u32 = 20_000;
/// How long a JVM may run, in seconds. A guess: these programs take less than one.
const RUN_TIME: u64 = 10;
/// How long an interpreter may run, on a busy machine.
const PATIENCE: u64 = 60;

/// What is to be shown, and by what.
pub(super) struct BugSearch<'a> {
    pub(super) oracle: &'a mut JvmOracle,
    pub(super) finding: &'a Finding,
    pub(super) known: &'a Reproducer<Jvms>,
    pub(super) limits: &'a Limits,
    pub(super) stop: &'a Stop,
    pub(super) is_over: &'a (dyn Fn() -> bool + Sync),
}

/// Flags, and what is called with them.
#[derive(Clone, Debug)]
struct Run {
    flags: Vec<String>,
    steps: Vec<DriverStep>,
}

impl BugSearch<'_> {
    /// Looks for a class that shows the finding.
    ///
    /// # Errors
    /// If the oracle cannot work.
    pub(super) fn run(mut self) -> Result<Bug, OracleError> {
        let Some(call) = self.call() else {
            return Ok(Bug::none("the program has no realization"));
        };
        let named = |options: JvmOptions| JvmOptions { name: CLASS.to_owned(), ..options };
        // Options may refer to names, so only those that do not come with short ones.
        let known = &self.known.program;
        let lowerings = [
            (with_short_names(known), named(JvmOptions::default())),
            (known.clone(), named(self.known.options.clone())),
        ];
        let mut objection = None;
        for run in self.runs(call) {
            for (program, options) in &lowerings {
                if (self.is_over)() {
                    return Ok(Bug::none("stopped before a file was found"));
                }
                let classes = JvmBackend.stand_alone(program, options, &run.steps);
                let Ok(classes) = classes else { continue };
                let target = with_flags(&self.known.target, &run.flags);
                let Some(report) = self.that_shows(&classes, &target)? else { continue };
                match self.interpreters(&classes)? {
                    Ok(note) => {
                        let Some(file) = file(&classes, &target, &report) else { continue };
                        return Ok(Bug { file: Some(file), note, scrutiny: None });
                    }
                    Err(why) => objection = Some(why),
                }
            }
        }
        Ok(Bug::none(match objection {
            None => "no class without a host shows it".to_owned(),
            Some(why) => format!("no class without a host passed the checks: {why}"),
        }))
    }

    /// The number of the call that goes wrong, or of any if none of them does.
    fn call(&self) -> Option<usize> {
        let program = &self.known.program;
        let failed = failed_call(self.finding, program);
        let numbers = numbered_calls(program);
        match failed {
            Some((id, at)) => numbers.iter().position(|known| *known == (id.index(), at)),
            None => (!numbers.is_empty()).then_some(0),
        }
    }

    /// What a person would try first, and then what was tested.
    fn runs(&self, call: usize) -> Vec<Run> {
        let JvmTarget { machine, setting } = &self.known.target;
        let run = |flags: &[&str], calls: &[usize], times: u32| Run {
            flags: flags.iter().map(|&flag| flag.to_owned()).collect(),
            steps: calls.iter().map(|&call| DriverStep { call, times }).collect(),
        };
        let all: Vec<usize> = (0..numbered_calls(&self.known.program).len()).collect();
        let mut runs = Vec::new();
        for calls in [&[call], &all[..]] {
            match machine.is_hotspot {
                true => runs.extend([
                    run(&["-Xbatch"], calls, N_REPETITIONS),
                    run(&["-Xbatch", "-XX:-TieredCompilation"], calls, N_REPETITIONS),
                    run(&["-Xcomp"], calls, 2),
                ]),
                false => runs.push(run(&[], calls, N_REPETITIONS)),
            }
            if all.len() == 1 {
                break;
            }
        }
        let Ok(classes) = JvmBackend.lower(&self.known.program, &self.known.options) else {
            return runs;
        };
        let tested = setting.warmup.steps(&classes);
        let n_calls = tested.iter().map(|step| step.times).sum();
        let tested = tested.iter().map(|step| DriverStep { call: step.call, times: step.times });
        for steps in [vec![DriverStep { call, times: n_calls }], tested.collect()] {
            runs.push(Run { flags: setting.flags.clone(), steps });
        }
        runs
    }

    /// What the target does with classes, if that shows the finding, and does so twice.
    fn that_shows(
        &mut self,
        classes: &JvmClasses,
        target: &JvmTarget,
    ) -> Result<Option<Report>, OracleError> {
        let limits = Limits { run_time: self.limits.run_time.min(RUN_TIME), ..self.limits.clone() };
        let mut last = None;
        for _ in 0..2 {
            let report = self.oracle.run_plain(classes, target, &limits)?;
            if !is_shown(self.finding.verdict, report.verdict) {
                return Ok(None);
            }
            last = Some(report);
        }
        Ok(last)
    }

    /// The interpreters at hand that are right, or the first that is not.
    fn interpreters(
        &mut self,
        classes: &JvmClasses,
    ) -> Result<Result<String, String>, OracleError> {
        let limits = Limits { run_time: PATIENCE, ..self.limits.clone() };
        let mut machines = vec![self.known.target.machine.clone()];
        for other in JavaMachine::installed(self.stop)? {
            if machines.iter().all(|known| known.path != other.path) {
                machines.push(other);
            }
        }
        let mut right = Vec::new();
        for machine in machines {
            let target = JvmTarget { setting: JvmSetting::interpreting(&machine), machine };
            let verdict = self.oracle.run_plain(classes, &target, &limits)?.verdict;
            let version = &target.machine.version;
            if verdict != Verdict::Agrees {
                return Ok(Err(format!("{version} with -Xint: {verdict}")));
            }
            if !right.contains(version) {
                right.push(version.clone());
            }
        }
        Ok(Ok(format!("right in the interpreter (-Xint) of {}", right.join(", "))))
    }
}

/// The function and the realization of each call, in order.
fn numbered_calls(program: &Program) -> Vec<(usize, usize)> {
    let functions = program.functions.iter().enumerate();
    let of = |(at, n): (usize, usize)| (0..n).map(move |realization| (at, realization));
    functions.map(|(at, function)| (at, function.realizations.len())).flat_map(of).collect()
}

fn with_flags(target: &JvmTarget, flags: &[String]) -> JvmTarget {
    JvmTarget { setting: target.setting.with_flags(flags.to_vec()), ..target.clone() }
}

/// Whether what a JVM does with a class is what was found. From outside, a compiler that does not end
/// looks like a program that does not.
fn is_shown(found: Verdict, verdict: Verdict) -> bool {
    match found {
        Verdict::WrongResult | Verdict::Crash => {
            matches!(verdict, Verdict::WrongResult | Verdict::Crash)
        }
        Verdict::Hang | Verdict::CompilerTimeout => verdict == Verdict::Hang,
        Verdict::CompilerCrash => verdict == Verdict::CompilerCrash,
        Verdict::Agrees
        | Verdict::Skipped
        | Verdict::InfrastructureFailure
        | Verdict::CompileError
        | Verdict::SanitizerError => false,
    }
}

fn file(classes: &JvmClasses, target: &JvmTarget, report: &Report) -> Option<BugFile> {
    let listing = classes.listing().ok()?;
    let said = report.evidence.last().map(|last| last.message.clone()).unwrap_or_default();
    let said = said.lines().next().unwrap_or_default().to_owned();
    let (does, shows) = match report.verdict {
        Verdict::WrongResult => ("it throws an AssertionError", said),
        Verdict::Crash => ("it crashes", said),
        Verdict::CompilerCrash => ("the JVM crashes", "(the JVM crashes)".to_owned()),
        Verdict::Hang
        | Verdict::CompilerTimeout
        | Verdict::Agrees
        | Verdict::Skipped
        | Verdict::InfrastructureFailure
        | Verdict::CompileError
        | Verdict::SanitizerError => ("it hangs", "(hangs)".to_owned()),
    };
    let machine = &target.machine;
    let command = machine.command.file_name()?.to_string_lossy().into_owned();
    let words = machine.launch.runner.iter().cloned().chain([command]);
    let run = shell_command(words.chain(target.plain_args(CLASS)));
    let binaries = classes.classes.iter().map(|it| Binary::new(it.file_name(), &it.bytes));
    Some(BugFile {
        name: TEXT_FILE.to_owned(),
        text: format!("// {run}: {does}\n{listing}"),
        verdict: report.verdict,
        flags: target.setting.flags.clone(),
        run,
        does: does.to_owned(),
        shows,
        checked: None,
        binaries: binaries.collect(),
    })
}
