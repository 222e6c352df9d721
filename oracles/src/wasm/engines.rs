//! The WebAssembly engines that this program knows.
//!
//! An engine is a file here that implements [`Engine`], and a line in the table [`ENGINES`].
//! Campaigns, triage, the folders of findings and the command line ask the table.

mod interp;
mod lines;
mod node;
mod wasi;
#[cfg(feature = "wasmi")]
mod wasmi;
mod wasmtime;

use std::fmt::Debug;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use pathsmith_backend_wasm::WasmModule;

use super::WasmTarget;
use super::embedded::ServeError;
use super::protocol::{WasmProtocol, result_lines};
use crate::launch::{TargetSpec, anywhere, resolved};
use crate::oracle::{Limits, OracleError};
use crate::process::Stop;
use crate::session::{Asked, Sessions};
use crate::setting::Setting;
use crate::shell::shell_command;
use crate::version::{RunsBehind, ask_version};

/// All engines, in the order in which they are tested.
static ENGINES: &[&dyn Engine] = &[
    &wasmtime::Wasmtime,
    #[cfg(feature = "wasmi")]
    &wasmi::Wasmi,
    &node::Node,
    &interp::Interp,
];

/// Engines that this program does not know, by the way in which they are asked.
static PROTOCOLS: &[&dyn Engine] = &[&lines::Lines, &wasi::Wasi];

/// What an engine says of itself: what it is called, how it is found and set up, and how it is
/// asked.
pub(super) trait Engine: Debug + Sync {
    /// What it is called: `wasmtime`.
    fn name(&self) -> &'static str;

    /// Its settings. The names of an embedded engine's settings are its own among all engines.
    fn settings(&self) -> Vec<EngineSetting>;

    /// Its name and version, if it is on this machine.
    ///
    /// # Errors
    /// If it is stopped.
    fn version(&self, spec: &TargetSpec, stop: &Stop) -> Result<Option<String>, OracleError>;

    /// The command that runs it; `program` is this program.
    fn command(&self, program: &Path) -> PathBuf;

    /// The flags of a setting.
    fn setting_flags(&self, _setting: &str) -> Vec<String> {
        Vec::new()
    }

    /// All arguments of the command, in a folder that has its [`files`](Self::files), with some
    /// flags among them.
    fn args(&self, flags: Vec<String>) -> Vec<String>;

    /// What answers for it, if it is part of this program.
    fn embedded(&self) -> Option<&dyn EmbeddedEngine> {
        None
    }

    /// The files that the command needs: names and contents.
    fn files(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The optimizations that can be disabled one at a time.
    fn optimizations(&self) -> Option<Optimizations> {
        None
    }

    /// Asks `target` about `module`, which is in the folder of `sessions` as well.
    ///
    /// # Errors
    /// If the oracle cannot work.
    fn ask(
        &self,
        sessions: &mut Sessions,
        module: &WasmModule,
        target: &WasmTarget,
        limits: &Limits,
        careful: bool,
    ) -> Result<Asked, OracleError> {
        sessions.ask::<WasmProtocol>(module, target, limits, careful)
    }

    /// How a shell compares what the engine returns, in a folder that has the module and a request.
    fn repro(&self, module: &WasmModule) -> Repro {
        Repro::of_session(module)
    }

    /// The arguments of the command in that folder.
    fn repro_args(&self, args: &[String]) -> Vec<String> {
        args.to_vec()
    }

    /// The line of a shell that runs the module in `name.wat` and `name.wasm`, from its export
    /// `_start`, with the engine as its users have it. There is none if the engine is only known
    /// behind an adapter.
    fn user_line(&self, _target: &WasmTarget, _name: &str) -> Option<UserLine> {
        None
    }

    /// What that folder needs beside the module and the request: names and contents.
    fn repro_files(&self, _module: &WasmModule) -> Vec<(&'static str, Vec<u8>)> {
        Vec::new()
    }
}

/// An engine that is part of this program.
pub(super) trait EmbeddedEngine: Sync {
    /// Answers questions, one on each line of `input`, until there are no more.
    ///
    /// # Errors
    /// If there is no such setting, or the channels are closed.
    fn serve(
        &self,
        setting: &str,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
    ) -> Result<(), ServeError>;
}

/// A setting of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineSetting {
    /// What it is called.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
}

/// The optimizations of an engine that can be disabled one at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Optimizations {
    /// The setting whose compiler they belong to.
    pub(super) setting: &'static str,
    /// What they are called. `--no-` disables them.
    pub(super) names: &'static [&'static str],
}

/// How a shell compares what an engine returns with what it has to return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repro {
    /// Runs the command `$ENGINE`, and writes a line for each result.
    pub pipeline: &'static str,
    /// The lines that it has to write.
    pub expected: Vec<String>,
    /// What it writes if the module's `f`, `f.visible0` and `_start` take nothing, the former two
    /// return 1, and the request asks for `f`.
    pub alive: &'static str,
}

