//! wabt's interpreter, which is started for each module.
//!
//! It calls every export that has no parameters, once, in order. So it can be asked about the
//! realizations whose arguments are inside of the module, if nothing is imported, but not about what
//! they leave in memory. It prints floating-point numbers with six decimal places, which does not say
//! which ones they are, so it is not asked about functions that return them. It knows of no nonce: a
//! process is asked once, and each result is expected once.

use std::path::{Path, PathBuf};
use std::time::Duration;

use pathsmith_backend_wasm::{WasmCall, WasmModule};
use pathsmith_symlang::lang::{ValueTy, WordTy};

use super::super::protocol::{checked, identified, trapped};
use super::{Engine, EngineSetting, Repro, WasmTarget, asked_version};
use crate::launch::TargetSpec;
use crate::oracle::{Limits, OracleError};
use crate::process::{End, Ended, ProcessLimits, Stop};
use crate::session::{Asked, Interruption, ProtocolError, Sessions, Transcript};
use crate::verdict::{Evidence, Report, Verdict};

/// The command.
const COMMAND: &str = "wasm-interp";

/// wasm-interp.
#[derive(Debug)]
pub(super) struct Interp;

impl Engine for Interp {
    fn name(&self) -> &'static str {
        COMMAND
    }

    fn settings(&self) -> Vec<EngineSetting> {
        vec![EngineSetting { name: "default", about: "wabt's interpreter" }]
    }

    fn version(&self, spec: &TargetSpec, stop: &Stop) -> Result<Option<String>, OracleError> {
        asked_version(spec, stop)
    }

    fn command(&self, _program: &Path) -> PathBuf {
        PathBuf::from(COMMAND)
    }

    fn args(&self, flags: Vec<String>) -> Vec<String> {
        let own = ["module.wasm", "--run-all-exports"].map(str::to_owned);
        flags.into_iter().chain(own).collect()
    }

    fn ask(
        &self,
        sessions: &mut Sessions,
        module: &WasmModule,
        target: &WasmTarget,
        limits: &Limits,
        _careful: bool,
    ) -> Result<Asked, OracleError> {
        run(sessions, module, target, limits).map(Asked::settled)
    }

    fn repro(&self, module: &WasmModule) -> Repro {
        Repro {
            pipeline: "timeout 60 $ENGINE | grep -F '.visible'",
            expected: askable(module).iter().map(printed).collect(),
            alive: "f.visible0() => i32:1",
        }
    }
}

/// The calls that it can be asked about.
fn askable(module: &WasmModule) -> Vec<WasmCall> {
    let visible = |call: &&WasmCall| {
        let name = WasmModule::visible_name(&module.tests[call.function].0, call.realization);
        !module.imports_crc && call.export == name && call.result.is_int()
    };
    module.calls.iter().filter(visible).cloned().collect()
}

/// Runs the module that is in the sessions' folder already.
fn run(
    sessions: &mut Sessions,
    module: &WasmModule,
    target: &WasmTarget,
    limits: &Limits,
) -> Result<Report, OracleError> {
    let calls = askable(module);
    if calls.is_empty() {
        return Ok(Report::new(Verdict::Skipped, Vec::new()));
    }
    let line = target.line(sessions.folder());
    let process_limits = ProcessLimits {
        time: Duration::from_secs(limits.run_time),
        memory: Some(limits.memory),
        resident: Some(limits.memory),
        output: limits.output,
        files: None,
    };
    let ended = match line.run(&process_limits, &sessions.stop) {
        Ok(Ended { end: End::Stopped, .. }) => return Err(OracleError::Stopped),
        Ok(ended) => ended,
        Err(error) => return Ok(Report::not_started(&line, &error)),
    };
    sessions.spent.run += ended.cpu;
    let transcript = transcript(&ended, &calls);
    let message = transcript.message("the interpreter");
    let said = String::from_utf8_lossy(&ended.stderr);
    let said: Vec<&str> = said.lines().take(12).collect();
    let evidence = Evidence::of(&line, &ended, [&[&message[..]], &said[..]].concat().join("\n"));
    Ok(transcript.report(&identified(&calls), evidence))
}

/// Reads lines such as `f1.visible0() => i32:5` and `f1.visible0() => error: unreachable`.
fn transcript(ended: &Ended, calls: &[WasmCall]) -> Transcript {
    let text = String::from_utf8_lossy(&ended.stdout);
    let mut transcript = Transcript { is_running: true, ..Transcript::default() };
    transcript.at = Some(0);
    for (number, call) in calls.iter().enumerate() {
        let begin = format!("{}() => ", call.export);
        let mut results = text.lines().filter_map(|line| line.strip_prefix(&begin));
        let Some(result) = results.next() else { break };
        if let Some(second) = results.next() {
            let error = ProtocolError::new(&format!("{} once", call.export), second);
            return transcript.interrupted(error.into());
        }
        transcript.failures.extend(match returned(result) {
            Some(value) => checked(number, call, call.canonical(value)),
            None => Some(trapped(number, result)),
        });
        transcript.n_checked += 1;
        transcript.at = Some(number + 1);
    }
    let is_complete = transcript.n_checked == calls.len() as u64;
    match ended.end {
        End::Limit(_) => transcript.interrupted(Interruption::Hung),
        // It exits with 1 if a function traps.
        end if end.signal().is_some() || !is_complete => match end.code() {
            Some(_) => {
                let why = "not all functions were called".to_owned();
                transcript.interrupted(Interruption::CompileError(why))
            }
            None => transcript.interrupted(Interruption::Died),
        },
        _ => transcript,
    }
}

