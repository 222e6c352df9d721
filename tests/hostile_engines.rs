//! WebAssembly engines that misbehave on purpose, end to end: what each is reported as, and that
//! nothing is left behind.
//!
//! The engine is a command of the config that speaks the line protocol. It passes on what an
//! embedded engine answers, and tampers with answers about the guilty function
//! (`support/hostile_session.py`). Or it is a command that runs WASI modules: a script around node.

mod support;

use std::path::Path;

use support::hostile::{
    AGREES, COMPILER_CRASH, COMPILER_TIMEOUT, CRASH, HANG, Hostile, INFRASTRUCTURE, Mode,
    POSSIBLE_PATHSMITH_BUG, REFUSED, WRONG_RESULT, check_all,
};
use support::root;
use support::tools::{NODE_WASI, has_tool};

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
    fuzz(&hostile, mode, &command, "lines");
}

fn fuzz(hostile: &Hostile, mode: &Mode, command: &Path, protocol: &str) {
    let targets = format!(
        "wasm.targets=[{{name = 'hostile', command = '{}', protocol = '{protocol}'}}]",
        command.display()
    );
    let args = ["wasm", "--count", "3", "--targets", "hostile", "--set", &targets];
    let limits = ["wasm.functions_per_module=1", "limits.compile_time=5", "limits.run_time=2"];
    let settings = limits.iter().flat_map(|setting| ["--set", setting]);
    let run = hostile.fuzz(mode, &args.into_iter().chain(settings).collect::<Vec<_>>());
    hostile.check(mode, &run);
}

/// Reaching another limit takes a busy machine longer than other modes may take.
const SLOWLY: &str = "limits.run_time=60";

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
            Mode::new("escapes", "", CRASH, "\\u{1b}[31m\\u{1b}]0;evil\\u{7}"),
            Mode::new("endless-line", "", CRASH, "a line that does not end"),
            Mode::new("flood", "", CRASH, NONCE),
            Mode::new("killed", "", CRASH, "signal 11"),
            Mode::new("exits", "", CRASH, "exit status 0"),
            Mode::new("close-stdout", "", CRASH, "the engine died"),
            Mode::new("allocates", "", CRASH, "the engine was killed: memory limit reached")
                .with(&["limits.memory=1000000000", SLOWLY]),
            Mode::new("child-allocates", "", CRASH, "the engine was killed: memory limit reached")
                .with(&["limits.memory=1000000000", SLOWLY]),
            Mode::new("writes", "", CRASH, "the engine was killed: limit on file size reached")
                .with(&["limits.files=20000000", SLOWLY]),
            Mode::new("never", "", HANG, "the engine did not answer in time"),
            Mode::new("dribble", "", HANG, "the engine did not answer in time"),
            Mode::new("ignore-term", "", HANG, "the engine did not answer in time"),
            Mode::new("reads-stdin", "", HANG, "the engine did not answer in time"),
            Mode::new("never-compiles", "", COMPILER_TIMEOUT, "the engine did not answer in time"),
            Mode::new("rejects", "", POSSIBLE_PATHSMITH_BUG, "no, thank you"),
            Mode::new("greets", "", REFUSED, "cannot be used"),
            Mode::new("flood-stderr", "", AGREES, "3 cases"),
            Mode::new("killed-afterwards", "", AGREES, "3 cases"),
            Mode::new("fork", "", AGREES, "3 cases"),
            Mode::new("double-fork", "", AGREES, "3 cases"),
            Mode::new("setsid", "", AGREES, "3 cases"),
            Mode::new("leaves-pipes", "", AGREES, "3 cases"),
        ],
        check,
    );
}

/// Runs each mode of a command-line engine. A fault is a script that runs before node if the module
/// exports the guilty function.
fn check_command(mode: &Mode) {
    let hostile = Hostile::new();
    std::fs::write(hostile.bin().join("wasi.mjs"), NODE_WASI).expect("a script");
    let command = hostile.script(
        "hostile",
        &format!(
            "if [ \"$1\" = --version ]; then echo v1.0; exit; fi\n\
             if grep -qaP '\\x02f2\\x00' \"$1\"; then\n{}\nfi\n\
             exec node --no-warnings {}/wasi.mjs \"$@\"\n",
            mode.fault,
            hostile.bin().display(),
        ),
    );
    fuzz(&hostile, mode, &command, "wasi");
}

/// What an engine does before the first call, it does for a module without calls too, so that its
/// verdict is about compiling.
#[test]
fn command_line_engines_that_misbehave() {
    if !has_tool("node", &["--version"]) {
        return;
    }
    let foreign = "which is not from the module";
    let late = "time limit reached";
    check_all(
        &[
            Mode::new("names a wrong call", "exit 42", POSSIBLE_PATHSMITH_BUG, "exit status 42"),
            Mode::new("rejects", "echo no >&2; exit 1", POSSIBLE_PATHSMITH_BUG, foreign),
            Mode::new("panics", "exit 101", COMPILER_CRASH, "exit status 101"),
            Mode::new("crashes", "kill -SEGV $$", COMPILER_CRASH, "signal 11"),
            Mode::new("hangs", "exec sleep 1000", COMPILER_TIMEOUT, late),
            Mode::new(
                "ignores signals",
                "trap '' TERM INT HUP; while :; do sleep 1; done",
                COMPILER_TIMEOUT,
                late,
            ),
            Mode::new("closes its output", "exec >&- 2>&-; sleep 1000", COMPILER_TIMEOUT, late),
            Mode::new("floods", "yes", COMPILER_TIMEOUT, "output limit reached"),
            Mode::new("floods stderr", "yes >&2", COMPILER_TIMEOUT, "output limit reached"),
            Mode::new(
                "writes 30 GB",
                "yes | head -c 30000000000 > big; exit 1",
                COMPILER_TIMEOUT,
                "limit on file size reached",
            ),
            Mode::new(
                "allocates",
                "python3 -c 'held = []\nwhile True: held.append(b\"x\" * (10 << 20))'",
                COMPILER_TIMEOUT,
                "memory limit reached",
            )
            .with(&["limits.memory=1000000000"]),
            Mode::new(
                "writes escapes",
                "printf '\\377\\033[2J\\007\\n' >&2; exit 101",
                COMPILER_CRASH,
                "\\u{1b}[2J\\u{7}",
            ),
            Mode::new(
                "leaves a pipe",
                "rm -f module.wasm; mkfifo module.wasm; exit 42",
                POSSIBLE_PATHSMITH_BUG,
                "exit status 42",
            ),
            Mode::new("says something", "echo ok", AGREES, "3 cases"),
            Mode::new("forks", "sleep 1000 &", AGREES, "3 cases"),
            Mode::new("forks twice", "(sleep 1000 & sleep 1000 &) &", AGREES, "3 cases"),
            Mode::new("forks into a session", "setsid sleep 1000 &", AGREES, "3 cases"),
            Mode::new("is not found", "exit 127", INFRASTRUCTURE, "infrastructure failure"),
            Mode::new("is deleted", "rm -f \"$0\"; exit 1", INFRASTRUCTURE, "hostile"),
        ],
        check_command,
    );
}
