//! What an engine is asked, what it answers, and how answers are read.
//!
//! A question is the name of a file with a [`Request`] in it, as JSON. The answer is a line for
//! each thing that happens. If the request is careful, each line is written as soon as it happens,
//! so that what kills or hangs an engine is known: it is what comes after the last line. If not,
//! lines are written many at a time, which is much faster.
//!
//! ```text
//! compiled
//! value -5              for each call, in order: its result as a signed number,
//! trap unreachable      or why there is none
//! done 1200 35 1300     microseconds: compiling, running, everything
//! rejected why          instead of all of these
//! ```

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use pathsmith_backend_wasm::{WasmCall, WasmModule, WasmValue};
use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::{Scalar, ValueTy};
use serde::{Deserialize, Serialize};

use super::{MODULE_FILE, WasmTarget};
use crate::oracle::{OracleError, Spent};
use crate::process::CommandLine;
use crate::session::{
    CallFailure, Interruption, Progress, ProtocolError, SessionProtocol, Transcript,
};
use crate::verdict::{Observed, Verdict};

/// A module, and calls of its functions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The file with the module.
    pub module: String,
    /// The function that is called before every other one, if any, but not before those that keep
    /// what is there.
    pub reset: Option<String>,
    /// Whether each line of the answer is written at once.
    pub careful: bool,
    /// The calls.
    pub calls: Vec<CallRequest>,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRequest {
    /// The exported function.
    pub export: String,
    /// Its arguments, with their types: `i32:-5`.
    pub args: Vec<String>,
    /// Whether nothing is reset before it, since it tells what the call before it left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep: bool,
}

impl Request {
    /// All calls of a module, which is in the file `file`.
    pub fn new(module: &WasmModule, file: &str, careful: bool) -> Self {
        let call = |call: &WasmCall| CallRequest {
            export: call.export.clone(),
            args: call.args.iter().map(argument_text).collect(),
            keep: call.is_memory,
        };
        Self {
            module: file.to_owned(),
            reset: module.reset.clone(),
            careful,
            calls: module.calls.iter().map(call).collect(),
        }
    }
}

impl CallRequest {
    /// The arguments, if they are well formed.
    pub(super) fn values(&self) -> Option<Vec<WasmValue>> {
        self.args.iter().map(|text| parse_argument(text)).collect()
    }
}

/// An argument as requests have it: `i32:-5`.
fn argument_text(value: &WasmValue) -> String {
    match value {
        WasmValue::I32(value) => format!("i32:{value}"),
        WasmValue::I64(value) => format!("i64:{value}"),
    }
}

fn parse_argument(text: &str) -> Option<WasmValue> {
    match text.split_once(':')? {
        ("i32", number) => number.parse().ok().map(WasmValue::I32),
        ("i64", number) => number.parse().ok().map(WasmValue::I64),
        _ => None,
    }
}

/// Writes what a call returned.
pub(super) fn write_result(output: &mut impl Write, value: WasmValue) -> io::Result<()> {
    match value {
        WasmValue::I32(value) => writeln!(output, "value {value}"),
        WasmValue::I64(value) => writeln!(output, "value {value}"),
    }
}

/// The line of an engine that is right about `call`.
pub(super) fn result_line(call: &WasmCall) -> String {
    format!("value {}", call.raw_expected())
}

/// The value of the call's result type that `text` stands for: a signed number.
fn parse_result(call: &WasmCall, text: &str) -> Option<Scalar> {
    match call.result {
        ValueTy::Int(_) => text.parse().ok().map(|number| call.canonical(number)),
    }
}

/// What is wrong with what `call`, which is number `number`, returned. Nothing if it is the result.
pub(super) fn checked(number: usize, call: &WasmCall, actual: Scalar) -> Option<CallFailure> {
    (!actual.same_result(call.expected)).then(|| CallFailure {
        call: number,
        verdict: Verdict::WrongResult,
        actual: Some(match call.is_memory {
            true => Observed::Left(actual.word() as u32),
            false => Observed::Returned(actual.to_string()),
        }),
        message: None,
    })
}

/// What is wrong with a call that trapped.
pub(super) fn trapped(number: usize, why: &str) -> CallFailure {
    let message = Some(format!("trap: {why}"));
    CallFailure { call: number, verdict: Verdict::Crash, actual: None, message }
}

/// Whether a call is about what another one left in memory that went wrong itself: that says
/// nothing new, and after a trap memory is that of a new instance.
fn follows_failure(number: usize, call: &WasmCall, transcript: &Transcript) -> bool {
    let last = transcript.failures.last().map(|failure| failure.call);
    call.is_memory && last.is_some_and(|last| last + 1 == number)
}

/// The functions and realizations of calls.
pub(super) fn identified(calls: &[WasmCall]) -> Vec<(FuncId, usize)> {
    calls.iter().map(|call| (FuncId::new(call.function), call.realization)).collect()
}

/// How engines are asked.
#[derive(Debug)]
pub(super) struct WasmProtocol;

impl SessionProtocol for WasmProtocol {
    type Artifact = WasmModule;
    type Target = WasmTarget;

    const WHO: &'static str = "the engine";
    const REQUEST_FILE: &'static str = "request.json";

    fn command(target: &WasmTarget, folder: &Path) -> CommandLine {
        CommandLine::new(&target.command, folder).args(&target.args)
    }

    fn key(target: &WasmTarget) -> String {
        format!("{} {}", target.engine, target.setting)
    }

