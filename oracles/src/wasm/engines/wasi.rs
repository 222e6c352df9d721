//! Engines that this program does not know, behind a command line that runs WASI modules.

use std::path::{Path, PathBuf};

use pathsmith_backend_wasm::{WasiChecks, WasmModule};

use super::super::wasi::{WasiEngine, with_file};
use super::{Engine, EngineSetting, Repro, UserLine, WasmTarget, asked_version};
use crate::launch::TargetSpec;
use crate::oracle::{Limits, OracleError};
use crate::process::Stop;
use crate::session::{Asked, Sessions};

/// The file with the self-checking module, in the folder of a finding.
const REPRO_FILE: &str = "wasi.wasm";

/// A command line that runs WASI modules.
#[derive(Debug)]
pub(super) struct Wasi;

impl Engine for Wasi {
    fn name(&self) -> &'static str {
        "wasi"
    }

    fn settings(&self) -> Vec<EngineSetting> {
        vec![EngineSetting { name: "default", about: "the command as it is" }]
    }

    /// Not all of them say what version they are.
    fn version(&self, spec: &TargetSpec, stop: &Stop) -> Result<Option<String>, OracleError> {
        let version = asked_version(spec, stop)?;
        Ok(Some(version.unwrap_or_else(|| format!("{} of an unknown version", spec.name))))
    }

    fn command(&self, program: &Path) -> PathBuf {
        program.to_owned()
    }

    fn args(&self, flags: Vec<String>) -> Vec<String> {
        flags
    }

    fn ask(
        &self,
        sessions: &mut Sessions,
        module: &WasmModule,
        target: &WasmTarget,
        limits: &Limits,
        _careful: bool,
    ) -> Result<Asked, OracleError> {
        let engine = WasiEngine {
            command: target.command.clone(),
            args: target.args.clone(),
            runner: target.launch.runner.clone(),
            env: target.launch.env.clone(),
        };
        let stop = sessions.stop.clone();
        engine.ask(module, limits, &stop, &mut sessions.spent).map(Asked::settled)
    }

    /// The script runs the self-checking module.
    fn repro(&self, _module: &WasmModule) -> Repro {
        Repro {
            pipeline: "{ timeout 60 $ENGINE >&2; echo \"exit status $?\"; }",
            expected: vec!["exit status 0".to_owned()],
            alive: "exit status 0",
        }
    }

    fn repro_args(&self, args: &[String]) -> Vec<String> {
        with_file(args, REPRO_FILE)
    }

    fn user_line(&self, target: &WasmTarget, name: &str) -> Option<UserLine> {
        let command = target.command.file_name()?.to_string_lossy();
        let runner = target.launch.runner.iter().cloned();
        Some(UserLine {
            command: runner.chain([command.into_owned()]).collect(),
            args: with_file(&target.args, &format!("{name}.wasm")),
            flags: target.args.clone(),
        })
    }

    fn repro_files(&self, module: &WasmModule) -> Vec<(&'static str, Vec<u8>)> {
        // What was found with it can be made.
        let bytes = module.self_checking(&WasiChecks::all(module));
        bytes.map(|bytes| (REPRO_FILE, bytes)).into_iter().collect()
    }
}
