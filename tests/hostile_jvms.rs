//! JVMs that misbehave on purpose, end to end: what each is reported as, and that nothing is left
//! behind.
//!
//! The JVM is a script around the real one. It passes on what the real one answers, and tampers with
//! answers about the guilty function (`support/hostile_session.py`).

mod support;

use support::hostile::{
    AGREES, COMPILER_TIMEOUT, CRASH, HANG, Hostile, Mode, POSSIBLE_PATHSMITH_BUG, REFUSED,
    WRONG_RESULT, check_all,
};
use support::root;
use support::tools::has_tool;

fn check(mode: &Mode) {
    let hostile = Hostile::new();
    let session = root().join("tests/support/hostile_session.py");
    let copy = hostile.bin().join("session.py");
    std::fs::copy(session, &copy).expect("a script");
    let java = hostile.script(
        "hostile-java",
        &format!(
            "case \" $* \" in *' Host ') exec python3 {} f2 java \"$@\";; esac\nexec java \"$@\"\n",
            copy.display()
        ),
    );
    let target = java.to_string_lossy();
    let args = ["jvm", "--count", "3", "--targets", &target];
    let fixed = ["jvm.settings=[\"int\"]", "jvm.random_settings=0"];
    let limits = ["jvm.functions_per_program=1", "limits.compile_time=20", "limits.run_time=2"];
    let settings = fixed.iter().chain(&limits).flat_map(|setting| ["--set", setting]);
    let run = hostile.fuzz(mode, &args.into_iter().chain(settings).collect::<Vec<_>>());
    hostile.check(mode, &run);
}

/// Reaching another limit takes a busy machine longer than other modes may take.
const SLOWLY: &str = "limits.run_time=60";

const NONCE: &str = "expected a line that begins with the nonce of the request, got ";

#[test]
fn jvms_that_misbehave() {
    if !has_tool("java", &["-version"]) {
        return;
    }
    check_all(
        &[
            Mode::new("wrong-value", "", WRONG_RESULT, "in repetition 0"),
            Mode::new("no-value", "", CRASH, "got \"returned 1 NaN"),
            Mode::new("no-nonce", "", CRASH, NONCE),
            Mode::new("other-nonce", "", CRASH, NONCE),
            Mode::new("replay", "", CRASH, NONCE).with(&["jvm.settings=[\"int\", \"c1\"]"]),
            Mode::new("duplicate", "", CRASH, "an answer about call 1, got \"returned 0"),
            Mode::new("swapped", "", CRASH, "an answer about call 0, got \"returned 1"),
            Mode::new("missing", "", CRASH, "an answer about call 0, got \"returned 1"),
            Mode::new("unknown", "", CRASH, "got \"returned 99999"),
            Mode::new("wrong-count", "", CRASH, ", got \"done "),
            Mode::new("late", "", CRASH, "expected nothing after the last line, got "),
            Mode::new("garbage", "", CRASH, NONCE),
            Mode::new("escapes", "", CRASH, "\\u{1b}[31m\\u{1b}]0;evil\\u{7}"),
            Mode::new("endless-line", "", CRASH, "a line that does not end"),
            Mode::new("flood", "", CRASH, NONCE),
            Mode::new("close-stdout", "", CRASH, "the JVM died"),
            Mode::new("allocates", "", CRASH, "the JVM was killed: memory limit reached")
                .with(&["limits.memory=1000000000", SLOWLY]),
            Mode::new("child-allocates", "", CRASH, "the JVM was killed: memory limit reached")
                .with(&["limits.memory=1000000000", SLOWLY]),
            Mode::new("writes", "", CRASH, "the JVM was killed: limit on file size reached")
                .with(&["limits.files=20000000", SLOWLY]),
            Mode::new("killed", "", CRASH, "signal 11"),
            Mode::new("leaves-a-device", "", CRASH, "signal 11"),
            Mode::new("leaves-a-pipe", "", CRASH, "signal 11"),
            Mode::new("exits", "", CRASH, "exit status 0"),
            Mode::new("never", "", HANG, "the JVM did not answer in time"),
            Mode::new("dribble", "", HANG, "the JVM did not answer in time"),
            Mode::new("ignore-term", "", HANG, "the JVM did not answer in time"),
            Mode::new("reads-stdin", "", HANG, "the JVM did not answer in time"),
            Mode::new("never-compiles", "", COMPILER_TIMEOUT, "the JVM did not answer in time")
                .with(&["limits.compile_time=5"]),
            Mode::new("flood-stderr", "", AGREES, "3 cases"),
            Mode::new("killed-afterwards", "", AGREES, "3 cases"),
            Mode::new("fork", "", AGREES, "3 cases"),
            Mode::new("double-fork", "", AGREES, "3 cases"),
            Mode::new("setsid", "", AGREES, "3 cases"),
            Mode::new("leaves-pipes", "", AGREES, "3 cases"),
            Mode::new("rejects", "", POSSIBLE_PATHSMITH_BUG, "no, thank you"),
            Mode::new("greets", "", REFUSED, "does not start, but says: hello"),
        ],
        check,
    );
}
