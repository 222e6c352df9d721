//! Java virtual machines: what they make of classes, and whether those give what they should.
//!
//! A JVM is started once for each setting and asked many questions ([`Session`]): a small class,
//! [`HOST`], loads a program, calls its functions until they are compiled, and compares what each
//! single call gives. If the JVM dies or hangs, that is a verdict about the call that it was at,
//! and a new one takes its place.

mod flags;
mod machine;
mod protocol;
mod triage;
mod warmup;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pathsmith_backend_jvm::JvmClasses;
use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::{Scalar, ValueTy};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

pub use flags::{JVM_SETTINGS, JvmFlagPool, JvmSetting};
pub use machine::JavaMachine;
pub use protocol::request;
pub use warmup::{Step, Warmup};

use self::protocol::Reply;
use crate::oracle::{Limits, Oracle, OracleError, Spent};
use crate::process::{CommandLine, Session, Stop};
use crate::scratch::scratch_folder;
use crate::talk::{End, next_line};
use crate::verdict::{Disagreement, Evidence, Report, Verdict};

/// The class that runs programs inside of a JVM, which its source is beside.
pub const HOST: &[u8] = include_bytes!("jvm/runtime/Host.class");
/// The source of that class.
pub const HOST_SOURCE: &str = include_str!("jvm/runtime/Host.java");
/// The name of the file that a JVM looks for.
pub const HOST_FILE: &str = "Host.class";
/// The name of the file that HotSpot describes a crash in.
pub const CRASH_FILE: &str = "hs_err.log";

/// How many times functions are called that have to be hot, unless something else is asked for.
pub const DEFAULT_WARMUP: u32 = 2000;

const REQUEST_FILE: &str = "request.bin";

/// What HotSpot is always told: to take little, to leave nothing in other folders, and to talk on
/// standard error, because standard output is the host's.
const HOTSPOT_FLAGS: [&str; 6] = [
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    "-XX:+DisplayVMOutputToStderr",
    "-XX:ErrorFile=hs_err.log",
    // Else, it makes a class of its own for each program's method that is called.
    "-Djava.lang.invoke.MethodHandle.CUSTOMIZE_THRESHOLD=-1",
];

/// A JVM and its setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JvmTarget {
    /// The JVM.
    pub machine: JavaMachine,
    /// Its flags, and how often functions are called.
    pub setting: JvmSetting,
}

impl JvmTarget {
    /// All arguments: what it takes to run the host in the folder it is in.
    pub fn args(&self) -> Vec<String> {
        let own: &[&str] = if self.machine.is_hotspot { &HOTSPOT_FLAGS } else { &[] };
        let own = own.iter().map(|&flag| flag.to_owned());
        let host = ["-cp", ".", "Host"].map(str::to_owned);
        own.chain(self.setting.flags.clone()).chain(host).collect()
    }
}

/// Runs classes on JVMs.
#[derive(Debug)]
pub struct JvmOracle {
    folder: TempDir,
    stop: Stop,
    /// JVMs that are running, each with its arguments, by the names of the JVM and the setting;
    /// for each JVM, all random settings count as one.
    sessions: BTreeMap<(String, String), (Vec<String>, Session)>,
    /// What can be switched off, by JVM and compiler, where it was asked for.
    switches: BTreeMap<(PathBuf, &'static str), Vec<String>>,
    /// What was taken so far.
    pub spent: Spent,
}

impl JvmOracle {
    /// An oracle without JVMs: they are started when they are needed.
    ///
    /// # Errors
    /// Where there is no room for its files.
    pub fn new(stop: Stop) -> Result<Self, OracleError> {
        let folder = scratch_folder()?;
        let sessions = BTreeMap::new();
        let switches = BTreeMap::new();
        let oracle = Self { folder, stop, sessions, switches, spent: Spent::default() };
        oracle.write(HOST_FILE, HOST)?;
        Ok(oracle)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), OracleError> {
        let path = self.path(name);
        std::fs::write(&path, bytes)
            .map_err(|source| OracleError::io(format!("cannot write {}", path.display()), source))
    }

    /// Runs `classes` on a JVM that has not run anything else.
    ///
    /// # Errors
    /// As for [`Oracle::run`].
    pub fn run_fresh(
        &mut self,
        classes: &JvmClasses,
        target: &JvmTarget,
        limits: &Limits,
    ) -> Result<Report, OracleError> {
        self.sessions.remove(&key(target));
        let report = self.run(classes, target, limits);
        self.sessions.remove(&key(target));
        report
    }

