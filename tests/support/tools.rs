//! Tools of this machine that some tests cannot do without.
//!
//! A developer may lack a JVM or a browser: such a test then says on standard error that it was
//! skipped. On a machine that is there to test, which says so with `CI` in its environment, a
//! missing tool fails the test instead, so that no test passes without having tested anything.
//! `scripts/setup` installs all of these tools.

#![allow(dead_code, reason = "each test file uses some of it")]

use std::process::Command;

/// The targets of tests that demand that nothing is found: the compiler that pathsmith is built with,
/// and the engines that it embeds. Whatever else is installed may have bugs.
pub(crate) const OWN_COMPILER: &str = "gcc";
pub(crate) const OWN_ENGINES: &str = "wasmtime,wasmi";

/// What makes node a command-line engine.
///
/// With `returnOnExit: false`, node 20 ends in a segmentation fault now and then, probably because
/// threads of V8 still compile when it exits in the middle of WebAssembly.
pub(crate) const NODE_WASI: &str = "
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';
const wasi = new WASI({ version: 'preview1', returnOnExit: true });
const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.wasiImport });
process.exitCode = wasi.start(instance);
";

/// Whether the tool runs. `args` make it print its version.
///
/// # Panics
/// If it does not run and `CI` is set.
#[track_caller]
pub(crate) fn has_tool(tool: &str, args: &[&str]) -> bool {
    version_of(tool, args).is_some()
}

/// What the tool prints with `args`, on standard output and standard error, if it runs.
///
/// # Panics
/// If it does not run and `CI` is set.
#[track_caller]
pub(crate) fn version_of(tool: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(tool).args(args).output().ok();
    let Some(output) = output.filter(|output| output.status.success()) else {
        skip(&format!("`{tool}` does not run on this machine"), is_ci());
        return None;
    };
    let printed = [output.stdout, output.stderr].concat();
    Some(String::from_utf8_lossy(&printed).trim().to_owned())
}

/// Says that a test is skipped because this machine lacks something other than a command.
///
/// # Panics
/// If `CI` is set.
#[track_caller]
pub(crate) fn skip_without(what: &str) {
    skip(&format!("this machine has no {what}"), is_ci());
}

/// `CI` as the usual services set it.
fn is_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false")
}

/// Says that a test is skipped, and why.
///
/// # Panics
/// If `is_ci`.
#[track_caller]
#[expect(clippy::print_stderr, reason = "a test that does nothing says so")]
pub(crate) fn skip(why: &str, is_ci: bool) {
    assert!(!is_ci, "{why}, and `CI` is set: run scripts/setup");
    eprintln!("skipped: {why}");
}
