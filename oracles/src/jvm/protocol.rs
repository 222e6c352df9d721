//! What the host inside of a JVM is asked, what it answers, and how answers are read.
//!
//! A question is the name of a file with a request in it. All numbers are big-endian, as Java
//! reads them:
//!
//! ```text
//! u8              1 if the host says where it is before each step, 0 if only before each function
//! i32             how many classes; for each, the main class first:
//!   i32 bytes       its name
//!   i32 bytes       its class file
//! i32             how many calls; for each:
//!   i32 i64 i64     the number of the function, what it has to return, and the checksum of what it
//!                   has to leave in globals, or -1
//!   i32 i64...      the arguments
//! i32             how many steps; for each:
//!   i32 i32         the call, and how many times in a row
//! ```
//!
//! The answer is lines:
//!
//! ```text
//! ready              once, when the host has started
//! loaded             all classes are verified and initialized
//! begun 3            steps of function 3 come next
//! at 17              call 17 comes next
//! wrong 17 250 -5    call 17 returned -5 in its 250th repetition
//! left 17 250 5      call 17 left globals with the checksum 5 in its 250th repetition
//! thrown 17 why      call 17 ended with an exception
//! done 40            all steps are done, and there were 40 calls
//! rejected why       the classes were refused, instead of all of these
//! ```

use std::path::Path;
use std::time::Duration;

use pathsmith_backend_jvm::{JvmCall, JvmClasses};
use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::{Scalar, ScalarTy, ValueTy};

use super::warmup::Step;
use super::{CRASH_FILE, JvmTarget};
use crate::crash::summarize_hotspot_crash;
use crate::oracle::OracleError;
use crate::process::{CommandLine, Session};
use crate::session::{
    CallFailure, Interruption, Progress, ProtocolError, SessionProtocol, Transcript,
};
use crate::verdict::{Evidence, Observed, Verdict};

/// The request about `classes`, with `steps` to be done.
pub fn request(classes: &JvmClasses, steps: &[Step], careful: bool) -> Vec<u8> {
    let mut out = vec![u8::from(careful)];
    let int = |n: usize| (n as i32).to_be_bytes();
    out.extend(int(classes.classes.len()));
    for class in &classes.classes {
        for bytes in [class.name.as_bytes(), &class.bytes] {
            out.extend(int(bytes.len()));
            out.extend(bytes);
        }
    }
    out.extend(int(classes.calls.len()));
    for call in &classes.calls {
        out.extend(int(call.function));
        out.extend(value_bytes(call.expected));
        out.extend(call.leaving.map_or(-1, i64::from).to_be_bytes());
        out.extend(int(call.args.len()));
        out.extend(call.args.iter().flat_map(|arg| value_bytes(*arg)));
    }
    out.extend(int(steps.len()));
    for step in steps {
        out.extend(int(step.call));
        out.extend(step.times.to_be_bytes());
    }
    out
}

/// A value as the host reads it.
fn value_bytes(value: Scalar) -> [u8; 8] {
    match value.ty() {
        ScalarTy::Int(_) => value.word().to_be_bytes(),
    }
}

/// The value of the call's result type that `text` stands for.
fn parse_result(call: &JvmCall, text: &str) -> Option<Scalar> {
    match call.result {
        ValueTy::Int(ty) => text.parse().ok().map(|number| Scalar::new(ty, number)),
    }
}

/// What a message about a call begins with.
fn about(classes: &JvmClasses, call: &JvmCall, what: &str) -> String {
    format!("{} #{}: {what}", classes.methods[call.function].0, call.realization)
}

/// How JVMs are asked.
#[derive(Debug)]
pub(super) struct JvmProtocol;

impl SessionProtocol for JvmProtocol {
    type Artifact = JvmClasses;
    type Target = JvmTarget;

    const WHO: &'static str = "the JVM";
    const REQUEST_FILE: &'static str = "request.bin";
    const GREETING: Option<&'static str> = Some("ready");
    const CRASH_FILE: Option<&'static str> = Some(CRASH_FILE);

    fn command(target: &JvmTarget, folder: &Path) -> CommandLine {
        CommandLine::new(&target.machine.command, folder).args(target.args())
    }

    /// For each JVM, all random settings take turns.
    fn key(target: &JvmTarget) -> String {
        let setting = &target.setting;
        let group = setting.slot.as_deref().unwrap_or_else(|| setting.name.group());
        format!("{} {group}", target.machine.name)
    }

    fn request(
        classes: &JvmClasses,
        target: &JvmTarget,
        careful: bool,
    ) -> Result<Vec<u8>, OracleError> {
        Ok(request(classes, &target.setting.warmup.steps(classes), careful))
    }

    fn calls(classes: &JvmClasses) -> Vec<(FuncId, usize)> {
        let identified = |call: &JvmCall| (FuncId::new(call.function), call.realization);
        classes.calls.iter().map(identified).collect()
    }

