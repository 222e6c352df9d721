//! WebAssembly engines: what they make of a module, and whether it gives what it should.
//!
//! An engine runs in a process of its own that is asked many questions ([`Session`]). If it dies,
//! hangs or talks nonsense, that is a verdict about the call that it was at, and a new process
//! takes its place. wasmtime and wasmi are embedded: their process is this very program, called
//! again. node and wabt's interpreter are used where they are found.

mod embedded;
mod interp;
mod protocol;
mod triage;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pathsmith_backend_wasm::WasmModule;
use pathsmith_symlang::FuncId;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

pub use embedded::{EmbeddedSetting, ServeError, embedded_settings, serve};
pub use protocol::{CallRequest, Request};

use self::protocol::Reply;
use crate::oracle::{Limits, Oracle, OracleError, Spent};
use crate::process::{CommandLine, ProcessLimits, Session, Stop};
use crate::scratch::scratch_folder;
use crate::setting::Setting;
use crate::talk::{End, next_line};
use crate::verdict::{Disagreement, Evidence, Report, Verdict};

/// An engine and its setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WasmTarget {
    /// The engine: `wasmtime`.
    pub engine: String,
    /// Its version.
    pub version: String,
    /// Its setting.
    pub setting: Setting,
    /// The command that answers questions with it.
    pub command: PathBuf,
    /// The command's arguments.
    pub args: Vec<String>,
}

/// The program that answers questions with node.
pub const NODE_HOST: &str = include_str!("wasm/runtime/host.js");
/// The name of that program's file.
pub const NODE_HOST_FILE: &str = "host.js";

/// The compilers of V8, alone and together.
const NODE_SETTINGS: [(&str, &[&str]); 3] =
    [("default", &[]), ("liftoff", &["--liftoff-only"]), ("turbofan", &["--no-liftoff"])];

/// Runs modules on engines.
#[derive(Debug)]
pub struct WasmOracle {
    folder: TempDir,
    /// This program, which embeds an engine.
    program: PathBuf,
    stop: Stop,
    sessions: BTreeMap<(String, String), Session>,
    /// What was taken so far.
    pub spent: Spent,
}

impl WasmOracle {
    /// An oracle whose embedded engines are run by `program`: with the arguments `engine` and the
    /// name of a setting, it has to call [`serve`].
    ///
    /// # Errors
    /// Where there is no room for its files.
    pub fn new(program: PathBuf, stop: Stop) -> Result<Self, OracleError> {
        let folder = scratch_folder()?;
        let host = folder.path().join(NODE_HOST_FILE);
        std::fs::write(&host, NODE_HOST).map_err(|source| {
            OracleError::io(format!("cannot write {}", host.display()), source)
        })?;
        Ok(Self { folder, program, stop, sessions: BTreeMap::new(), spent: Spent::default() })
    }

    /// All settings of the embedded engines.
    pub fn embedded_targets(program: &Path) -> Vec<WasmTarget> {
        let target = |setting: EmbeddedSetting| WasmTarget {
            engine: setting.engine.to_owned(),
            version: format!("{} {}", setting.engine, setting.version),
            setting: Setting::named(setting.name),
            command: program.to_owned(),
            args: vec!["engine".to_owned(), setting.name.to_owned()],
        };
        embedded_settings().into_iter().map(target).collect()
    }

    /// node, where it is found, with each of its compilers.
    ///
    /// # Errors
    /// Where it is stopped.
    pub fn node_targets(stop: &Stop) -> Result<Vec<WasmTarget>, OracleError> {
        let limits = ProcessLimits {
            time: Duration::from_secs(20),
            memory: None,
            output: 1 << 16,
            files: None,
        };
        let line = CommandLine::new("node", std::env::temp_dir()).arg("--version");
        let Ok(ended) = line.run(&limits, stop) else { return Ok(Vec::new()) };
        if stop.is_raised() {
            return Err(OracleError::Stopped);
        }
        let version = String::from_utf8_lossy(&ended.stdout).trim().to_owned();
        if !ended.end.is_success() {
            return Ok(Vec::new());
        }
        let target = |(setting, flags): (&str, &[&str])| {
            let args = flags.iter().chain(&[NODE_HOST_FILE]).map(|&arg| arg.to_owned());
            WasmTarget {
                engine: "node".to_owned(),
                version: format!("node {version}"),
                setting: Setting::named(setting),
                command: PathBuf::from("node"),
                args: args.collect(),
            }
        };
        Ok(NODE_SETTINGS.map(target).to_vec())
    }

