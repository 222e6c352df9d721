//! What is observed of a function: what it returns, and what it leaves in memory.

mod support;

use std::fs;
use std::process::Command;

use support::workshop::{GUILTY, Workshop, edit};
use support::{pathsmith, root};

const TABLE: &str = "docs/findings/clang-22-periodic-table.sym";

/// Compiles a file of C, and gives what the program prints.
fn compiled_and_run(text: &str) -> String {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("test.c");
    fs::write(&file, text).expect("a file");
    let program = dir.path().join("test");
    let status = Command::new("gcc").arg("-O1").arg(&file).arg("-o").arg(&program).status();
    assert!(status.expect("gcc runs").success());
    let output = Command::new(&program).output().expect("it runs");
    String::from_utf8(output.stdout).expect("text")
}

/// A program that returns a constant is wrong if it leaves something else in memory.
#[test]
fn programs_in_c_check_what_is_left_in_memory() {
    pathsmith(&["check", TABLE]).ok();
    let text = pathsmith(&["lower", TABLE, "--to", "c"]).ok();
    assert!(compiled_and_run(&text).starts_with("ok f #0: 0\n"));
    let store = "sym_d[i] = sym_d[i] ^ sym_k[i & 3u];";
    assert!(text.contains(store), "{text}");
    let wrong = text.replace(store, "sym_d[i] = sym_d[i] ^ sym_k[i & 1u];");
    let printed = compiled_and_run(&wrong);
    let expected = "expected memory 1578488689\ndone: 1 checked, 1 failed\n";
    assert!(printed.starts_with("WRONG f #0: memory ") && printed.ends_with(expected), "{printed}");
}

#[test]
fn what_is_left_is_checked_by_the_interpreter_too() {
    let text = fs::read_to_string(root().join(TABLE)).expect("a program");
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("wrong.sym");
    fs::write(&file, text.replace("leaving 1578488689", "leaving 7")).expect("a file");
    let file = file.to_string_lossy();
    let checked = pathsmith(&["check", &file]);
    assert_eq!(checked.code, 1);
    let message = "f(64) does not hold: expected to leave 7 in the globals, got 1578488689";
    assert!(checked.stdout.contains(message), "{}", checked.stdout);
    let run = pathsmith(&["run", &file]);
    let message = "f(64) = 0 leaving 1578488689, 131 steps, but expected to leave 7\n";
    assert_eq!((run.code, &run.stdout[..]), (1, message));
}

/// A compiler that gets the stores of one function wrong is caught although the function returns a
/// constant, and the finding says what differs.
#[test]
fn wrong_stores_are_findings_about_memory() {
    let store = format!("s/^\\( *sym_{GUILTY}_[^=]* = \\)\\(.*\\);$/\\1(\\2) + 1;/");
    let workshop = Workshop::new(&edit(&store));
    let memory = ["--set", "generate.observe.memory=1.0", "--set", "generate.observe.all=0.0"];
    let run = workshop.fuzz("8", &memory);
    assert_eq!(run.code, 1, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stdout.contains(": expected memory checksum "), "{}", run.stdout);
    let folder = workshop.finding();
    let text = fs::read_to_string(folder.join("finding.txt")).expect("a text");
    assert!(text.contains("\nexpected: memory checksum "), "{text}");
    assert!(text.contains("\nactual:   memory checksum "), "{text}");
    let script = |compiler: &str| {
        let mut command = Command::new("sh");
        command.arg(folder.join("repro.sh")).env("CC", compiler);
        command.output().expect("a shell").status.success()
    };
    let faulty = workshop.dir.path().join("faulty");
    assert!(script("gcc") && !script(&faulty.to_string_lossy()));
    let replayed = pathsmith(&["replay", &workshop.findings().to_string_lossy()]);
    assert!(replayed.stdout.contains("wrong code: wrong result"), "{}", replayed.stdout);
}

/// The same functions with each kind of observation hold in every dialect.
#[test]
fn every_kind_holds_in_every_dialect() {
    for dialect in ["c", "wasm", "jvm"] {
        for kind in ["some", "one", "expression", "memory"] {
            let weight = format!("observe.{kind}=1000");
            let args = ["gen", "--seed", "5", "--count", "20", "--dialect", dialect];
            let text = pathsmith(&[&args[..], &["--set", &weight]].concat()).ok();
            assert!(text.contains(&format!("/// observed: {kind}")), "{text}");
            let checked = support::pathsmith_with_input(&["check", "-"], text.as_bytes());
            assert_eq!(checked.code, 0, "{}", checked.stdout);
        }
    }
}
