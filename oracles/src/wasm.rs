//! WebAssembly engines: what they make of a module, and whether it returns what it should.
//!
//! An engine runs in a process of its own that is asked many questions, one after the other. If it
//! dies, hangs or violates the protocol, that is a verdict about the call that it was at, and a new
//! process takes its place. wasmtime and wasmi are embedded: their process is this very program,
//! called again. node and wabt's interpreter are used if they are found. [`WasmEngine`] lists them
//! all.

mod embedded;
mod engines;
mod protocol;
mod triage;
mod wasi;

use std::path::{Path, PathBuf};

use pathsmith_backend_wasm::WasmModule;
use serde::{Deserialize, Serialize};

pub use embedded::ServeError;
pub use engines::{EngineSetting, Repro, UserLine, WasmEngine, serve};
pub use protocol::{CallRequest, Request};
pub use wasi::WasiEngine;

use self::protocol::WasmProtocol;
use crate::launch::Launch;
use crate::oracle::{Limits, Oracle, OracleError, Spent};
use crate::process::{CommandLine, End, Stop};
use crate::session::{Asked, Sessions, run_carefully};
use crate::setting::Setting;
use crate::verdict::Report;
use crate::version::BRIEFLY;

/// The name of the file that engines find the module in.
const MODULE_FILE: &str = "module.wasm";

/// An engine and its setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WasmTarget {
    /// What it is called: `wasmtime`.
    pub name: String,
    /// Which engine it is, or which protocol it speaks: the name of a [`WasmEngine`].
    pub engine: String,
    /// Its version.
    pub version: String,
    /// Its setting.
    pub setting: Setting,
    /// The command that answers questions with it.
    pub command: PathBuf,
    /// The command's arguments.
    pub args: Vec<String>,
    /// The file that the command stands for.
    pub path: PathBuf,
    /// How it is started. Its flags are among the arguments.
    #[serde(default)]
    pub launch: Launch,
}

impl WasmTarget {
    /// The same target with further flags that suppress known bugs.
    #[must_use]
    pub fn without_known_bugs(&self, flags: &[String]) -> Self {
        let setting = self.setting.without_known_bugs(flags);
        Self { setting, args: [flags, &self.args].concat(), ..self.clone() }
    }

    /// Whether the engine takes the flags among its arguments. An embedded one has settings, and no
    /// flags.
    ///
    /// # Errors
    /// If it cannot be run, or is stopped.
    pub fn is_taken(&self, stop: &Stop) -> Result<bool, OracleError> {
        let flags: Vec<&String> = self.args.iter().filter(|arg| arg.starts_with('-')).collect();
        let is_embedded = WasmEngine::named(&self.engine).is_some_and(WasmEngine::is_embedded);
        if flags.is_empty() || is_embedded {
            return Ok(flags.is_empty());
        }
        let line = self.launch.behind_runner(&self.command, &std::env::temp_dir());
        let ended = line.args(flags).arg("--version").run(&BRIEFLY, stop).map_err(|source| {
            OracleError::io(format!("cannot run {}", self.command.display()), source)
        })?;
        if ended.end == End::Stopped {
            Err(OracleError::Stopped)
        } else {
            Ok(ended.end.is_success())
        }
    }

    /// The command with its arguments, to be run in `dir`.
    pub(crate) fn line(&self, dir: &Path) -> CommandLine {
        self.launch.behind_runner(&self.command, dir).args(&self.args)
    }

    /// The same engine in another of its settings.
    pub fn in_setting(&self, name: &str) -> Option<Self> {
        let all = WasmEngine::named(&self.engine)?.in_all_settings(self);
        all.into_iter().find(|target| target.setting.name() == Some(name))
    }
}

/// Runs modules on engines.
#[derive(Debug)]
pub struct WasmOracle {
    sessions: Sessions,
    /// This program, which embeds engines.
    program: PathBuf,
}

impl WasmOracle {
    /// An oracle whose embedded engines are run by `program`: with the arguments `engine` and the
    /// name of a setting, it has to call [`serve`].
    ///
    /// # Errors
    /// If there is no room for its files.
    pub fn new(program: PathBuf, stop: Stop) -> Result<Self, OracleError> {
        let sessions = Sessions::new(stop)?;
        for (name, text) in WasmEngine::all().flat_map(WasmEngine::files) {
            sessions.write(name, text.as_bytes())?;
        }
        Ok(Self { sessions, program })
    }

    /// All settings of the embedded engines, which `program` runs.
    pub fn embedded_targets(program: &Path) -> Vec<WasmTarget> {
        let embedded = WasmEngine::all().filter(|engine| engine.is_embedded());
        // They are always there.
        embedded.flat_map(|it| it.targets(program, &Stop::new()).unwrap_or_default()).collect()
    }

    /// Takes the CPU time that was spent since it was last taken.
    pub fn take_spent(&mut self) -> Spent {
        std::mem::take(&mut self.sessions.spent)
    }

    /// Asks an engine about the module that is in the folder already.
    fn ask(
        &mut self,
        module: &WasmModule,
        target: &WasmTarget,
        limits: &Limits,
        careful: bool,
    ) -> Result<Asked, OracleError> {
        match WasmEngine::named(&target.engine) {
            Some(engine) => engine.ask(&mut self.sessions, module, target, limits, careful),
            // Whatever it is, it answers as the embedded ones do.
            None => self.sessions.ask::<WasmProtocol>(module, target, limits, careful),
        }
    }

    fn write_module(&self, module: &WasmModule) -> Result<(), OracleError> {
        self.sessions.write(MODULE_FILE, &module.bytes)
    }
}

impl Oracle for WasmOracle {
    type Artifact = WasmModule;
    type Target = WasmTarget;

    fn targets(&self) -> Result<Vec<WasmTarget>, OracleError> {
        let mut targets = Vec::new();
        for engine in WasmEngine::all() {
            targets.extend(engine.targets(&self.program, &self.sessions.stop)?);
        }
        Ok(targets)
    }

    fn run(
        &mut self,
        module: &WasmModule,
        target: &WasmTarget,
        limits: &Limits,
    ) -> Result<Report, OracleError> {
        self.write_module(module)?;
        run_carefully(|careful| self.ask(module, target, limits, careful))
    }
}