/// What a call returned, as a signed number: `i32:5`. It prints the bits as a number without a sign.
fn returned(result: &str) -> Option<i64> {
    match result.split_once(':')? {
        ("i32", bits) => bits.parse::<u32>().ok().map(|bits| (bits as i32).into()),
        ("i64", bits) => bits.parse::<u64>().ok().map(|bits| bits as i64),
        _ => None,
    }
}

/// What it prints of a call that it is right about.
fn printed(call: &WasmCall) -> String {
    let (export, value) = (&call.export, call.raw_expected());
    match call.result {
        ValueTy::Int(WordTy::I32 | WordTy::U32) => format!("{export}() => i32:{}", value as u32),
        ValueTy::Int(WordTy::I64 | WordTy::U64) => format!("{export}() => i64:{}", value as u64),
        // It is not asked about these.
        ValueTy::Float(ty) => format!("{export}() => {ty}:"),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use pathsmith_backend_wasm::WasmValue;
    use pathsmith_symlang::lang::{FloatTy, Scalar};

    use super::*;
    use crate::setting::Setting;
    use crate::verdict::Observed;

    fn calls() -> Vec<WasmCall> {
        let call = |export: &str, result| WasmCall {
            function: 0,
            realization: 0,
            export: export.to_owned(),
            args: Vec::new(),
            result,
            expected: Scalar::new(result, -5),
            is_memory: false,
        };
        vec![call("f.visible0", WordTy::I32.into()), call("f.visible1", WordTy::I64.into())]
    }

    fn check(status: i32, stdout: &str) -> Report {
        let ended = Ended {
            end: End::Status(ExitStatus::from_raw(status)),
            stdout: stdout.as_bytes().to_vec(),
            stderr: Vec::new(),
            cpu: Duration::ZERO,
        };
        transcript(&ended, &calls()).report(&identified(&calls()), Evidence::default())
    }

    #[test]
    fn its_lines_are_read() {
        let right = "f.visible0() => i32:4294967291\nf.visible1() => i64:18446744073709551611\n";
        let report = check(0, right);
        assert_eq!((report.verdict, report.n_checked), (Verdict::Agrees, 2));
        let report = check(256, &right.replace("i32:4294967291", "error: unreachable"));
        assert_eq!((report.verdict, report.disagreements.len()), (Verdict::Crash, 1));
        let report = check(0, &right.replace("i32:4294967291", "i32:7"));
        assert_eq!(report.verdict, Verdict::WrongResult);
        let returned = Observed::Returned("7".to_owned());
        assert_eq!(report.disagreements[0].actual, Some(returned));
        let twice = format!("{right}f.visible0() => i32:7\n");
        assert_eq!(check(0, &twice).verdict, Verdict::Crash);
        assert_eq!(check(11, "f.visible0() => i32:4294967291\n").verdict, Verdict::Crash);
        assert_eq!(check(0, "").verdict, Verdict::CompileError);
    }

    #[test]
    fn repros_expect_what_it_prints() {
        let printed: Vec<String> = calls().iter().map(printed).collect();
        let expected =
            ["f.visible0() => i32:4294967291", "f.visible1() => i64:18446744073709551611"];
        assert_eq!(printed, expected);
    }

    fn module(calls: Vec<WasmCall>) -> WasmModule {
        WasmModule {
            bytes: Vec::new(),
            tests: vec![("f".to_owned(), 2)],
            n_visible: Vec::new(),
            reset: None,
            imports_crc: false,
            n_dispatchers: 0,
            sources: Vec::new(),
            calls,
        }
    }

    /// What it prints of a floating-point number does not say which one it is.
    #[test]
    fn it_is_not_asked_for_floating_point_numbers() {
        let mut calls = calls();
        assert_eq!(askable(&module(calls.clone())).len(), 1);
        for ty in FloatTy::ALL {
            calls[0].result = ty.into();
            calls[0].expected = Scalar::new(ty, 0);
            assert!(askable(&module(calls.clone())).is_empty());
        }
    }

    /// A module whose calls all take arguments is nothing that it can be asked about.
    #[test]
    fn nothing_to_ask_is_no_agreement() {
        let mut calls = calls();
        for call in &mut calls {
            call.export = "f".to_owned();
            call.args.push(WasmValue::I32(1));
        }
        let module = module(calls);
        let target = WasmTarget {
            name: COMMAND.to_owned(),
            engine: COMMAND.to_owned(),
            version: String::new(),
            setting: Setting::named("default"),
            command: "no-such-command".into(),
            args: Vec::new(),
            path: "no-such-command".into(),
            launch: Default::default(),
        };
        let mut sessions = Sessions::new(Stop::new()).unwrap();
        let report = run(&mut sessions, &module, &target, &Limits::default()).unwrap();
        assert_eq!(report.verdict, Verdict::Skipped);
        assert_eq!(report.n_checked, 0);
    }
}
