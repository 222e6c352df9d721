//! What an engine is asked, what it answers, and how answers are read.
//!
//! An engine is a process that reads questions from its standard input, one on each line, and
//! answers on its standard output. A question is the name of a file with a [`Request`] in it, as
//! JSON; the module is in the same folder:
//!
//! ```json
//! {
//!   "nonce": "3f9a01bc",
//!   "module": "module.wasm",
//!   "reset": "reset",
//!   "careful": false,
//!   "calls": [
//!     {"export": "f1", "args": ["i32:-5", "i64:7"]},
//!     {"export": "f1.memory", "args": [], "keep": true},
//!     {"export": "f2", "args": ["f32:1069547520"], "result": "f64"}
//!   ]
//! }
//! ```
//!
//! The engine compiles and instantiates the module, makes all calls in order, and answers with one
//! line for each thing that happens. Every line begins with the nonce of the request and a space:
//!
//! ```text
//! 3f9a01bc compiled
//! 3f9a01bc value 0 -5              for each call, in order and once: its number and its result as
//!                                  a signed decimal number,
//! 3f9a01bc trap 1 unreachable      or its number and why there is no result
//! 3f9a01bc done 2 1200 35 1300     how many calls there were, and CPU time in microseconds:
//!                                  compiling, running, everything
//! 3f9a01bc rejected why            instead of all that is left, if the module is refused
//! ```
//!
//! - Arguments and results are `i32`, `i64`, `f32` or `f64`. A call returns one value.
//! - Integers are signed. Floating-point numbers are written as their bits, which are a signed
//!   integer of the same width; as a result, any NaN is written `nan`. A call whose result is no
//!   integer has `result`, the type, for engines that do not tell themselves.
//! - `reset` may be null. If it is not, this export is called without arguments before every call
//!   that has no `keep`: it gives memory and globals their initial values.
//! - After a trap, calls go on with a new instance.
//! - A module may import `ps.crc_add`, which takes a CRC-32 state (`i32`), a value (`i64`) and a
//!   number of bytes (`i32`), and returns the state after so many of the value's lowest bytes.
//! - If the request is careful, each line is written as soon as it happens, so that what kills or
//!   hangs an engine is known: it is what comes after the last line. If not, lines may be written
//!   many at a time, which is much faster.
//! - Messages (`why`) have one line. Standard error is free for anything else.
//!
//! Results are compared here, and the engine is not told what is expected. Everything but these
//! lines violates the protocol: another nonce, a call that is answered twice, too early or not at
//! all, another number of calls in the last line, something after it. That is never an agreement,
//! but the verdict `crash`.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use pathsmith_backend_wasm::{WasmCall, WasmModule, WasmValue};
use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::{FloatTy, Scalar, ValueTy, WordTy};
use serde::{Deserialize, Serialize};

use super::{MODULE_FILE, WasmTarget};
use crate::nonce::Nonce;
use crate::oracle::{OracleError, Spent};
use crate::process::CommandLine;
use crate::session::{
    CallFailure, Interruption, Progress, ProtocolError, SessionProtocol, Transcript,
};
use crate::verdict::{Observed, Verdict};

/// A module, and calls of its functions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// What every line of the answer begins with. It is another one in every request.
    pub nonce: String,
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
    /// The type of its result, if that is a floating-point type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<FloatTy>,
}

impl Request {
    /// A careful request of all calls of a module, which is in the file `file`, for a person who
    /// repeats a finding.
    pub fn for_repro(module: &WasmModule, file: &str) -> Self {
        Self::new(module, file, &Nonce::of_repro(), true)
    }

