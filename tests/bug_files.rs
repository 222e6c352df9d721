//! Files for maintainers of WebAssembly engines and JVMs: they need nothing of ours. Those for
//! maintainers of C compilers are in `plain_c.rs`.

mod support;

use std::path::Path;
use std::process::Command;

use pathsmith_backend::Style;
use pathsmith_backend_jvm::{DriverStep, JvmBackend, JvmOptions, JvmStyle};
use pathsmith_generate::{GenConfig, generate_leaf, generate_program};
use pathsmith_oracles::jvm::{JavaMachine, JvmOracle, JvmSetting, JvmTarget};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{Limits, TargetSpec, Verdict};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{Ending, Program, Scalar};
use support::pathsmith;
use support::tools::has_tool;

/// Runs a module without imports, and fails if it traps.
const NODE: &str = "
const bytes = require('fs').readFileSync(process.argv[1]);
new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports._start();
";

fn document(name: &str) -> String {
    support::root().join("docs").join(name).to_string_lossy().into_owned()
}

fn check_snapshot(folder: &str, name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(support::root().join("snapshots").join(folder));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// wasmi is embedded, and has a bug that other engines do not have.
#[test]
fn a_bug_of_an_engine_is_a_module_without_imports() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let text = dir.path().join("bug.wat");
    let program = document("findings/wasmi-2-select.sym");
    let output = text.to_string_lossy();
    let run = pathsmith(&["reduce", &program, "--target", "wasmi", "-o", &output]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("wrong code: wrong result; right on "), "{}", run.stderr);
    assert!(run.stderr.contains("also wrong on wasmi 2.0.0 (wasmi-lazy)"), "{}", run.stderr);
    check_snapshot("wasm", "bug", &std::fs::read_to_string(&text).expect("a text"));
    if has_tool("node", &["--version"]) {
        let node =
            Command::new("node").args(["-e", NODE]).arg(dir.path().join("bug.wasm")).status();
        assert!(node.expect("node").success());
    }
    let printed = pathsmith(&["reduce", &program, "--target", "wasmi"]).ok();
    assert_eq!(printed, std::fs::read_to_string(&text).expect("a text"));
}

#[test]
fn what_is_right_has_no_file() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let program = document("findings/wasmi-2-select.sym");
    let output = dir.path().join("bug.wat").to_string_lossy().into_owned();
    let run = pathsmith(&["reduce", &program, "--target", "wasmtime", "-o", &output]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("gets the program right in all settings"), "{}", run.stderr);
    assert_eq!(std::fs::read_dir(dir.path()).expect("a folder").count(), 0);
    let run = pathsmith(&["reduce", &program, "--target", "wasmi", "--flags=-O2"]);
    run.fails(2, &["flags are for C compilers, and this program is for wasm"]);
    pathsmith(&["reduce", &program, "--target", "no-such-engine"]).fails(2, &["no-such-engine"]);
}

fn java() -> Option<JavaMachine> {
    let is_there = has_tool("java", &["-version"]);
    is_there
        .then(|| JavaMachine::new(&TargetSpec::new("java", "java"), &Stop::new()).expect("a JVM"))
}

/// All calls, each made so many times in a row, and each once more in the end.
fn all_calls(program: &Program, times: u32) -> Vec<DriverStep> {
    let n_calls: usize = program.functions.iter().map(|it| it.realizations.len()).sum();
    let round = |times| (0..n_calls).map(move |call| DriverStep { call, times });
    round(times).chain(round(1)).collect()
}

/// The same program with another output expected of one realization, if there is any.
fn with_wrong_output(program: &Program) -> Option<Program> {
    let mut program = program.clone();
    let realizations = program.functions.iter_mut().flat_map(|it| &mut it.realizations);
    let last = realizations.last()?;
    let Ending::Returns(value) = last.ending else { return None };
    last.ending = Ending::Returns(Scalar::new(value.ty(), value.word() ^ 1));
    Some(program)
}

#[test]
fn a_class_with_a_main_throws_if_a_result_is_wrong() {
    let Some(machine) = java() else { return };
    let mut oracle = JvmOracle::new(Stop::new()).expect("an oracle");
    let config = GenConfig::default();
    let leaf = |number| generate_leaf(&config, Dialect::Jvm, Seed::new(5), number);
    let mut programs: Vec<Program> =
        (0..3).map(|number| leaf(number).expect("it is solved").program).collect();
    let linked = generate_program(&config, Dialect::Jvm, Seed::new(5), 0).expect("a program");
    programs.push(linked.program);
    let interpreting = JvmSetting::interpreting(&machine);
    let mut settings = vec![interpreting.clone()];
    if machine.is_hotspot {
        settings.push(interpreting.with_flags(vec!["-Xbatch".to_owned()]));
    }
    for (number, program) in programs.iter().enumerate() {
        let drawn = JvmStyle::default().choose(program, &mut Seed::new(number as u64).rng());
        for options in [JvmOptions::default(), drawn] {
            let steps = all_calls(program, 50);
            let wrong = with_wrong_output(program).expect("a realization");
            for setting in &settings {
                let target = JvmTarget { machine: machine.clone(), setting: setting.clone() };
                for (program, verdict) in
                    [(program, Verdict::Agrees), (&wrong, Verdict::WrongResult)]
                {
                    let classes = JvmBackend.stand_alone(program, &options, &steps);
                    let classes = classes.expect("classes");
                    let report = oracle.run_plain(&classes, &target, &Limits::default());
                    let report = report.expect("a report");
                    assert_eq!(report.verdict, verdict, "{report:?}\n{program}");
                }
            }
        }
    }
}

#[test]
fn a_class_with_a_main_is_read_by_people() {
    let source = std::fs::read_to_string(Path::new(&document(
        "findings/hotspot-17-short-counter-reduced.sym",
    )));
    let program = parse("bug.sym", &source.expect("a program")).expect("a program");
    let options = JvmOptions { name: "Bug".to_owned(), ..JvmOptions::default() };
    let steps = [DriverStep { call: 0, times: 20_000 }];
    let classes = JvmBackend.stand_alone(&program, &options, &steps).expect("classes");
    check_snapshot("jvm", "bug", &classes.listing().expect("a listing"));
    let steps = [DriverStep { call: 1, times: 1 }];
    let error = JvmBackend.stand_alone(&program, &options, &steps).expect_err("no such call");
    assert!(error.to_string().contains("there is no call 1, only 1 of them"), "{error}");
}