    /// wabt's interpreter, where it is found.
    pub fn interp_target(stop: &Stop) -> Option<WasmTarget> {
        interp::target(stop)
    }

    /// A process that answers for `target`: the one that is there, or a new one.
    fn session(&mut self, target: &WasmTarget) -> Result<Session, Report> {
        if let Some(session) = self.sessions.remove(&key(target)) {
            return Ok(session);
        }
        let line = CommandLine::new(&target.command, self.folder.path()).args(&target.args);
        // Engines reserve more memory than there is.
        Session::start(&line, None).map_err(|error| Report::not_started(&line, &error))
    }

    /// Reads the answers about `module`.
    fn listen(
        &mut self,
        session: &mut Session,
        module: &WasmModule,
        limits: &Limits,
    ) -> Result<Heard, OracleError> {
        let mut heard = Heard::default();
        let mut deadline = Instant::now() + Duration::from_secs(limits.compile_time);
        loop {
            let reply = match next_line(session, deadline, &self.stop)? {
                Ok(line) => Reply::parse(&line),
                Err(end) => return Ok(heard.ended(end)),
            };
            match reply {
                Reply::Compiled if !heard.is_compiled => {
                    heard.is_compiled = true;
                    deadline = Instant::now() + Duration::from_secs(limits.run_time);
                }
                Reply::Value(value) if heard.expects_result(module) => {
                    heard.results.push(Ok(value));
                }
                Reply::Trap(message) if heard.expects_result(module) => {
                    heard.results.push(Err(message));
                }
                Reply::Done(compile, run, all) if heard.is_complete(module) => {
                    self.spent.compile += Duration::from_micros(compile);
                    self.spent.run += Duration::from_micros(run);
                    let own = all.saturating_sub(compile + run);
                    self.spent.overhead += Duration::from_micros(own);
                    return Ok(heard);
                }
                Reply::Rejected(why) => return Ok(heard.ended(End::Rejected(why))),
                other => return Ok(heard.ended(End::Garbage(format!("{other:?}")))),
            }
        }
    }
}

fn key(target: &WasmTarget) -> (String, String) {
    (target.engine.clone(), target.setting.to_string())
}

/// What an engine said of a module.
#[derive(Debug, Default)]
struct Heard {
    is_compiled: bool,
    results: Vec<Result<i64, String>>,
    /// What kept it from coming to the end.
    end: Option<End>,
}

impl Heard {
    fn ended(mut self, end: End) -> Self {
        self.end = Some(end);
        self
    }

    fn expects_result(&self, module: &WasmModule) -> bool {
        self.is_compiled && self.results.len() < module.calls.len()
    }

    fn is_complete(&self, module: &WasmModule) -> bool {
        self.is_compiled && self.results.len() == module.calls.len()
    }

    /// The verdict about what ended it, and a message.
    fn verdict(&self) -> (Verdict, String) {
        match &self.end {
            None => (Verdict::Agrees, String::new()),
            Some(end) => (end.verdict(self.is_compiled), end.message("the engine")),
        }
    }

    /// Whether it came to an end while it was running a module.
    fn ended_early(&self) -> bool {
        self.is_compiled && self.end.as_ref().is_some_and(End::is_silent)
    }