impl Repro {
    /// That of an engine that reads requests and answers with lines.
    pub fn of_session(module: &WasmModule) -> Self {
        Self {
            pipeline: "echo request.json | timeout 60 $ENGINE | grep -v '^repro compiled$\\|^repro done '",
            expected: result_lines(&module.calls),
            alive: "repro value 0 1",
        }
    }
}

/// A line of a shell that runs a module with an engine as its users have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserLine {
    /// The command, with what runs it if it needs that: `wasmtime`.
    pub command: Vec<String>,
    /// Its arguments: `run -O opt-level=0 bug.wat`.
    pub args: Vec<String>,
    /// The flags among them.
    pub flags: Vec<String>,
}

impl UserLine {
    /// A command with its flags, and what comes before and after them.
    fn new(command: &str, before: &[&str], flags: Vec<String>, after: &[&str]) -> Self {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let args = [owned(before), flags.clone(), owned(after)].concat();
        Self { command: vec![command.to_owned()], args, flags }
    }

    /// The line: `wasmtime run -O opt-level=0 bug.wat`.
    pub fn line(&self) -> String {
        shell_command(self.command.iter().chain(&self.args))
    }
}

/// A WebAssembly engine that this program knows.
#[derive(Clone, Copy, Debug)]
pub struct WasmEngine(&'static dyn Engine);

impl WasmEngine {
    /// All engines, in the order in which they are tested.
    pub fn all() -> impl Iterator<Item = Self> {
        ENGINES.iter().map(|&engine| Self(engine))
    }

    /// The engine called `name`, or the way in which unknown ones are asked.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = ENGINES.iter().chain(PROTOCOLS).map(|&engine| Self(engine));
        all.find(|engine| engine.name() == name)
    }

    /// What it is called: `wasmtime`.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Its settings.
    pub fn settings(self) -> Vec<EngineSetting> {
        self.0.settings()
    }

    /// Whether it is part of this program.
    pub fn is_embedded(self) -> bool {
        self.0.embedded().is_some()
    }

    /// All its settings, if it is on this machine; `program` is this program.
    ///
    /// # Errors
    /// If it is stopped.
    pub fn targets(self, program: &Path, stop: &Stop) -> Result<Vec<WasmTarget>, OracleError> {
        let spec = TargetSpec::new(self.name(), self.0.command(program));
        let target = self.target(&spec, stop)?;
        Ok(target.map(|target| self.in_all_settings(&target)).unwrap_or_default())
    }

    /// What a command runs, as an engine of this kind without a setting; `None` if it runs
    /// nothing.
    ///
    /// # Errors
    /// If it is stopped.
    pub fn target(self, spec: &TargetSpec, stop: &Stop) -> Result<Option<WasmTarget>, OracleError> {
        let spec = TargetSpec { command: anywhere(&spec.command), ..spec.clone() };
        let version = self.0.version(&spec, stop)?;
        let path = resolved(&spec.command);
        let TargetSpec { name, command, launch } = spec;
        Ok(version.map(|version| WasmTarget {
            name,
            engine: self.name().to_owned(),
            version,
            setting: Setting::named("default"),
            command,
            args: self.0.args(launch.flags.clone()),
            path,
            launch,
        }))
    }

    /// `target` with each of the engine's settings.
    pub fn in_all_settings(self, target: &WasmTarget) -> Vec<WasmTarget> {
        let with = |setting: EngineSetting| {
            self.with_flags(target, setting.name, &self.0.setting_flags(setting.name))
        };
        self.settings().into_iter().map(with).collect()
    }

    /// `target` with the flags of a setting.
    pub fn with_flags(self, target: &WasmTarget, name: &str, flags: &[String]) -> WasmTarget {
        WasmTarget {
            setting: Setting::named(name),
            args: self.0.args([&target.launch.flags[..], flags].concat()),
            ..target.clone()
        }
    }

    /// The files that its command needs: names and contents.
    pub fn files(self) -> &'static [(&'static str, &'static str)] {
        self.0.files()
    }

    /// How a shell compares what it returns, in a folder that has the module and a request.
    pub fn repro(self, module: &WasmModule) -> Repro {
        self.0.repro(module)
    }

    /// The arguments of its command there.
    pub fn repro_args(self, args: &[String]) -> Vec<String> {
        self.0.repro_args(args)
    }

    /// What that folder needs beside the module and the request: names and contents.
    pub fn repro_files(self, module: &WasmModule) -> Vec<(&'static str, Vec<u8>)> {
        self.0.repro_files(module)
    }

    /// The line that runs the module in `name.wat` and `name.wasm` with the engine as its users have
    /// it, if it is not only known behind an adapter.
    pub fn user_line(self, target: &WasmTarget, name: &str) -> Option<UserLine> {
        self.0.user_line(target, name)
    }

    fn embedded(self) -> Option<&'static dyn EmbeddedEngine> {
        self.0.embedded()
    }

    pub(super) fn optimizations(self) -> Option<Optimizations> {
        self.0.optimizations()
    }

    pub(super) fn ask(
        self,
        sessions: &mut Sessions,
        module: &WasmModule,
        target: &WasmTarget,
        limits: &Limits,
        careful: bool,
    ) -> Result<Asked, OracleError> {
        self.0.ask(sessions, module, target, limits, careful)
    }
}

