//! wabt's interpreter, a program of its own that is started for each module.
//!
//! It calls every export that has no parameters, once, in order. So it can be asked about the
//! realizations whose arguments are inside of the module, where nothing has to be reset between
//! them and nothing is imported.

use std::time::Duration;

use pathsmith_backend_wasm::{WasmCall, WasmModule};

use super::{Heard, WasmOracle, WasmTarget};
use crate::oracle::{Limits, OracleError};
use crate::process::{self, CommandLine, Ended, ProcessLimits, Stop};
use crate::setting::Setting;
use crate::talk::End;
use crate::verdict::{Evidence, Report, Verdict};

/// The command.
pub(super) const COMMAND: &str = "wasm-interp";

/// wasm-interp, where it is found.
pub(super) fn target(stop: &Stop) -> Option<WasmTarget> {
    let limits =
        ProcessLimits { time: Duration::from_secs(20), memory: None, output: 1 << 16, files: None };
    let line = CommandLine::new(COMMAND, std::env::temp_dir()).arg("--version");
    let ended = line.run(&limits, stop).ok().filter(|ended| ended.end.is_success())?;
    Some(WasmTarget {
        engine: COMMAND.to_owned(),
        version: format!("{COMMAND} {}", String::from_utf8_lossy(&ended.stdout).trim()),
        setting: Setting::named("default"),
        command: COMMAND.into(),
        args: ["module.wasm", "--run-all-exports"].map(str::to_owned).to_vec(),
    })
}

/// The calls that it can be asked about.
fn askable(module: &WasmModule) -> Vec<WasmCall> {
    let is_plain = module.reset.is_none() && !module.imports_crc;
    let has_no_params = |call: &&WasmCall| is_plain && call.args.is_empty();
    module.calls.iter().filter(has_no_params).cloned().collect()
}

/// Runs the module that is in the oracle's folder already.
pub(super) fn run(
    oracle: &mut WasmOracle,
    module: &WasmModule,
    target: &WasmTarget,
    limits: &Limits,
) -> Result<Report, OracleError> {
    let calls = askable(module);
    if calls.is_empty() {
        return Ok(Report::new(Verdict::Agrees, Vec::new()));
    }
    let line = CommandLine::new(&target.command, oracle.folder.path()).args(&target.args);
    let process_limits = ProcessLimits {
        time: Duration::from_secs(limits.run_time),
        memory: Some(limits.memory),
        output: limits.output,
        files: None,
    };
    let ended = match line.run(&process_limits, &oracle.stop) {
        Ok(Ended { end: process::End::Stopped, .. }) => return Err(OracleError::Stopped),
        Ok(ended) => ended,
        Err(error) => return Ok(Report::not_started(&line, &error)),
    };
    oracle.spent.run += ended.cpu;
    let heard = heard(&ended, &calls);
    let asked = WasmModule { calls, ..module.clone() };
    let (verdict, message) = heard.verdict();
    let said = String::from_utf8_lossy(&ended.stderr);
    let said: Vec<&str> = said.lines().take(12).collect();
    let evidence = Evidence::of(&line, &ended, [&[&message[..]], &said[..]].concat().join("\n"));
    Ok(heard.report(&asked, verdict, evidence))
}

/// Understands lines such as `f1.visible0() => i32:5` and `f1.visible0() => error: unreachable`.
fn heard(ended: &Ended, calls: &[WasmCall]) -> Heard {
    let text = String::from_utf8_lossy(&ended.stdout);
    let result_of = |call: &WasmCall| {
        let begin = format!("{}() => ", call.export);
        let result = text.lines().find_map(|line| line.strip_prefix(&begin))?;
        Some(
            match result.split_once(':') {
                // It prints the bits as a number without a sign.
                Some(("i32", bits)) => bits.parse::<u32>().map(|bits| (bits as i32).into()),
                Some(("i64", bits)) => bits.parse::<u64>().map(|bits| bits as i64),
                _ => return Some(Err(result.to_owned())),
            }
            .map_err(|_| result.to_owned()),
        )
    };
    let results: Vec<_> = calls.iter().map_while(result_of).collect();
    let heard = Heard { is_compiled: true, results, end: None };
    match ended.end {
        process::End::Limit(_) => heard.ended(End::Hung),
        // It ends with 1 where a function traps.
        end if end.signal().is_some() || heard.results.len() < calls.len() => match end.code() {
            Some(_) => heard.ended(End::Rejected("not all functions were called".to_owned())),
            None => heard.ended(End::Died),
        },
        _ => heard,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use pathsmith_symlang::lang::WordTy;

    use super::*;

    fn calls() -> Vec<WasmCall> {
        let call = |export: &str, result| WasmCall {
            function: 0,
            realization: 0,
            export: export.to_owned(),
            args: Vec::new(),
            result,
            expected: -5,
        };
        vec![call("f.visible0", WordTy::I32), call("f.visible1", WordTy::I64)]
    }

    fn check(status: i32, stdout: &str) -> (Verdict, Vec<Result<i64, String>>) {
        let ended = Ended {
            end: process::End::Status(ExitStatus::from_raw(status)),
            stdout: stdout.as_bytes().to_vec(),
            stderr: Vec::new(),
            cpu: Duration::ZERO,
        };
        let heard = heard(&ended, &calls());
        (heard.verdict().0, heard.results)
    }

    #[test]
    fn its_lines_are_understood() {
        let right = "f.visible0() => i32:4294967291\nf.visible1() => i64:18446744073709551611\n";
        assert_eq!(check(0, right), (Verdict::Agrees, vec![Ok(-5), Ok(-5)]));
        let trap = right.replace("i32:4294967291", "error: unreachable");
        let expected = vec![Err("error: unreachable".to_owned()), Ok(-5)];
        assert_eq!(check(256, &trap), (Verdict::Agrees, expected));
        assert_eq!(check(11, "f.visible0() => i32:1\n").0, Verdict::Crash);
        assert_eq!(check(0, "").0, Verdict::CompileError);
    }
}
