//! WebAssembly engines that misbehave on purpose, end to end: what each is reported as, and that
//! nothing is left behind.
//!
//! The engine is a command of the config that speaks the line protocol. It passes on what an
//! embedded engine answers, and tampers with answers about the guilty function
//! (`support/hostile_session.py`).

mod support;

use support::hostile::{
    AGREES, COMPILER_TIMEOUT, CRASH, HANG, Hostile, Mode, POSSIBLE_PATHSMITH_BUG, WRONG_RESULT,
    check_all,
};
use support::root;

fn check(mode: &Mode) {
    let hostile = Hostile::new();
    let session = root().join("tests/support/hostile_session.py");
    let copy = hostile.bin().join("session.py");
    std::fs::copy(session, &copy).expect("a script");
    let engine = format!("{} engine wasmi-eager", env!("CARGO_BIN_EXE_pathsmith"));
    let command = hostile.script(
        "hostile",
        &format!(
            "case \" $* \" in *' --version ') echo v1.0; exit;; esac\n\
             exec python3 {} f2 {engine}\n",
            copy.display()
        ),
    );
    let targets = format!(
        "wasm.targets=[{{name = 'hostile', command = '{}', protocol = 'lines'}}]",
        command.display()
    );
    let args = ["wasm", "--count", "3", "--targets", "hostile", "--set", &targets];
    let limits = ["wasm.functions_per_module=1", "limits.compile_time=5", "limits.run_time=2"];
    let settings = limits.iter().flat_map(|setting| ["--set", setting]);
    let run = hostile.fuzz(mode, &args.into_iter().chain(settings).collect::<Vec<_>>());
    hostile.check(mode, &run);
}

const NONCE: &str = "expected a line that begins with the nonce of the request, got ";

#[test]
fn engines_that_misbehave() {
    check_all(
        &[
            Mode::new("wrong-value", "", WRONG_RESULT, "expected: "),
            Mode::new("no-value", "", CRASH, "got \"value 1 NaN"),
            Mode::new("no-nonce", "", CRASH, NONCE),
            Mode::new("other-nonce", "", CRASH, NONCE),
            Mode::new("swapped", "", CRASH, "`value 0` or `trap 0`, got \"value 1 "),
            Mode::new("duplicate", "", CRASH, "`value 1` or `trap 1`, got \"value 0 "),
            Mode::new("missing", "", CRASH, "`value 0` or `trap 0`, got \"value 1 "),
            Mode::new("unknown", "", CRASH, "got \"value 99999 "),
            Mode::new("wrong-count", "", CRASH, ", got \"done "),
            Mode::new("late", "", CRASH, "expected nothing after the last line, got "),
            Mode::new("garbage", "", CRASH, NONCE),
            Mode::new("flood", "", CRASH, NONCE),
            Mode::new("close-stdout", "", CRASH, "the engine died"),
            Mode::new("never", "", HANG, "the engine did not answer in time"),
            Mode::new("never-compiles", "", COMPILER_TIMEOUT, "the engine did not answer in time"),
            Mode::new("rejects", "", POSSIBLE_PATHSMITH_BUG, "no, thank you"),
            Mode::new("fork", "", AGREES, "3 cases"),
            Mode::new("setsid", "", AGREES, "3 cases"),
        ],
        check,
    );
}
