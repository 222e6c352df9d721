//! What the host inside of a JVM is asked, what it answers, and how answers are read.
//!
//! A question is the name of a file with a request in it. All numbers are big-endian, as Java
//! reads them; arguments and results of floating-point types are their bits, zero-extended, with one
//! NaN:
//!
//! ```text
//! u8              1 if the host says where it is before each step, 0 if only before each function
//! i32 bytes       the nonce
//! i32             how many classes; for each, the main class first:
//!   i32 bytes       its name
//!   i32 bytes       its class file
//! i32             how many calls; for each:
//!   i32             the number of the function
//!   i32 i64...      the arguments
//! i32             how many steps; for each:
//!   i32 i32         the call, and how many times in a row
//! ```
//!
//! The answer is lines. All but the first begin with the nonce and a space:
//!
//! ```text
//! ready                once, when the host has started
//! loaded               all classes are verified and initialized
//! begun 3              steps of function 3 come next
//! at 17                call 17 comes next
//! returned 17 -5 7     call 17, made for the first time, returned -5 and left globals with the
//!                      checksum 7 (0 if the program has none for this function)
//! differs 17 250 -6 7  its repetition 250 returned -6 and left 7, and that was its last
//! thrown 17 why        it ended with an exception, and that was its last repetition
//! done 40 9000         all steps are done: 40 calls, with 9000 repetitions of those that neither
//!                      differed nor threw
//! rejected why         the classes were refused, instead of all of these
//! ```
//!
//! The host is not told what calls have to return: results are compared here. Calls are made for the
//! first time in order, so each is answered once, by `returned` or `thrown`, and its number is known.

use std::path::Path;
use std::time::Duration;

use pathsmith_backend_jvm::{JvmCall, JvmClasses};
use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::{Scalar, ScalarTy};

use super::warmup::Step;
use super::{CRASH_FILE, JvmTarget};
use crate::crash::summarize_hotspot_crash;
use crate::nonce::Nonce;
use crate::oracle::OracleError;
use crate::process::{CommandLine, Session};
use crate::session::{
    CallFailure, Interruption, Progress, ProtocolError, SessionProtocol, Transcript,
};
use crate::verdict::{Evidence, Observed, Verdict};

/// A careful request about `classes`, with `steps` to be done, for a person who repeats a finding.
pub fn request_for_repro(classes: &JvmClasses, steps: &[Step]) -> Vec<u8> {
    request(classes, steps, &Nonce::of_repro(), true)
}

/// The lines of a JVM that is right, if it is asked for a [repro](request_for_repro), and if those
/// are left out that say where it is.
pub fn lines_of_repro(classes: &JvmClasses, steps: &[Step]) -> Vec<String> {
    let nonce = Nonce::of_repro();
    let returned = classes.calls.iter().enumerate().map(|(number, call)| {
        // A checksum that is not known is not compared.
        let left = call.leaving.map_or("[0-9]+".to_owned(), |crc| crc.to_string());
        format!("{nonce} returned {number} {} {left}", value_text(call.expected))
    });
    let n_repetitions: u64 = steps.iter().map(|step| u64::from(step.times)).sum();
    let done = format!("{nonce} done {} {n_repetitions}", classes.calls.len());
    returned.chain([done]).collect()
}

/// The request about `classes`, with `steps` to be done.
fn request(classes: &JvmClasses, steps: &[Step], nonce: &Nonce, careful: bool) -> Vec<u8> {
    let mut out = vec![u8::from(careful)];
    let int = |n: usize| (n as i32).to_be_bytes();
    out.extend(int(nonce.as_str().len()));
    out.extend(nonce.as_str().as_bytes());
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
        ScalarTy::Int(_) | ScalarTy::Float(_) => value.word().to_be_bytes(),
    }
}

/// A value as the host writes it.
fn value_text(value: Scalar) -> String {
    match value.ty() {
        ScalarTy::Int(_) | ScalarTy::Float(_) => value.word().to_string(),
    }
}