    /// The report, with `verdict` for what ended it.
    fn report(&self, module: &WasmModule, verdict: Verdict, evidence: Evidence) -> Report {
        let disagreements = self.disagreements(module, verdict);
        let worst = disagreements.iter().map(|found| found.verdict).max();
        let verdict = worst.map_or(verdict, |worst| worst.max(verdict));
        let n_checked = self.results.len() as u64;
        Report { verdict, disagreements, evidence: vec![evidence], n_checked }
    }

    /// All calls that went wrong, the one that ended it included.
    fn disagreements(&self, module: &WasmModule, verdict: Verdict) -> Vec<Disagreement> {
        let mut found = Vec::new();
        for (call, result) in std::iter::zip(&module.calls, &self.results) {
            let (verdict, actual) = match result {
                Ok(value) if call.canonical(*value).same_result(call.expected) => continue,
                Ok(value) => (Verdict::WrongResult, Some(call.canonical(*value).to_string())),
                Err(_) => (Verdict::Crash, None),
            };
            found.push(Disagreement {
                function: FuncId::new(call.function),
                realization: call.realization,
                verdict,
                actual,
            });
        }
        let at = module.calls.get(self.results.len());
        if let Some(call) = at.filter(|_| self.ended_early()) {
            found.push(Disagreement {
                function: FuncId::new(call.function),
                realization: call.realization,
                verdict,
                actual: None,
            });
        }
        found
    }
}

impl Oracle for WasmOracle {
    type Artifact = WasmModule;
    type Target = WasmTarget;

    fn targets(&self) -> Result<Vec<WasmTarget>, OracleError> {
        let mut targets = Self::embedded_targets(&self.program);
        targets.extend(Self::node_targets(&self.stop)?);
        targets.extend(Self::interp_target(&self.stop));
        Ok(targets)
    }

    fn run(
        &mut self,
        module: &WasmModule,
        target: &WasmTarget,
        limits: &Limits,
    ) -> Result<Report, OracleError> {
        self.write("module.wasm", &module.bytes)?;
        if target.engine == interp::COMMAND {
            return interp::run(self, module, target, limits);
        }
        let (report, ended_early) = self.ask(module, target, limits, false)?;
        if !ended_early {
            return Ok(report);
        }
        // Which call it was at is known only if it is careful. If it does not happen again, that
        // it has happened is still true.
        let (careful, _) = self.ask(module, target, limits, true)?;
        Ok(if careful.verdict == Verdict::Agrees { report } else { careful })
    }
}

impl WasmOracle {
    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), OracleError> {
        let path = self.folder.path().join(name);
        std::fs::write(&path, bytes)
            .map_err(|source| OracleError::io(format!("cannot write {}", path.display()), source))
    }

    /// Asks an engine about a module. Gives whether it came to an end while it was running it.
    fn ask(
        &mut self,
        module: &WasmModule,
        target: &WasmTarget,
        limits: &Limits,
        careful: bool,
    ) -> Result<(Report, bool), OracleError> {
        let request = serde_json::to_vec(&Request::new(module, "module.wasm", careful));
        let failed = |error: serde_json::Error| OracleError::io("the request", error.into());
        self.write("request.json", &request.map_err(failed)?)?;
        let mut session = match self.session(target) {
            Ok(session) => session,
            Err(report) => return Ok((report, false)),
        };
        self.spent.n_compilations += 1;
        // If it has died since the last question, reading will tell.
        let _ = session.ask("request.json");
        let heard = self.listen(&mut session, module, limits)?;
        let (verdict, message) = heard.verdict();
        let traps: Vec<&String> = heard.results.iter().filter_map(|r| r.as_ref().err()).collect();
        let message = match traps.first() {
            Some(trap) if message.is_empty() => format!("trap: {trap}"),
            _ => message,
        };
        let command = [target.command.display().to_string()];
        let command = command.into_iter().chain(target.args.clone()).collect();
        let evidence = if heard.end.is_some() {
            Evidence::post_mortem(session, command, &message)
        } else {
            self.sessions.insert(key(target), session);
            Evidence::said(command, message)
        };
        Ok((heard.report(module, verdict, evidence), heard.ended_early()))
    }
}
