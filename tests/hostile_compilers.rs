//! Compilers that misbehave on purpose, end to end: what each is reported as, and that nothing is
//! left behind.
//!
//! The compiler is a script around gcc. It misbehaves wherever it compiles the guilty function, so
//! that everything else that pathsmith asks of a compiler goes well. What the compiled program does
//! is part of that: a fault can change the source, or replace the program by a script around it.

mod support;

use support::hostile::{
    AGREES, COMPILER_CRASH, COMPILER_TIMEOUT, CRASH, HANG, Hostile, INFRASTRUCTURE, Mode,
    POSSIBLE_PATHSMITH_BUG, WRONG_RESULT, check_all,
};
use support::workshop::{WRONG, edit_all};

/// The function that is compiled wrongly: the last one of a campaign.
const GUILTY: &str = "f2";

/// Runs each mode. A fault is a script that runs before the real compiler, with the name of the
/// source in `$file`.
fn check(mode: &Mode) {
    let hostile = Hostile::new();
    let compiler = hostile.script(
        "hostile",
        &format!(
            "if [ \"$1\" = --version ]; then echo hostile 1.0; exit; fi\n\
             for file in \"$@\"; do\n\
             case $file in *.c)\n\
             if grep -q '^[a-zA-Z_].* {GUILTY}(.*)$' \"$file\"; then\n{}\nfi;;\n\
             esac\n\
             done\n\
             gcc \"$@\" || exit\n\
             if [ -e after ] && [ -e test ]; then . ./after; fi\n",
            mode.fault,
        ),
    );
    let target = compiler.to_string_lossy();
    let args = ["c", "--count", "3", "--targets", &target, "--set", "c.functions_per_file=1"];
    let fixed = ["c.levels=[\"-O1\"]", "c.random_settings=0", "c.instruction_sets=[]"];
    let limits = ["limits.compile_time=2", "limits.run_time=2", "limits.files=20000000"];
    let settings = fixed.iter().chain(&limits).flat_map(|setting| ["--set", setting]);
    let run = hostile.fuzz(mode, &args.into_iter().chain(settings).collect::<Vec<_>>());
    hostile.check(mode, &run);
}

/// The fault that runs a script when the program is compiled, which is `test`.
fn after(script: &str) -> &'static str {
    format!("cat > after <<'END'\n{script}\nEND").leak()
}

/// The fault that replaces the compiled program by a script. The program is called `real`.
fn program(script: &str) -> &'static str {
    after(&format!(
        "mv test real; cat > test <<'PROGRAM'\n#!/bin/sh\n{script}\nPROGRAM\nchmod +x test"
    ))
}

/// The compiler itself.
#[test]
fn compilers_that_misbehave() {
    check_all(
        &[
            Mode::new("no product", "exit 0", COMPILER_CRASH, "it succeeded without a product"),
            Mode::new(
                "the product is a folder",
                "mkdir -p test.o test f2.o; exit 0",
                COMPILER_CRASH,
                "it succeeded without a product",
            ),
            Mode::new("crashes", "kill -SEGV $$", COMPILER_CRASH, "signal 11"),
            Mode::new("never ends", "sleep 1000", COMPILER_TIMEOUT, "time limit reached"),
            Mode::new(
                "ignores signals",
                "trap '' TERM INT HUP; while :; do sleep 1; done",
                COMPILER_TIMEOUT,
                "time limit reached",
            ),
            Mode::new("floods stdout", "yes", COMPILER_TIMEOUT, "output limit reached"),
            Mode::new("floods stderr", "yes >&2", COMPILER_TIMEOUT, "output limit reached"),
            Mode::new(
                "dribbles",
                "while :; do printf x >&2; sleep 1; done",
                COMPILER_TIMEOUT,
                "time limit reached",
            ),
            Mode::new(
                "writes 30 GB",
                "yes | head -c 30000000000 > big; exit 1",
                COMPILER_TIMEOUT,
                "limit on file size reached",
            ),
            Mode::new(
                "allocates 30 GB",
                "python3 -c 'import mmap; mmap.mmap(-1, 30 << 30)'; exit 1",
                COMPILER_TIMEOUT,
                "Cannot allocate memory",
            ),
            Mode::new(
                "closes its output",
                "exec >&- 2>&-; sleep 1000",
                COMPILER_TIMEOUT,
                "time limit reached",
            ),
            Mode::new(
                "writes what is no text",
                "printf '\\377\\376 internal compiler error: in x\\n' >&2; exit 1",
                COMPILER_CRASH,
                "internal compiler error: in x",
            ),
            Mode::new("reads stdin", "cat", AGREES, "3 cases"),
            Mode::new("forks", "sleep 1000 &", AGREES, "3 cases"),
            Mode::new("forks twice", "(sleep 1000 & sleep 1000 &) &", AGREES, "3 cases"),
            Mode::new("forks into a session", "setsid sleep 1000 &", AGREES, "3 cases"),
            Mode::new("rejects", "echo no >&2; exit 1", POSSIBLE_PATHSMITH_BUG, "no"),
            Mode::new("is deleted", "rm -f \"$0\"", INFRASTRUCTURE, "hostile"),
        ],
        check,
    );
}