/// What is wrong with what the call returned: nothing at all if `text` is no value, and what to say
/// of the value if it is another one than expected.
fn compared_result(call: &JvmCall, text: &str) -> Option<Option<String>> {
    let number: i64 = text.parse().ok()?;
    // All 64 bits: that a narrow result is extended properly is up to the JVM too, and that there is
    // one NaN.
    let scalar = Scalar::new(call.result, number);
    let shown = if scalar.word() == number { scalar.to_string() } else { text.to_owned() };
    Some((number != call.expected.word()).then_some(shown))
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
        target.machine.line(folder).args(target.args())
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
        nonce: &Nonce,
        careful: bool,
    ) -> Result<Vec<u8>, OracleError> {
        Ok(request(classes, &target.setting.warmup.steps(classes), nonce, careful))
    }

    fn calls(classes: &JvmClasses) -> Vec<(FuncId, usize)> {
        let identified = |call: &JvmCall| (FuncId::new(call.function), call.realization);
        classes.calls.iter().map(identified).collect()
    }

    /// HotSpot is dying, and says so on standard output too.
    fn is_aside(line: &str) -> bool {
        line.starts_with('#')
    }

    fn read_line(
        line: &str,
        classes: &JvmClasses,
        target: &JvmTarget,
        transcript: &mut Transcript,
    ) -> Result<Progress, Interruption> {
        let next = transcript.n_checked as usize;
        let expected = match transcript.is_running {
            false => "`loaded`".to_owned(),
            true if next < classes.calls.len() => format!("an answer about call {next}"),
            true => format!("a repetition that differs, or `done {next}`"),
        };
        let unexpected = || Interruption::from(ProtocolError::new(&expected, line));
        let is_loading = !transcript.is_running;
        match Reply::parse(line).ok_or_else(unexpected)? {
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
            Reply::Returned(result) => {
                let call = classes.calls.get(next).filter(|_| result.call == next);
                let call = call.ok_or_else(unexpected)?;
                let failure = result.compared(classes, call, 0).ok_or_else(unexpected)?;
                transcript.failures.extend(failure);
                transcript.n_checked += 1;
            }
            Reply::Differs { nth, result } => {
                let call = classes.calls.get(result.call).filter(|_| result.call < next);
                let call = call.ok_or_else(unexpected)?;
                if nth == 0 || !transcript.stopped.insert(result.call) {
                    return Err(unexpected());
                }
                let failure = result.compared(classes, call, nth).ok_or_else(unexpected)?;
                if !transcript.has_failed(result.call) {
                    // If it is right now, it was wrong before.
                    transcript.failures.push(failure.ok_or_else(unexpected)?);
                }
            }
            Reply::Thrown { call: number, message } => {
                let call = classes.calls.get(number).filter(|_| number <= next);
                let call = call.ok_or_else(unexpected)?;
                if !transcript.stopped.insert(number) {
                    return Err(unexpected());
                }
                if number == next {
                    transcript.n_checked += 1;
                }
                if !transcript.has_failed(number) {
                    transcript.failures.push(CallFailure {
                        call: number,
                        verdict: Verdict::Crash,
                        actual: None,
                        message: Some(about(classes, call, &message)),
                    });
                }
            }
            Reply::Done { n_calls, n_repetitions } => {
                let steps = target.setting.warmup.steps(classes);
                let made = steps.iter().filter(|step| !transcript.stopped.contains(&step.call));
                let n_expected: u64 = made.map(|step| u64::from(step.times)).sum();
                let is_complete = next == classes.calls.len() && n_calls == next;
                if !is_complete || n_repetitions != n_expected {
                    return Err(unexpected());
                }
                return Ok(Progress::Done);
            }
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

/// A line of an answer, without its nonce.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reply {
    Loaded,
    Begun(usize),
    At(usize),
    Returned(CallResult),
    Differs { nth: u64, result: CallResult },
    Thrown { call: usize, message: String },
    Done { n_calls: usize, n_repetitions: u64 },
    Rejected(String),
}

/// What a call returned and left.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CallResult {
    call: usize,
    /// What it returned, in the form of its type.
    value: String,
    /// The checksum of what it left in globals.
    left: u32,
}

impl CallResult {
    /// What is wrong about it, as that of repetition `nth`; nothing at all if it is no value.
    fn compared(
        &self,
        classes: &JvmClasses,
        call: &JvmCall,
        nth: u64,
    ) -> Option<Option<CallFailure>> {
        let leaving = call.leaving.filter(|leaving| *leaving != self.left);
        let (what, observed) = if let Some(actual) = compared_result(call, &self.value)? {
            (format!("returned {actual}"), Observed::Returned(actual))
        } else if leaving.is_some() {
            (format!("left memory checksum {}", self.left), Observed::Left(self.left))
        } else {
            return Some(None);
        };
        Some(Some(CallFailure {
            call: self.call,
            verdict: Verdict::WrongResult,
            actual: Some(observed),
            message: Some(about(classes, call, &format!("{what} in repetition {nth}"))),
        }))
    }
}

impl Reply {
    fn parse(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let words: Vec<&str> = rest.split(' ').collect();
        let result = |call: &str, value: &str, left: &str| {
            let (call, left) = (call.parse().ok()?, left.parse().ok()?);
            Some(CallResult { call, value: value.to_owned(), left })
        };
        match (word, &words[..]) {
            ("loaded", [""]) => Some(Self::Loaded),
            ("begun", [function]) => function.parse().ok().map(Self::Begun),
            ("at", [call]) => call.parse().ok().map(Self::At),
            ("returned", [call, value, left]) => result(call, value, left).map(Self::Returned),
            ("differs", [call, nth, value, left]) => {
                Some(Self::Differs { nth: nth.parse().ok()?, result: result(call, value, left)? })
            }
            ("thrown", [call, ..]) => {
                let message = rest.split_once(' ')?.1.to_owned();
                Some(Self::Thrown { call: call.parse().ok()?, message })
            }
            ("done", [n_calls, n]) => {
                Some(Self::Done { n_calls: n_calls.parse().ok()?, n_repetitions: n.parse().ok()? })
            }
            ("rejected", _) => Some(Self::Rejected(rest.to_owned())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
