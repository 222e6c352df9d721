//! Engines that are shell scripts: they end in the ways that a list says, one for each run.

use std::path::Path;

use pathsmith_backend::Backend;
use pathsmith_backend_wasm::{WasmBackend, WasmOptions};
use pathsmith_symlang::lang::text::parse;

use super::*;

/// A function with so many realizations, all alike.
fn module(n_calls: usize) -> WasmModule {
    let realizations = "realize f(4) = 5 via entry;\n".repeat(n_calls);
    let text = format!("fn f(a: i32) -> i32 {{ entry: return a + 1; }}\n{realizations}");
    let program = parse("test", &text).expect("a valid program");
    WasmBackend.lower(&program, &WasmOptions::default()).expect("a module")
}

/// Functions that leave something in a global.
fn observed_module() -> WasmModule {
    let text = "global g: i32 = 1;
        fn f(a: i32) -> i32 { entry: g = a; return a; }
        realize f(4) = 4 via entry; realize f(5) = 5 via entry;";
    let mut module = {
        let program = parse("test", text).expect("a valid program");
        WasmBackend.lower(&program, &WasmOptions::default()).expect("a module")
    };
    // As if the realizations said what is left.
    let calls = std::mem::take(&mut module.calls);
    for call in calls {
        let memory = WasmCall { is_memory: true, ..call.clone() };
        module.calls.extend([call, memory]);
    }
    module
}

fn limits() -> Limits {
    Limits { compile_time: 2, run_time: 1, ..Limits::default() }
}

/// An engine that reads one line of `ends` in each run, and does what it says. It fails if there are
/// no lines left.
fn engine(dir: &Path, ends: &str) -> WasiEngine {
    let list = dir.join("ends");
    std::fs::write(&list, format!("{ends}\n")).expect("a file");
    let script = "test -f \"$1\" || exit 3; end=$(head -n 1 \"$ENDS\"); sed -i 1d \"$ENDS\"; \
                  test -n \"$end\" || exit 4; eval \"$end\"";
    WasiEngine {
        command: "sh".into(),
        args: ["-c", script, "sh"].map(str::to_owned).to_vec(),
        runner: Vec::new(),
        env: BTreeMap::from([("ENDS".to_owned(), list.to_string_lossy().into_owned())]),
    }
}

/// The report about a module, if runs end as in the list, and all of the list is needed.
#[track_caller]
fn ask(module: &WasmModule, ends: &str) -> Report {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let engine = engine(dir.path(), ends);
    let mut spent = Spent::default();
    let report = engine.ask(module, &limits(), &Stop::new(), &mut spent).expect("a report");
    let left = std::fs::read_to_string(dir.path().join("ends")).expect("a file");
    assert_eq!(left.trim(), "", "{report:?}");
    let n_runs = ends.lines().count() as u64;
    assert_eq!(spent.n_compilations, n_runs, "{report:?}");
    report
}

fn blamed(report: &Report) -> Vec<(usize, Verdict)> {
    report.disagreements.iter().map(|found| (found.realization, found.verdict)).collect()
}

#[test]
fn zero_is_an_agreement_about_all_calls() {
    let report = ask(&module(5), "exit 0");
    assert_eq!((report.verdict, report.n_checked), (Verdict::Agrees, 5));
    assert_eq!(report.evidence.len(), 1);
    assert_eq!(ask(&module(200), "exit 0").n_checked, 200);
}

/// A status that names a call has to change with the statuses of the module. What comes after the
/// call is asked about too.
#[test]
fn a_status_names_the_wrong_call() {
    let report = ask(&module(5), "exit 42\nexit 43\nexit 0");
    assert_eq!((report.verdict, report.n_checked), (Verdict::WrongResult, 5));
    assert_eq!(blamed(&report), [(2, Verdict::WrongResult)]);
    assert_eq!(report.disagreements[0].actual, None);
    let message = &report.evidence[0].message;
    let expected =
        "exit status 42: realization 2 of f returned something else (export f, expected 5;";
    assert!(message.starts_with(expected), "{message}");
    // Two of them.
    let report = ask(&module(5), "exit 40\nexit 41\nexit 43\nexit 44");
    assert_eq!((report.verdict, report.n_checked), (Verdict::WrongResult, 5));
    assert_eq!(blamed(&report), [(0, Verdict::WrongResult), (4, Verdict::WrongResult)]);
}

#[test]
fn late_calls_share_a_status_until_they_are_asked_about() {
    let report = ask(&module(70), "exit 100\nexit 101\nexit 43\nexit 44\nexit 0");
    assert_eq!(blamed(&report), [(63, Verdict::WrongResult)]);
    assert_eq!((report.verdict, report.n_checked), (Verdict::WrongResult, 70));
    // Without the calls before them they are right.
    let report = ask(&module(70), "exit 100\nexit 101\nexit 0");
    assert_eq!(blamed(&report), []);
    assert_eq!(report.verdict, Verdict::WrongResult);
}

#[test]
fn what_is_left_after_a_wrong_call_says_nothing() {
    let module = observed_module();
    assert_eq!(module.calls.len(), 4);
    let report = ask(&module, "exit 40\nexit 41\nexit 0");
    assert_eq!(blamed(&report), [(0, Verdict::WrongResult)]);
    assert_eq!(report.n_checked, 3);
    let report = ask(&module, "exit 43\nexit 44");
    assert_eq!(blamed(&report), [(1, Verdict::WrongResult)]);
    assert!(report.evidence[0].message.contains("left something else in memory"), "{report:?}");
}

