//! Self-checking WASI modules on command-line engines. node stands for one, if it is installed: it
//! has WASI, and a script of a few lines makes it one.

#![allow(clippy::print_stderr, reason = "tests say what they skip")]

mod support;

use std::path::Path;

use pathsmith_backend::{Backend, Style};
use pathsmith_backend_wasm::{WasmBackend, WasmModule, WasmOptions, WasmStyle, WasmValue};
use pathsmith_generate::{GenConfig, generate_leaf};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::wasm::WasiEngine;
use pathsmith_oracles::{Limits, Report, Spent, Verdict};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::{Program, Scalar};
use support::tools::NODE_WASI;
use support::{pathsmith, pathsmith_with_input};

/// node as a command-line engine, if it is there and knows WASI.
fn node(dir: &Path) -> Option<WasiEngine> {
    let script = dir.join("wasi.mjs");
    std::fs::write(&script, NODE_WASI).expect("a script");
    let engine = WasiEngine {
        command: "node".into(),
        args: vec![script.to_string_lossy().into_owned()],
        ..WasiEngine::default()
    };
    let plain = ask(&engine, &module(0..1, &WasmStyle::default()));
    let is_usable = plain.verdict == Verdict::Agrees;
    if !is_usable {
        eprintln!("skipped: there is no node that knows WASI: {plain:?}");
    }
    is_usable.then_some(engine)
}

fn module(numbers: std::ops::Range<u64>, style: &WasmStyle) -> WasmModule {
    let mut program = Program { dialect: Some(Dialect::Wasm), ..Program::default() };
    let mut config = GenConfig::default();
    config.graph.blocks = 6;
    for number in numbers.clone() {
        if let Ok(leaf) = generate_leaf(&config, Dialect::Wasm, Seed::new(8), number) {
            program.append(&leaf.program);
        }
    }
    let options = style.choose(&program, &mut Seed::new(numbers.start).child("lower").rng());
    WasmBackend.lower(&program, &options).expect("a module")
}

fn ask(engine: &WasiEngine, module: &WasmModule) -> Report {
    let limits = Limits { compile_time: 20, run_time: 20, ..Limits::default() };
    let mut spent = Spent::default();
    engine.ask(module, &limits, &Stop::new(), &mut spent).expect("a report")
}

#[test]
fn an_engine_agrees_and_is_told_when_it_does_not() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let Some(engine) = node(dir.path()) else { return };
    let mut n_checked = 0;
    for first in [0, 10, 20] {
        let module = module(first..first + 10, &WasmStyle::default());
        let report = ask(&engine, &module);
        assert_eq!(report.verdict, Verdict::Agrees, "{report:?}");
        assert_eq!(report.n_checked, module.calls.len() as u64);
        n_checked += report.n_checked;
        // Two results that it cannot have, near and far.
        let mut wrong = module.clone();
        let results = module.calls.iter().enumerate().filter(|(_, call)| !call.is_memory);
        let results: Vec<usize> = results.map(|(number, _)| number).collect();
        let picked = [results[1], results[results.len() - 2]];
        for number in picked {
            let expected = module.calls[number].expected;
            wrong.calls[number].expected = Scalar::new(expected.ty(), expected.word() ^ 1);
        }
        let report = ask(&engine, &wrong);
        let found = report.disagreements.iter().map(|it| (it.function.index(), it.realization));
        let expected =
            picked.map(|number| (module.calls[number].function, module.calls[number].realization));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{report:?}");
        assert_eq!(report.verdict, Verdict::WrongResult);
    }
    assert!(n_checked > 200, "{n_checked}");
}

/// A trap in the middle is blamed on its call, and the calls behind it are made.
#[test]
fn a_trap_is_blamed_on_its_call() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let Some(engine) = node(dir.path()) else { return };
    let realizations = "realize f(7) = 1 via entry;\n".repeat(9);
    let text = format!("fn f(a: i32) -> i32 {{ entry: return 7 / a; }}\n{realizations}");
    let program = pathsmith_symlang::lang::text::parse("test", &text).expect("a valid program");
    let mut module = WasmBackend.lower(&program, &WasmOptions::default()).expect("a module");
    module.calls[4].args = vec![WasmValue::I32(0)];
    let report = ask(&engine, &module);
    assert_eq!((report.verdict, report.n_checked), (Verdict::Crash, 9), "{report:?}");
    let found: Vec<usize> = report.disagreements.iter().map(|it| it.realization).collect();
    assert_eq!(found, [4]);
    // A module that it refuses says nothing about calls.
    module.bytes[4] = 9;
    let broken = ask_broken(&engine, &module);
    assert!(broken.contains("cannot be made self-checking"), "{broken}");
}

fn ask_broken(engine: &WasiEngine, module: &WasmModule) -> String {
    let mut spent = Spent::default();
    let error = engine.ask(module, &Limits::default(), &Stop::new(), &mut spent);
    error.expect_err("it is no module").to_string()
}

#[test]
fn people_can_have_a_module() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("test.wasm").to_string_lossy().into_owned();
    let program = pathsmith(&["gen", "--dialect", "wasm", "--seed", "3", "--count", "5"]).ok();
    let args = ["lower", "-", "--to", "wasi", "--choose", "3", "-o", &file];
    pathsmith_with_input(&args, program.as_bytes()).ok();
    let bytes = std::fs::read(&file).expect("a file");
    assert!(bytes.starts_with(b"\0asm"));
    if let Some(engine) = node(dir.path()) {
        let mut words = engine.words(&file).into_iter();
        let mut command = std::process::Command::new(words.next().expect("a command"));
        let output = command.args(words).output().expect("node runs");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// What stands in one, for review.
#[test]
fn a_small_module() {
    let text = "dialect wasm;
global g: i32 = 1;
fn f(a: i32, b: i64) -> i32 {
entry:
  g = g + a;
  return g;
}
realize f(4, -1) = 5 via entry;
fn h(a: u64) -> u64 {
entry:
  return a * 3u64;
}
realize h(7) = 21 via entry;
realize h(18446744073709551615) = 18446744073709551613 via entry;
fn c(a: i64) -> u32 {
entry:
  return checksum;
}
realize c(-7) = 3878409883 via entry;
";
    // The host's checksum becomes a function of the module.
    let dir = tempfile::tempdir().expect("a temporary folder");
    let options = dir.path().join("options.json").to_string_lossy().into_owned();
    std::fs::write(&options, r#"{"checksum": "host"}"#).expect("a file");
    let args = ["lower", "-", "--to", "wasi-wat", "--options", &options];
    let wat = pathsmith_with_input(&args, text.as_bytes()).ok();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(support::root().join("snapshots/wasm"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(r#"pathsmith lower - --to wasi-wat with {"checksum": "host"}"#);
    settings.bind(|| insta::assert_snapshot!("self-checking", wat));
}
