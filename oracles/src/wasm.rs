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

use std::path::{Path, PathBuf};

use pathsmith_backend_wasm::WasmModule;
use serde::{Deserialize, Serialize};

pub use embedded::ServeError;
pub use engines::{EngineSetting, Repro, WasmEngine, serve};
pub use protocol::{CallRequest, Request};

use self::protocol::WasmProtocol;
use crate::oracle::{Limits, Oracle, OracleError, Spent};
use crate::process::Stop;
use crate::session::{Asked, Sessions, run_carefully};
use crate::setting::Setting;
use crate::verdict::Report;

/// The name of the file that engines find the module in.
const MODULE_FILE: &str = "module.wasm";

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