    fn read_line(
        line: &str,
        classes: &JvmClasses,
        transcript: &mut Transcript,
    ) -> Result<Progress, Interruption> {
        // HotSpot is dying, and says so here too.
        if line.starts_with('#') {
            return Ok(Progress::Same);
        }
        let unexpected = || Interruption::from(ProtocolError(line.to_owned()));
        let is_loading = !transcript.is_running;
        match Reply::parse(line)? {
            Reply::Rejected(why) => return Err(Interruption::CompileError(why)),
            Reply::Loaded if is_loading => transcript.is_running = true,
            _ if is_loading => return Err(unexpected()),
            Reply::Loaded => return Err(unexpected()),
            Reply::Begun(function) => {
                transcript.at = classes.calls.iter().position(|call| call.function == function);
            }
            Reply::At(number) => {
                classes.calls.get(number).ok_or_else(unexpected)?;
                transcript.at = Some(number);
            }
            Reply::Wrong { call: number, nth, value } => {
                let call = classes.calls.get(number).ok_or_else(unexpected)?;
                let actual = parse_result(call, &value).ok_or_else(unexpected)?.to_string();
                let what = format!("returned {actual} in repetition {nth} in a row");
                transcript.failures.push(CallFailure {
                    call: number,
                    verdict: Verdict::WrongResult,
                    actual: Some(Observed::Returned(actual)),
                    message: Some(about(classes, call, &what)),
                });
            }
            Reply::Left { call: number, nth, crc } => {
                let call = classes.calls.get(number).ok_or_else(unexpected)?;
                let what = format!("left memory checksum {crc} in repetition {nth} in a row");
                transcript.failures.push(CallFailure {
                    call: number,
                    verdict: Verdict::WrongResult,
                    actual: Some(Observed::Left(crc)),
                    message: Some(about(classes, call, &what)),
                });
            }
            Reply::Thrown { call: number, message } => {
                let call = classes.calls.get(number).ok_or_else(unexpected)?;
                let message = Some(about(classes, call, &message));
                let verdict = Verdict::Crash;
                transcript.failures.push(CallFailure {
                    call: number,
                    verdict,
                    actual: None,
                    message,
                });
            }
            Reply::Done(n) if n == classes.calls.len() => {
                transcript.n_checked = n as u64;
                return Ok(Progress::Done);
            }
            Reply::Done(_) => return Err(unexpected()),
        }
        // Each function has that much time.
        Ok(Progress::Running)
    }

    /// Compiler threads, and all others.
    fn cpu_times(process: &Session) -> (Duration, Duration) {
        let (mut compile, mut other) = (Duration::ZERO, Duration::ZERO);
        for (name, time) in process.thread_times() {
            // `C2 CompilerThread0`, of which the system keeps 15 characters.
            let is_compiler = name.contains("CompilerThre");
            *(if is_compiler { &mut compile } else { &mut other }) += time;
        }
        (compile, other)
    }

    fn read_crash(log: String, transcript: &mut Transcript, evidence: &mut Evidence) {
        transcript.has_crashed_compiling = log.contains("Current CompileTask:");
        evidence.message = format!("{}\n{}", evidence.message, summarize_hotspot_crash(&log));
        evidence.log = Some(log);
    }
}

/// A line of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reply {
    Loaded,
    Begun(usize),
    At(usize),
    /// What a call returned, in the form of its type.
    Wrong {
        call: usize,
        nth: u32,
        value: String,
    },
    /// The checksum of what a call left in globals.
    Left {
        call: usize,
        nth: u32,
        crc: u32,
    },
    Thrown {
        call: usize,
        message: String,
    },
    Done(usize),
    Rejected(String),
}

impl Reply {
    fn parse(line: &str) -> Result<Self, ProtocolError> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let reply = match word {
            "loaded" if rest.is_empty() => Some(Self::Loaded),
            "begun" => rest.parse().ok().map(Self::Begun),
            "at" => rest.parse().ok().map(Self::At),
            "done" => rest.parse().ok().map(Self::Done),
            "rejected" => Some(Self::Rejected(rest.to_owned())),
            "wrong" => wrong(rest),
            "left" => left(rest),
            "thrown" => thrown(rest),
            _ => None,
        };
        reply.ok_or_else(|| ProtocolError(line.to_owned()))
    }
}

fn wrong(rest: &str) -> Option<Reply> {
    let mut words = rest.split(' ');
    let call = words.next()?.parse().ok()?;
    let nth = words.next()?.parse().ok()?;
    let value = words.next()?.to_owned();
    words.next().is_none().then_some(Reply::Wrong { call, nth, value })
}

fn left(rest: &str) -> Option<Reply> {
    let mut words = rest.split(' ');
    let call = words.next()?.parse().ok()?;
    let nth = words.next()?.parse().ok()?;
    let crc = words.next()?.parse().ok()?;
    words.next().is_none().then_some(Reply::Left { call, nth, crc })
}

fn thrown(rest: &str) -> Option<Reply> {
    let (call, message) = rest.split_once(' ')?;
    Some(Reply::Thrown { call: call.parse().ok()?, message: message.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_and_other_lines_are_errors() {
        assert_eq!(Reply::parse("loaded"), Ok(Reply::Loaded));
        let wrong = Reply::Wrong { call: 17, nth: 250, value: "-5".to_owned() };
        assert_eq!(Reply::parse("wrong 17 250 -5"), Ok(wrong));
        let left = Reply::Left { call: 17, nth: 250, crc: 5 };
        assert_eq!(Reply::parse("left 17 250 5"), Ok(left));
        let thrown = Reply::Thrown { call: 1, message: "a b".to_owned() };
        assert_eq!(Reply::parse("thrown 1 a b"), Ok(thrown));
        assert_eq!(Reply::parse("done 40"), Ok(Reply::Done(40)));
        for line in [
            "",
            "ready now",
            "wrong 1",
            "wrong 1 2 3 4",
            "left 1 2 -3",
            "thrown x y",
            "at -1",
            "# A",
        ] {
            assert_eq!(Reply::parse(line), Err(ProtocolError(line.to_owned())));
        }
    }
}