/// An engine that ends with a number of its own must not be taken for a module.
#[test]
fn statuses_of_the_engine_are_not_those_of_the_module() {
    // It stays the same when those of the module change, and the module loads.
    let report = ask(&module(1), "exit 40\nexit 40\nexit 0");
    assert_eq!((report.verdict, blamed(&report)), (Verdict::Crash, vec![(0, Verdict::Crash)]));
    // It is the same for everything.
    let report = ask(&module(50), "exit 65\nexit 65\nexit 65");
    assert_eq!((report.verdict, report.n_checked), (Verdict::CompileError, 0));
    assert_eq!(blamed(&report), []);
}

#[test]
fn a_module_that_is_not_loaded_is_about_compiling() {
    let of = |ends: &str| {
        let report = ask(&module(3), ends);
        assert!(report.disagreements.is_empty() && report.n_checked == 0, "{report:?}");
        report.verdict
    };
    assert_eq!(of("echo no >&2; exit 1\nexit 1"), Verdict::CompileError);
    assert_eq!(of("kill -SEGV $$\nkill -SEGV $$"), Verdict::CompilerCrash);
    assert_eq!(of("exit 134\nexit 134"), Verdict::CompilerCrash);
    assert_eq!(of("exit 101\nexit 101"), Verdict::CompilerCrash);
    assert_eq!(of("sleep 100\nsleep 100"), Verdict::CompilerTimeout);
    assert_eq!(of("exit 127\nexit 127"), Verdict::InfrastructureFailure);
}

/// The call that kills the engine, or its code, is found by halves.
#[test]
fn a_module_that_is_loaded_is_about_running() {
    // 0..8 dies, loads, 0..4 survives, 0..6 dies, 0..5 survives: it is call 5; the rest is right.
    let ends = "kill -SEGV $$\nexit 0\nexit 0\nkill -SEGV $$\nexit 0\nexit 0";
    let report = ask(&module(8), ends);
    assert_eq!((report.verdict, report.n_checked), (Verdict::Crash, 8));
    assert_eq!(blamed(&report), [(5, Verdict::Crash)]);
    assert_eq!(report.evidence[0].signal, Some(libc::SIGSEGV));
    // Not the same each time.
    let report = ask(&module(4), "exit 134\nexit 0\nexit 41");
    assert_eq!((report.verdict, blamed(&report)), (Verdict::Crash, vec![]));
    let report = ask(&module(3), "sleep 100\nexit 0");
    assert_eq!((report.verdict, blamed(&report)), (Verdict::Hang, vec![]));
    let report = ask(&module(3), "yes\nexit 0");
    assert_eq!(report.verdict, Verdict::Hang);
}

/// If loading takes most of the time, running gets more.
#[test]
fn slow_loading_is_no_hang() {
    // 0.6 to 1 s of CPU time where it was measured, more than a quarter of what a run has.
    let loading = "i=0; while [ $i -lt 600000 ]; do i=$((i+1)); done; exit 0";
    let report = ask(&module(3), &format!("sleep 100\n{loading}\nsleep 1.5; exit 0"));
    assert_eq!((report.verdict, report.n_checked), (Verdict::Agrees, 3));
    let report = ask(&module(3), &format!("sleep 100\n{loading}\nsleep 100\n{loading}"));
    assert_eq!(report.verdict, Verdict::Hang);
}

#[test]
fn a_missing_command_is_an_infrastructure_failure() {
    let engine = WasiEngine { command: "no-such-engine-here".into(), ..WasiEngine::default() };
    let mut spent = Spent::default();
    let report = engine.ask(&module(1), &limits(), &Stop::new(), &mut spent).expect("a report");
    assert_eq!(report.verdict, Verdict::InfrastructureFailure);
}

/// Modules of programs that claim nothing are compiled.
#[test]
fn a_module_without_calls_is_loaded() {
    let report = ask(&module(0), "exit 0");
    assert_eq!((report.verdict, report.n_checked), (Verdict::Agrees, 0));
    assert_eq!(ask(&module(0), "exit 1\nexit 1").verdict, Verdict::CompileError);
    assert_eq!(ask(&module(0), "kill -SEGV $$\nkill -SEGV $$").verdict, Verdict::CompilerCrash);
    assert_eq!(ask(&module(0), "exit 1\nexit 0").verdict, Verdict::Crash);
}

#[test]
fn the_file_is_the_last_word_or_where_it_is_wanted() {
    let words = |runner: &[&str], args: &[&str]| {
        let all = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let (runner, args, env) = (all(runner), all(args), BTreeMap::new());
        WasiEngine { command: "wasmtime".into(), args, runner, env }.words("a.wasm").join(" ")
    };
    assert_eq!(words(&[], &["run"]), "wasmtime run a.wasm");
    assert_eq!(words(&["nice", "-n", "5"], &[]), "nice -n 5 wasmtime a.wasm");
    assert_eq!(words(&[], &["{module}", "--quiet"]), "wasmtime a.wasm --quiet");
    assert_eq!(words(&[], &["--file={module}"]), "wasmtime --file=a.wasm");
}
