//! node, which has V8: an engine beside this program that a script of ours makes answer.

use std::path::{Path, PathBuf};

use super::{Engine, EngineSetting, Optimizations, UserLine, WasmTarget, asked_version};
use crate::launch::TargetSpec;
use crate::oracle::OracleError;
use crate::process::Stop;

/// The command.
const COMMAND: &str = "node";

/// The script that answers questions, and the name of its file.
const HOST: (&str, &str) = ("host.js", include_str!("../runtime/host.js"));

/// The compilers of V8, alone and together.
const SETTINGS: [(EngineSetting, &[&str]); 3] = [
    (EngineSetting { name: "default", about: "Liftoff, then TurboFan" }, &[]),
    (
        EngineSetting { name: "liftoff", about: "Liftoff, the baseline compiler" },
        &["--liftoff-only"],
    ),
    (EngineSetting { name: "turbofan", about: "TurboFan, optimizing" }, &["--no-liftoff"]),
];

/// Optimizations of TurboFan that can be disabled: `--no-turbo-loop-peeling`. node refuses what it
/// does not know, which says nothing about the finding.
const OPTIMIZATIONS: [&str; 17] = [
    "turbo-allocation-folding",
    "turbo-cf-optimization",
    "turbo-escape",
    "turbo-jt",
    "turbo-load-elimination",
    "turbo-loop-peeling",
    "turbo-loop-rotation",
    "turbo-loop-variable",
    "turbo-move-optimization",
    "turbo-splitting",
    "turbo-store-elimination",
    "wasm-bounds-checks",
    "wasm-inlining",
    "wasm-loop-peeling",
    "wasm-loop-unrolling",
    "wasm-opt",
    "wasm-tier-up",
];

/// node.
#[derive(Debug)]
pub(super) struct Node;

impl Engine for Node {
    fn name(&self) -> &'static str {
        COMMAND
    }

    fn settings(&self) -> Vec<EngineSetting> {
        SETTINGS.map(|(setting, _)| setting).to_vec()
    }

    fn version(&self, spec: &TargetSpec, stop: &Stop) -> Result<Option<String>, OracleError> {
        asked_version(spec, stop)
    }

    fn command(&self, _program: &Path) -> PathBuf {
        PathBuf::from(COMMAND)
    }

    fn setting_flags(&self, setting: &str) -> Vec<String> {
        let known = SETTINGS.iter().find(|(known, _)| known.name == setting);
        let flags = known.map_or(&[][..], |(_, flags)| flags);
        flags.iter().map(|&flag| flag.to_owned()).collect()
    }

    fn args(&self, flags: Vec<String>) -> Vec<String> {
        flags.into_iter().chain([HOST.0.to_owned()]).collect()
    }

    fn files(&self) -> &'static [(&'static str, &'static str)] {
        &[HOST]
    }

    fn user_line(&self, target: &WasmTarget, name: &str) -> Option<UserLine> {
        let flags = target.args.iter().filter(|arg| **arg != HOST.0).cloned().collect();
        let script = format!(
            "WebAssembly.instantiate(fs.readFileSync('{name}.wasm')).then(it => \
             it.instance.exports._start())"
        );
        let command = target.command.file_name()?.to_string_lossy();
        Some(UserLine::new(&command, &[], flags, &["-e", &script]))
    }

    fn optimizations(&self) -> Option<Optimizations> {
        Some(Optimizations { setting: "turbofan", names: &OPTIMIZATIONS })
    }
}
