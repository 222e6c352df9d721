//! What an engine is asked, and what it answers.
//!
//! A question is the name of a file with a [`Request`] in it, as JSON. The answer is a line for
//! each thing that happens. If the request is careful, each line is written as soon as it happens,
//! so that what kills or hangs an engine is known: it is what comes after the last line. If not,
//! lines are written many at a time, which takes much less.
//!
//! ```text
//! compiled
//! value -5              for each call, in order: its result as a signed number,
//! trap unreachable      or why there is none
//! done 1200 35 1300     microseconds: compiling, running, everything
//! rejected why          in place of all of these
//! ```

use pathsmith_backend_wasm::{WasmCall, WasmModule, WasmValue};
use serde::{Deserialize, Serialize};

/// A module, and calls of its functions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The file with the module.
    pub module: String,
    /// The function that is called before every other one, if any.
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
}

impl Request {
    /// All calls of a module, which is in the file `file`.
    pub fn new(module: &WasmModule, file: &str, careful: bool) -> Self {
        let argument = |value: &WasmValue| match value {
            WasmValue::I32(value) => format!("i32:{value}"),
            WasmValue::I64(value) => format!("i64:{value}"),
        };
        let call = |call: &WasmCall| CallRequest {
            export: call.export.clone(),
            args: call.args.iter().map(argument).collect(),
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
    /// The arguments, where they are well formed.
    pub(super) fn values(&self) -> Option<Vec<WasmValue>> {
        let value = |text: &String| match text.split_once(':')? {
            ("i32", number) => number.parse().ok().map(WasmValue::I32),
            ("i64", number) => number.parse().ok().map(WasmValue::I64),
            _ => None,
        };
        self.args.iter().map(value).collect()
    }
}

/// A line of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    Compiled,
    Value(i64),
    Trap(String),
    /// Microseconds: compiling, running, everything.
    Done(u64, u64, u64),
    Rejected(String),
    Garbage(String),
}

impl Reply {
    pub(super) fn parse(line: &str) -> Self {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let reply = match word {
            "compiled" if rest.is_empty() => Some(Self::Compiled),
            "value" => rest.parse().ok().map(Self::Value),
            "trap" => Some(Self::Trap(rest.to_owned())),
            "rejected" => Some(Self::Rejected(rest.to_owned())),
            "done" => {
                let mut numbers = rest.split(' ').map(|number| number.parse::<f64>().ok());
                let mut next = || numbers.next().flatten().map(|number| number as u64);
                match (next(), next(), next(), next()) {
                    (Some(compile), Some(run), Some(all), None) => {
                        Some(Self::Done(compile, run, all))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        reply.unwrap_or_else(|| Self::Garbage(line.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_and_nonsense_is_kept() {
        assert_eq!(Reply::parse("compiled"), Reply::Compiled);
        assert_eq!(Reply::parse("value -5"), Reply::Value(-5));
        assert_eq!(Reply::parse("trap a b"), Reply::Trap("a b".to_owned()));
        assert_eq!(Reply::parse("done 1 2 3"), Reply::Done(1, 2, 3));
        for line in ["", "value", "value x", "value 99999999999999999999", "done 1 2", "hello"] {
            assert_eq!(Reply::parse(line), Reply::Garbage(line.to_owned()));
        }
    }

    #[test]
    fn arguments_have_types() {
        let call = |args: &[&str]| CallRequest {
            export: "f".to_owned(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
        };
        let expected = vec![WasmValue::I32(-1), WasmValue::I64(i64::MIN)];
        let args = ["i32:-1", "i64:-9223372036854775808"];
        assert_eq!(call(&args).values(), Some(expected));
        assert_eq!(call(&["i32:4294967295"]).values(), None);
        assert_eq!(call(&["7"]).values(), None);
    }
}