    /// All calls of a module, which is in the file `file`.
    pub(super) fn new(module: &WasmModule, file: &str, nonce: &Nonce, careful: bool) -> Self {
        let call = |call: &WasmCall| CallRequest {
            export: call.export.clone(),
            args: call.args.iter().map(argument_text).collect(),
            keep: call.is_memory,
            result: match call.result {
                ValueTy::Int(_) => None,
                ValueTy::Float(ty) => Some(ty),
            },
        };
        Self {
            nonce: nonce.to_string(),
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
        WasmValue::F32(bits) => format!("f32:{}", *bits as i32),
        WasmValue::F64(bits) => format!("f64:{}", *bits as i64),
    }
}

fn parse_argument(text: &str) -> Option<WasmValue> {
    match text.split_once(':')? {
        ("i32", number) => number.parse().ok().map(WasmValue::I32),
        ("i64", number) => number.parse().ok().map(WasmValue::I64),
        ("f32", number) => number.parse().ok().map(|bits: i32| WasmValue::F32(bits as u32)),
        ("f64", number) => number.parse().ok().map(|bits: i64| WasmValue::F64(bits as u64)),
        _ => None,
    }
}

/// Writes what call `number` returned.
pub(super) fn write_result(
    output: &mut impl Write,
    nonce: &str,
    number: usize,
    value: WasmValue,
) -> io::Result<()> {
    let text = match value {
        WasmValue::I32(value) => value.to_string(),
        WasmValue::I64(value) => value.to_string(),
        WasmValue::F32(bits) => float_text(FloatTy::F32, (bits as i32).into()),
        WasmValue::F64(bits) => float_text(FloatTy::F64, bits as i64),
    };
    writeln!(output, "{nonce} value {number} {text}")
}

/// A floating-point number as a result: its bits, as a signed number.
fn float_text(ty: FloatTy, bits: i64) -> String {
    if ty.is_nan(bits) { NAN.to_owned() } else { bits.to_string() }
}

/// Which NaN an operation yields is up to the engine.
const NAN: &str = "nan";

/// The lines of an engine that is right about all calls of a [request for a
/// person](Request::for_repro), but the first and the last, which say when it has compiled the
/// module and how long everything took.
pub(super) fn result_lines(calls: &[WasmCall]) -> Vec<String> {
    let nonce = Nonce::of_repro();
    let line = |(number, call): (usize, &WasmCall)| {
        let result = match call.result {
            ValueTy::Int(_) => call.raw_expected().to_string(),
            ValueTy::Float(ty) => float_text(ty, call.raw_expected()),
        };
        format!("{nonce} value {number} {result}")
    };
    calls.iter().enumerate().map(line).collect()
}

/// The value of the call's result type that `text` stands for: a signed number that fits, which has
/// the bits of a floating-point number.
fn parse_result(call: &WasmCall, text: &str) -> Option<Scalar> {
    let number = match call.result {
        ValueTy::Float(ty) if text == NAN => ty.nan(),
        ValueTy::Int(WordTy::I32 | WordTy::U32) | ValueTy::Float(FloatTy::F32) => {
            text.parse::<i32>().ok()?.into()
        }
        ValueTy::Int(WordTy::I64 | WordTy::U64) | ValueTy::Float(FloatTy::F64) => {
            text.parse::<i64>().ok()?
        }
    };
    Some(call.canonical(number))
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
        target.line(folder)
    }

    fn key(target: &WasmTarget) -> String {
        format!("{} {}", target.name, target.setting)
    }

    fn request(
        module: &WasmModule,
        _target: &WasmTarget,
        nonce: &Nonce,
        careful: bool,
    ) -> Result<Vec<u8>, OracleError> {
        serde_json::to_vec(&Request::new(module, MODULE_FILE, nonce, careful))
            .map_err(|error| OracleError::io("cannot encode a request", error.into()))
    }

    fn calls(module: &WasmModule) -> Vec<(FuncId, usize)> {
        identified(&module.calls)
    }

    fn read_line(
        line: &str,
        module: &WasmModule,
        _target: &WasmTarget,
        transcript: &mut Transcript,
    ) -> Result<Progress, Interruption> {
        let next = transcript.n_checked as usize;
        let call = module.calls.get(next).filter(|_| transcript.is_running);
        let expected = match (transcript.is_running, call) {
            (false, _) => "`compiled`".to_owned(),
            (true, Some(_)) => format!("`value {next}` or `trap {next}`"),
            (true, None) => format!("`done {next}`"),
        };
        let unexpected = || Interruption::from(ProtocolError::new(&expected, line));
        match Reply::parse(line).ok_or_else(unexpected)? {
            Reply::Compiled if !transcript.is_running => {
                transcript.is_running = true;
                transcript.at = Some(0);
                return Ok(Progress::Running);
            }
            Reply::Compiled => return Err(unexpected()),
            Reply::Value { call: number, value } => {
                let call = call.filter(|_| number == next).ok_or_else(unexpected)?;
                let actual = parse_result(call, &value).ok_or_else(unexpected)?;
                if !follows_failure(number, call, transcript) {
                    transcript.failures.extend(checked(number, call, actual));
                }
            }
            Reply::Trap { call: number, why } => {
                let call = call.filter(|_| number == next).ok_or_else(unexpected)?;
                if !follows_failure(number, call, transcript) {
                    transcript.failures.push(trapped(number, &why));
                }
            }
            Reply::Done { n_calls, compile, run, all } => {
                if !transcript.is_running || call.is_some() || n_calls != next {
                    return Err(unexpected());
                }
                let overhead = all.saturating_sub(compile + run);
                transcript.spent = Spent { compile, run, overhead, ..Spent::default() };
                return Ok(Progress::Done);
            }
            Reply::Rejected(why) => return Err(Interruption::CompileError(why)),
        }
        transcript.n_checked += 1;
        transcript.at = Some(next + 1);
        Ok(Progress::Same)
    }
}

/// A line of an answer, without its nonce.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reply {
    Compiled,
    /// What a call returned, in the form of its type.
    Value {
        call: usize,
        value: String,
    },
    Trap {
        call: usize,
        why: String,
    },
    Done {
        n_calls: usize,
        compile: Duration,
        run: Duration,
        all: Duration,
    },
    Rejected(String),
}