/// What it compiles.
#[test]
fn programs_that_misbehave() {
    let wrong: &'static str = edit_all(GUILTY, WRONG).leak();
    let wrong_but_happy: &'static str =
        format!("{wrong}\n{}", program("./real \"$@\"; exit 0")).leak();
    let body =
        |code: &str| -> &'static str { edit_all(GUILTY, &format!("s/^{{$/{{ {code}/")).leak() };
    let puts = "extern int puts(const char *); extern void _exit(int);";
    let says_ok = body(&format!("{puts} puts(\"ok f2 #0: 1\\\\ndone: 1 checked\"); _exit(0);"));
    let no_nonce = body(&format!("{puts} puts(\"0 0 1 0\\\\ndone 1\"); _exit(0);"));
    check_all(
        &[
            Mode::new("wrong value", wrong, WRONG_RESULT, "expected: "),
            Mode::new("exit status 0 with failures", wrong_but_happy, WRONG_RESULT, "all the same"),
            Mode::new("says ok", says_ok, CRASH, "expected its answer, got \"ok f2 #0: 1\""),
            Mode::new("answers without nonce", no_nonce, CRASH, "got \"0 0 1 0\""),
            Mode::new(
                "replays an earlier answer",
                program(
                    "saved=$HOSTILE_TEST/saved; [ -e $saved ] || ./real $1 > $saved; cat $saved",
                ),
                CRASH,
                "expected its answer, got ",
            )
            .with(&["c.levels=[\"-O1\", \"-O2\"]"]),
            Mode::new("answers twice", program("./real \"$@\" | sed 1p"), CRASH, ", got \"0 0 "),
            Mode::new(
                "leaves an answer out",
                program("./real \"$@\" | sed 1d"),
                CRASH,
                "f2 #0: expected its answer, got \"",
            ),
            Mode::new(
                "answers about what is not there",
                program("./real \"$@\" | sed \"s/ done/ 99 0 1 0\\n$1 done/\""),
                CRASH,
                "got \"99 0 1 0\"",
            ),
            Mode::new(
                "miscounts",
                program("./real \"$@\" | sed \"s/done .*/done 9999/\""),
                CRASH,
                "got \"done 9999\"",
            ),
            Mode::new(
                "answers too late",
                program("./real \"$@\"; echo \"$1 0 0 1 0\""),
                CRASH,
                "expected nothing after the last line, got \"0 0 1 0\"",
            ),
            Mode::new(
                "exits early",
                body("extern void _exit(int); _exit(0);"),
                CRASH,
                "expected its answer, but the program ended with exit status 0",
            ),
            Mode::new(
                "fails after all answers",
                program("./real \"$@\"; exit 3"),
                CRASH,
                "all answers are right, but it ended with exit status 3",
            ),
            Mode::new(
                "crashes after all answers",
                program("./real \"$@\"; kill -SEGV $$"),
                CRASH,
                "all answers are right, but it ended with signal 11",
            ),
            Mode::new(
                "writes what is no text",
                program("./real \"$@\"; printf \"\\377\\033[2J\\007\\n\""),
                CRASH,
                "got \"\u{fffd}\\u{1b}[2J\\u{7}\"",
            ),
            Mode::new(
                "closes its output",
                program("exec ./real \"$@\" >&-"),
                CRASH,
                "f2 #0: expected its answer, but the program ended with exit status 0",
            ),
            Mode::new("floods", program("yes"), HANG, "output limit reached"),
            Mode::new(
                "dribbles",
                program("while :; do printf x; sleep 1; done"),
                HANG,
                "time limit reached",
            ),
            Mode::new(
                "ignores signals",
                program("trap \"\" TERM INT HUP; while :; do sleep 1; done"),
                HANG,
                "time limit reached",
            ),
            Mode::new("forks", program("./real \"$@\"; sleep 1000 &"), AGREES, "3 cases"),
            Mode::new(
                "is not executable",
                after("chmod -x test"),
                INFRASTRUCTURE,
                "ermission denied",
            ),
            Mode::new(
                "is for another processor",
                after("printf '\\177ELF\\1\\1\\1' > test"),
                INFRASTRUCTURE,
                "ormat error",
            ),
            Mode::new(
                "forks twice",
                program("(sleep 1000 & sleep 1000 &) & exec ./real \"$@\""),
                AGREES,
                "3 cases",
            ),
        ],
        check,
    );
}