    /// A JVM for `target`: the one that is running, or a new one.
    fn session(
        &mut self,
        target: &JvmTarget,
        limits: &Limits,
    ) -> Result<Result<Session, Report>, OracleError> {
        let args = target.args();
        if let Some((known, session)) = self.sessions.remove(&key(target))
            && known == args
        {
            return Ok(Ok(session));
        }
        // What an earlier one has left behind is not about this one.
        let _ = std::fs::remove_file(self.path(CRASH_FILE));
        let line = CommandLine::new(&target.machine.command, self.folder.path()).args(&args);
        // JVMs reserve more memory than there is.
        let mut session = match Session::start(&line, None) {
            Ok(session) => session,
            Err(error) => return Ok(Err(Report::not_started(&line, &error))),
        };
        let deadline = Instant::now() + Duration::from_secs(limits.compile_time);
        let message = match next_line(&mut session, deadline, &self.stop)? {
            Ok(line) if Reply::parse(&line) == Reply::Ready => return Ok(Ok(session)),
            Ok(line) => format!("the JVM does not start, but says: {line}"),
            Err(_) => "the JVM does not start".to_owned(),
        };
        let evidence = Evidence::post_mortem(session, line.words(), &message);
        Ok(Err(Report::new(Verdict::InfrastructureFailure, vec![evidence])))
    }

    /// Asks a JVM about `classes`. Gives whether it came to an end while it was running them.
    fn ask(
        &mut self,
        classes: &JvmClasses,
        target: &JvmTarget,
        limits: &Limits,
        careful: bool,
    ) -> Result<(Report, bool), OracleError> {
        let steps = target.setting.warmup.steps(classes);
        self.write(REQUEST_FILE, &request(classes, &steps, careful))?;
        let mut session = match self.session(target, limits)? {
            Ok(session) => session,
            Err(report) => return Ok((report, false)),
        };
        self.spent.n_compilations += 1;
        let before = times(&session);
        // If it has died since the last question, reading will tell.
        let _ = session.ask(REQUEST_FILE);
        let mut heard = self.listen(&mut session, classes, limits)?;
        let after = times(&session);
        self.spent.compile += after.0.saturating_sub(before.0);
        self.spent.run += after.1.saturating_sub(before.1);
        let command = [target.machine.command.display().to_string()];
        let command = command.into_iter().chain(target.args()).collect();
        let evidence = if heard.end.is_some() {
            let mut evidence = Evidence::post_mortem(session, command, &heard.message(classes));
            if let Ok(log) = std::fs::read_to_string(self.path(CRASH_FILE)) {
                heard.has_crashed_compiling = log.contains("Current CompileTask:");
                evidence.message = [evidence.message, crash_summary(&log)].join("\n");
                evidence.log = Some(log);
            }
            evidence
        } else {
            self.sessions.insert(key(target), (target.args(), session));
            Evidence::said(command, heard.message(classes))
        };
        Ok((heard.report(classes, evidence), heard.ended_early()))
    }