/// Answers questions with the embedded engine that has the setting called `setting`, one on each
/// line of `input`, until there are no more.
///
/// # Errors
/// If there is no such setting, or the channels are closed. What a module does is part of the
/// answers.
pub fn serve(
    setting: &str,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), ServeError> {
    let has_setting =
        |engine: &WasmEngine| engine.settings().iter().any(|known| known.name == setting);
    let mut embedded = WasmEngine::all().filter(has_setting).filter_map(WasmEngine::embedded);
    match embedded.next() {
        Some(engine) => engine.serve(setting, &mut input, &mut output),
        None => Err(ServeError::NoSetting(setting.to_owned())),
    }
}

/// What a command says of its version, if it is there.
///
/// # Errors
/// If it is stopped.
fn asked_version(spec: &TargetSpec, stop: &Stop) -> Result<Option<String>, OracleError> {
    match ask_version(spec, "--version", RunsBehind::Runner, stop) {
        Ok(asked) => {
            let said = String::from_utf8_lossy(&asked.ended.stdout);
            let version = said.lines().next().unwrap_or_default().trim();
            Ok(Some(format!("{} {version}", spec.name)))
        }
        Err(OracleError::Stopped) => Err(OracleError::Stopped),
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use pathsmith_backend::Backend;
    use pathsmith_backend_wasm::{WasmBackend, WasmOptions};
    use pathsmith_symlang::lang::FloatTy;
    use pathsmith_symlang::lang::text::parse;

    use super::super::protocol::Request;
    use super::*;
    use crate::scratch::{ScratchFolder, write_afresh};

    #[test]
    fn every_embedded_setting_makes_an_engine() {
        for engine in WasmEngine::all().filter(|engine| engine.is_embedded()) {
            for setting in engine.settings() {
                serve(setting.name, &b""[..], Vec::new()).unwrap();
            }
        }
        assert!(serve("warp", &b""[..], Vec::new()).is_err());
        // node's are not ours to serve.
        assert!(serve("turbofan", &b""[..], Vec::new()).is_err());
    }

    /// Engines take and return floating-point numbers as they are, to the last bit.
    #[test]
    fn floating_point_numbers_travel_as_their_bits() {
        let mut text = "dialect wasm;".to_owned();
        for ty in ["f32", "f64"] {
            text += &format!("fn same_{ty}(a: {ty}) -> {ty} {{ entry: return a; }}");
            for value in ["0.0", "-0.0", "1.5", "-1e-40", "3.4e38", "inf", "-inf", "nan"] {
                text += &format!("realize same_{ty}({value}) = {value} via entry;");
            }
        }
        let program = parse("test", &text).expect("a valid program");
        let module = WasmBackend.lower(&program, &WasmOptions::default()).expect("a module");
        let folder = ScratchFolder::new().expect("a folder");
        let request = Request::for_repro(&module, "module.wasm");
        assert_eq!(request.calls[0].result, Some(FloatTy::F32));
        let request = serde_json::to_vec(&request).expect("a request");
        write_afresh(&folder.path().join("module.wasm"), &module.bytes).expect("a file");
        let file = folder.path().join("request.json");
        write_afresh(&file, &request).expect("a file");
        let question = format!("{}\n", file.display());
        for engine in WasmEngine::all().filter(|engine| engine.is_embedded()) {
            for setting in engine.settings() {
                let mut said = Vec::new();
                serve(setting.name, question.as_bytes(), &mut said).unwrap();
                let said = String::from_utf8(said).unwrap();
                let lines: Vec<&str> = said.lines().collect();
                let results = lines.get(1..lines.len() - 1).unwrap_or_default();
                assert_eq!(results, result_lines(&module.calls), "{}", setting.name);
            }
        }
    }

    #[test]
    fn names_of_engines_and_of_embedded_settings_are_unique() {
        let names: BTreeSet<&str> = WasmEngine::all().map(WasmEngine::name).collect();
        assert_eq!(names.len(), WasmEngine::all().count());
        let embedded = || WasmEngine::all().filter(|engine| engine.is_embedded());
        let settings = || embedded().flat_map(WasmEngine::settings);
        let names: BTreeSet<&str> = settings().map(|setting| setting.name).collect();
        assert_eq!(names.len(), settings().count());
    }

    #[test]
    fn a_target_is_asked_in_all_settings_of_its_engine() {
        let target = |engine: &str| WasmTarget {
            name: engine.to_owned(),
            engine: engine.to_owned(),
            version: String::new(),
            setting: Setting::named("default"),
            command: "command".into(),
            args: Vec::new(),
            path: "command".into(),
            launch: Default::default(),
        };
        let settings =
            |name: &str| WasmEngine::named(name).expect("an engine").in_all_settings(&target(name));
        assert_eq!(settings("wasmtime").len(), 9);
        assert_eq!(settings("wasmtime")[0].args, ["engine", "cranelift-speed"]);
        assert_eq!(settings("node")[2].args, ["--no-liftoff", "host.js"]);
        assert_eq!(settings("wasm-interp").len(), 1);
    }
}