    fn request(
        module: &WasmModule,
        _target: &WasmTarget,
        careful: bool,
    ) -> Result<Vec<u8>, OracleError> {
        serde_json::to_vec(&Request::new(module, MODULE_FILE, careful))
            .map_err(|error| OracleError::io("cannot encode a request", error.into()))
    }

    fn calls(module: &WasmModule) -> Vec<(FuncId, usize)> {
        identified(&module.calls)
    }

    fn read_line(
        line: &str,
        module: &WasmModule,
        transcript: &mut Transcript,
    ) -> Result<Progress, Interruption> {
        let number = transcript.n_checked as usize;
        let call = module.calls.get(number).filter(|_| transcript.is_running);
        let unexpected = || Interruption::from(ProtocolError(line.to_owned()));
        match Reply::parse(line)? {
            Reply::Compiled if !transcript.is_running => {
                transcript.is_running = true;
                transcript.at = Some(0);
                return Ok(Progress::Running);
            }
            Reply::Compiled => return Err(unexpected()),
            Reply::Value(text) => {
                let call = call.ok_or_else(unexpected)?;
                let actual = parse_result(call, &text).ok_or_else(unexpected)?;
                if !follows_failure(number, call, transcript) {
                    transcript.failures.extend(checked(number, call, actual));
                }
            }
            Reply::Trap(why) => {
                let call = call.ok_or_else(unexpected)?;
                if !follows_failure(number, call, transcript) {
                    transcript.failures.push(trapped(number, &why));
                }
            }
            Reply::Done { compile, run, all } => {
                if !transcript.is_running || call.is_some() {
                    return Err(unexpected());
                }
                let overhead = all.saturating_sub(compile + run);
                transcript.spent = Spent { compile, run, overhead, ..Spent::default() };
                return Ok(Progress::Done);
            }
            Reply::Rejected(why) => return Err(Interruption::CompileError(why)),
        }
        transcript.n_checked += 1;
        transcript.at = Some(number + 1);
        Ok(Progress::Same)
    }
}

/// A line of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reply {
    Compiled,
    /// What a call returned, in the form of its type.
    Value(String),
    Trap(String),
    Done {
        compile: Duration,
        run: Duration,
        all: Duration,
    },
    Rejected(String),
}

impl Reply {
    fn parse(line: &str) -> Result<Self, ProtocolError> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let reply = match word {
            "compiled" if rest.is_empty() => Some(Self::Compiled),
            "value" => Some(Self::Value(rest.to_owned())),
            "trap" => Some(Self::Trap(rest.to_owned())),
            "rejected" => Some(Self::Rejected(rest.to_owned())),
            "done" => done(rest),
            _ => None,
        };
        reply.ok_or_else(|| ProtocolError(line.to_owned()))
    }
}

/// Three numbers of microseconds, which may have fractions.
fn done(rest: &str) -> Option<Reply> {
    let mut numbers = rest.split(' ').map(|number| number.parse::<f64>().ok());
    let mut next = || numbers.next().flatten().map(|it| Duration::from_micros(it as u64));
    match (next(), next(), next(), next()) {
        (Some(compile), Some(run), Some(all), None) => Some(Reply::Done { compile, run, all }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::WordTy;

    use super::*;

    #[test]
    fn replies_are_read_and_other_lines_are_errors() {
        assert_eq!(Reply::parse("compiled"), Ok(Reply::Compiled));
        assert_eq!(Reply::parse("value -5"), Ok(Reply::Value("-5".to_owned())));
        assert_eq!(Reply::parse("trap a b"), Ok(Reply::Trap("a b".to_owned())));
        let [compile, run, all] = [1, 2, 3].map(Duration::from_micros);
        assert_eq!(Reply::parse("done 1 2.5 3"), Ok(Reply::Done { compile, run, all }));
        for line in ["", "compiled x", "done 1 2", "hello"] {
            assert_eq!(Reply::parse(line), Err(ProtocolError(line.to_owned())));
        }
    }

    #[test]
    fn results_are_values_of_their_type() {
        let call = WasmCall {
            function: 0,
            realization: 0,
            export: "f".to_owned(),
            args: Vec::new(),
            result: WordTy::U32.into(),
            expected: Scalar::new(WordTy::U32, -5),
            is_memory: false,
        };
        let actual = parse_result(&call, "-5").expect("a number");
        assert_eq!(actual.to_string(), "4294967291");
        assert_eq!(checked(0, &call, actual), None);
        let wrong = parse_result(&call, "7").and_then(|actual| checked(0, &call, actual));
        let returned = Observed::Returned("7".to_owned());
        assert_eq!(wrong.expect("a failure").actual, Some(returned));
        let memory = WasmCall { is_memory: true, ..call.clone() };
        let wrong = parse_result(&memory, "7").and_then(|actual| checked(0, &memory, actual));
        assert_eq!(wrong.expect("a failure").actual, Some(Observed::Left(7)));
        for text in ["", "x", "99999999999999999999"] {
            assert_eq!(parse_result(&call, text), None, "{text}");
        }
    }

    #[test]
    fn arguments_have_types() {
        let call = |args: &[&str]| CallRequest {
            export: "f".to_owned(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            keep: false,
        };
        let expected = vec![WasmValue::I32(-1), WasmValue::I64(i64::MIN)];
        let args = ["i32:-1", "i64:-9223372036854775808"];
        assert_eq!(call(&args).values(), Some(expected));
        assert_eq!(call(&["i32:4294967295"]).values(), None);
        assert_eq!(call(&["7"]).values(), None);
    }
}