    /// Reads the answers about `classes`.
    fn listen(
        &mut self,
        session: &mut Session,
        classes: &JvmClasses,
        limits: &Limits,
    ) -> Result<Heard, OracleError> {
        let mut heard = Heard::default();
        let mut deadline = Instant::now() + Duration::from_secs(limits.compile_time);
        loop {
            let reply = match next_line(session, deadline, &self.stop)? {
                // HotSpot is dying, and says so here too.
                Ok(line) if line.starts_with('#') => continue,
                Ok(line) => Reply::parse(&line),
                Err(end) => return Ok(heard.ended(end)),
            };
            let n_calls = classes.calls.len();
            match reply {
                Reply::Loaded if !heard.is_loaded => heard.is_loaded = true,
                Reply::Begun(function) if heard.is_loaded => {
                    heard.at = classes.calls.iter().position(|call| call.function == function);
                }
                Reply::At(call) if heard.is_loaded && call < n_calls => heard.at = Some(call),
                Reply::Wrong { call, nth, value } if heard.is_loaded && call < n_calls => {
                    heard.wrong.push((call, Wrong::Value { nth, value }));
                }
                Reply::Thrown { call, message } if heard.is_loaded && call < n_calls => {
                    heard.wrong.push((call, Wrong::Thrown(message)));
                }
                Reply::Done(n) if heard.is_loaded && n == n_calls => return Ok(heard),
                Reply::Rejected(why) => return Ok(heard.ended(End::Rejected(why))),
                other => return Ok(heard.ended(End::Garbage(format!("{other:?}")))),
            }
            // Each function has that much time.
            deadline = Instant::now() + Duration::from_secs(limits.run_time);
        }
    }
}

fn key(target: &JvmTarget) -> (String, String) {
    (target.machine.name.clone(), target.setting.name.group().to_owned())
}

/// Where HotSpot says it has crashed, and what it was compiling.
fn crash_summary(log: &str) -> String {
    let mut lines = log.lines();
    let mut after = |title: &str| {
        lines.find(|line| line.contains(title))?;
        lines.next().map(|line| line.trim_start_matches('#').trim())
    };
    let (frame, task) = (after("Problematic frame:"), after("Current CompileTask:"));
    [frame, task].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// The processor time that a JVM has taken: for compiling, and for all else.
fn times(session: &Session) -> (Duration, Duration) {
    let (mut compile, mut other) = (Duration::ZERO, Duration::ZERO);
    for (name, time) in session.thread_times() {
        // `C2 CompilerThread0`, of which the system keeps 15 characters.
        let is_compiler = name.contains("CompilerThre");
        *(if is_compiler { &mut compile } else { &mut other }) += time;
    }
    (compile, other)
}

/// What a JVM said of a program.
#[derive(Debug, Default)]
struct Heard {
    is_loaded: bool,
    /// The call that it is at, or the first one of the function that it is at.
    at: Option<usize>,
    /// Calls that went wrong.
    wrong: Vec<(usize, Wrong)>,
    /// What kept it from coming to the end.
    end: Option<End>,
    /// Whether it says that it was compiling when it died.
    has_crashed_compiling: bool,
}

#[derive(Debug)]
enum Wrong {
    Value { nth: u32, value: i64 },
    Thrown(String),
}

impl Heard {
    fn ended(mut self, end: End) -> Self {
        self.end = Some(end);
        self
    }

    /// The verdict about what ended it.
    fn verdict(&self) -> Verdict {
        match &self.end {
            None => Verdict::Agrees,
            Some(End::Died) if self.has_crashed_compiling => Verdict::CompilerCrash,
            Some(end) => end.verdict(self.is_loaded),
        }
    }

    /// Whether it came to an end while it was running a program.
    fn ended_early(&self) -> bool {
        self.is_loaded && self.end.as_ref().is_some_and(End::is_silent)
    }

    /// What there is to say beside the verdict.
    fn message(&self, classes: &JvmClasses) -> String {
        if let Some(end) = &self.end {
            return end.message("the JVM");
        }
        let Some((call, wrong)) = self.wrong.first() else { return String::new() };
        let call = &classes.calls[*call];
        let name = &classes.methods[call.function].0;
        let realization = call.realization;
        match wrong {
            Wrong::Value { nth, value } => {
                format!("{name} #{realization}: repetition {nth} in a row gave {value}")
            }
            Wrong::Thrown(message) => format!("{name} #{realization}: {message}"),
        }
    }

    fn report(&self, classes: &JvmClasses, evidence: Evidence) -> Report {
        let disagreement = |call: usize, verdict: Verdict, actual: Option<String>| {
            let call = &classes.calls[call];
            let function = FuncId::new(call.function);
            Disagreement { function, realization: call.realization, verdict, actual }
        };
        let mut disagreements = Vec::new();
        for (call, wrong) in &self.wrong {
            disagreements.push(match wrong {
                Wrong::Value { value, .. } => {
                    let ValueTy::Int(ty) = classes.calls[*call].result;
                    let actual = Scalar::new(ty, *value).to_string();
                    disagreement(*call, Verdict::WrongResult, Some(actual))
                }
                Wrong::Thrown(_) => disagreement(*call, Verdict::Crash, None),
            });
        }
        if let Some(call) = self.at.filter(|_| self.ended_early()) {
            disagreements.push(disagreement(call, self.verdict(), None));
        }
        let worst = disagreements.iter().map(|found| found.verdict).max();
        let verdict = worst.map_or(self.verdict(), |worst| worst.max(self.verdict()));
        let n_checked = if self.end.is_none() { classes.calls.len() as u64 } else { 0 };
        Report { verdict, disagreements, evidence: vec![evidence], n_checked }
    }
}

impl Oracle for JvmOracle {
    type Artifact = JvmClasses;
    type Target = JvmTarget;

    fn targets(&self) -> Result<Vec<JvmTarget>, OracleError> {
        let mut targets = Vec::new();
        for machine in JavaMachine::found(&self.stop)? {
            let settings = JvmSetting::built_in(&machine, DEFAULT_WARMUP);
            let target = |setting| JvmTarget { machine: machine.clone(), setting };
            targets.extend(settings.into_iter().map(target));
        }
        Ok(targets)
    }

    fn run(
        &mut self,
        classes: &JvmClasses,
        target: &JvmTarget,
        limits: &Limits,
    ) -> Result<Report, OracleError> {
        let (report, ended_early) = self.ask(classes, target, limits, false)?;
        if !ended_early {
            return Ok(report);
        }
        // Which call it was at is known only if it is careful. If it does not happen again, that
        // it has happened is still true.
        let (careful, _) = self.ask(classes, target, limits, true)?;
        Ok(if careful.verdict == Verdict::Agrees { report } else { careful })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_is_summed_up() {
        let log = "#\n# Problematic frame:\n# V  [libjvm.so+0xb]  Node::out()+0xb\n#\n\n\
            Current CompileTask:\nC2:   5583 2963    b  4       Program::f2 (750 bytes)\n";
        let expected = "V  [libjvm.so+0xb]  Node::out()+0xb\n\
            C2:   5583 2963    b  4       Program::f2 (750 bytes)";
        assert_eq!(crash_summary(log), expected);
        assert_eq!(crash_summary("nothing"), "");
    }
}