impl Reply {
    fn parse(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let about_call = || {
            let (call, rest) = rest.split_once(' ').unwrap_or((rest, ""));
            Some((call.parse().ok()?, rest.to_owned()))
        };
        match word {
            "compiled" if rest.is_empty() => Some(Self::Compiled),
            "value" => about_call().map(|(call, value)| Self::Value { call, value }),
            "trap" => about_call().map(|(call, why)| Self::Trap { call, why }),
            "rejected" => Some(Self::Rejected(rest.to_owned())),
            "done" => done(rest),
            _ => None,
        }
    }
}

/// How many calls, and three numbers of microseconds, which may have fractions.
fn done(rest: &str) -> Option<Reply> {
    let (n_calls, times) = rest.split_once(' ')?;
    let n_calls = n_calls.parse().ok()?;
    let mut numbers = times.split(' ').map(|number| number.parse::<f64>().ok());
    let mut next = || numbers.next().flatten().map(|it| Duration::from_micros(it as u64));
    match (next(), next(), next(), next()) {
        (Some(compile), Some(run), Some(all), None) => {
            Some(Reply::Done { n_calls, compile, run, all })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_and_other_lines_are_errors() {
        assert_eq!(Reply::parse("compiled"), Some(Reply::Compiled));
        let value = Reply::Value { call: 7, value: "-5".to_owned() };
        assert_eq!(Reply::parse("value 7 -5"), Some(value));
        let trap = Reply::Trap { call: 7, why: "a b".to_owned() };
        assert_eq!(Reply::parse("trap 7 a b"), Some(trap));
        let [compile, run, all] = [1, 2, 3].map(Duration::from_micros);
        let done = Reply::Done { n_calls: 9, compile, run, all };
        assert_eq!(Reply::parse("done 9 1 2.5 3"), Some(done));
        for line in ["", "compiled x", "value", "value x 3", "done 9 1 2", "done 1 2 3", "hello"] {
            assert_eq!(Reply::parse(line), None, "{line}");
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
        for text in ["", "x", "4294967291", "99999999999999999999"] {
            assert_eq!(parse_result(&call, text), None, "{text}");
        }
    }

    /// Any NaN is the one NaN; zeros and neighbours differ.
    #[test]
    fn floating_point_results_are_their_bits() {
        for ty in FloatTy::ALL {
            let call = |expected: i64| WasmCall {
                function: 0,
                realization: 0,
                export: "f".to_owned(),
                args: Vec::new(),
                result: ty.into(),
                expected: Scalar::new(ty, expected),
                is_memory: false,
            };
            let is_right = |expected: i64, text: &str| {
                let actual = parse_result(&call(expected), text).expect("a result");
                checked(0, &call(expected), actual).is_none()
            };
            let signed =
                |word: i64| Scalar::new(ty, word).word() << (64 - ty.bits()) >> (64 - ty.bits());
            let words =
                [0, 1, ty.infinity(), ty.word(-0.0), ty.word(-1.5), ty.word(f64::MIN), ty.nan()];
            for (at, expected) in words.into_iter().enumerate() {
                for (other, word) in words.into_iter().enumerate() {
                    assert_eq!(is_right(expected, &signed(word).to_string()), at == other);
                }
                let lines = result_lines(&[call(expected)]);
                let text = lines[0].rsplit(' ').next().expect("a word");
                assert!(is_right(expected, text), "{lines:?}");
                let mut written = Vec::new();
                let value = WasmValue::from(Scalar::new(ty, expected));
                write_result(&mut written, &Nonce::of_repro().to_string(), 0, value)
                    .expect("it is written");
                assert_eq!(String::from_utf8(written).expect("text"), format!("{}\n", lines[0]));
            }
            assert!(is_right(ty.nan(), "nan"));
            assert!(is_right(ty.nan(), &signed(ty.infinity() + 1).to_string()));
            assert!(is_right(ty.nan(), "-1") && !is_right(0, "-1") && !is_right(0, "nan"));
            assert_eq!(parse_result(&call(0), "1.5"), None);
        }
    }

    #[test]
    fn arguments_have_types() {
        let call = |args: &[&str]| CallRequest {
            export: "f".to_owned(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            keep: false,
            result: None,
        };
        let expected = vec![WasmValue::I32(-1), WasmValue::I64(i64::MIN)];
        let args = ["i32:-1", "i64:-9223372036854775808"];
        assert_eq!(call(&args).values(), Some(expected));
        let values = [
            WasmValue::F32((-0.0_f32).to_bits()),
            WasmValue::F32(1.5_f32.to_bits()),
            WasmValue::F64(f64::NEG_INFINITY.to_bits()),
            WasmValue::F64(f64::NAN.to_bits()),
        ];
        let texts: Vec<String> = values.iter().map(argument_text).collect();
        let expected = [
            "f32:-2147483648",
            "f32:1069547520",
            "f64:-4503599627370496",
            "f64:9221120237041090560",
        ];
        assert_eq!(texts, expected);
        assert_eq!(call(&expected).values(), Some(values.to_vec()));
        assert_eq!(call(&["f32:1.5"]).values(), None);
        assert_eq!(call(&["i32:4294967295"]).values(), None);
        assert_eq!(call(&["7"]).values(), None);
    }
}
