//! clang: an assertion or a fatal error, and a dump of the stack.

use super::normal::{function_name, normalised};
use super::{Crash, N_FRAMES};

/// Functions that only report the crash, or end the process.
const REPORTERS: [&str; 13] = [
    "llvm::sys::PrintStackTrace",
    "llvm::sys::RunSignalHandlers",
    "llvm::sys::CleanupOnSignal",
    "llvm::report_fatal_error",
    "llvm::llvm_unreachable_internal",
    "PrintStackTraceSignalHandler",
    "SignalHandler",
    "CrashRecoverySignalHandler",
    "HandleCrash",
    "gsignal",
    "raise",
    "abort",
    "__assert_fail",
];

/// Where clang says it has crashed, and in which pass.
pub(crate) fn read_clang_crash(text: &str) -> Crash {
    let mut trace: Vec<String> = text.lines().find_map(message).into_iter().collect();
    trace.extend(frames(text));
    let pass =
        text.lines().rev().find_map(|line| line.split_once("Running pass ")).map(|(_, it)| it);
    Crash { trace, detail: pass.map(|pass| format!("running pass {}", normalised(pass))) }
}

/// What is said of it: the condition of an assertion, or what comes after a well-known word.
fn message(line: &str) -> Option<String> {
    if let Some((_, rest)) = line.split_once("Assertion `") {
        let condition = rest.rsplit_once("' failed").map_or(rest, |(condition, _)| condition);
        return Some(normalised(&format!("assertion {condition}")));
    }
    if line.contains("UNREACHABLE executed") {
        let reason = line.split("UNREACHABLE executed").next().unwrap_or_default().trim();
        return Some(normalised(&format!("unreachable {reason}")).trim().to_owned());
    }
    let after = |sign: &str| line.split_once(sign).map(|(_, rest)| normalised(rest));
    after("fatal error: ").or_else(|| after("LLVM ERROR: "))
}

/// `#4 0x00007f1234 llvm::Foo::bar(int) (/lib/libLLVM-14.so.1+0xe3f4b1)`; those of a library that
/// has no names for them are left out.
fn frames(text: &str) -> Vec<String> {
    let of_line = |line: &str| {
        let (number, rest) = line.trim().strip_prefix('#')?.split_once(' ')?;
        number.parse::<u32>().ok()?;
        let (address, function) = rest.trim().split_once(' ')?;
        let is_named = address.starts_with("0x") && !function.trim().starts_with("(/");
        is_named.then(|| function_name(function))
    };
    let is_own = |name: &String| {
        let last = name.rsplit("::").next().unwrap_or(name);
        !name.is_empty()
            && !name.starts_with("__")
            && !REPORTERS.contains(&&name[..])
            && !REPORTERS.contains(&last)
    };
    text.lines().filter_map(of_line).filter(is_own).take(N_FRAMES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "PLEASE submit a bug report to https://example.org and include it.\n\
        Stack dump:\n\
        0.\tProgram arguments: clang -O2 -c test.c\n\
        1.\t<eof> parser at end of file\n\
        2.\tOptimizer\n\
        3.\tRunning pass 'X86 DAG->DAG Instruction Selection' on function '@f12_1'\n\
        \x20#0 0x00007f1c8a llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/lib/a.so.1+0xe3)\n\
        \x20#1 0x00007f1c8b llvm::sys::RunSignalHandlers() (/lib/a.so.1+0xe1)\n\
        \x20#2 0x00007f1c8c (/lib/a.so.1+0xe2)\n\
        \x20#3 0x00007f1c8d (/lib/libc.so.6+0x3c)\n\
        \x20#4 0x00007f1c8e llvm::Value::getType() const (/lib/a.so.1+0x1)\n\
        \x20#5 0x00007f1c8f (anonymous namespace)::Combiner::visitAdd(llvm::SDNode*) (/lib/a+0x2)\n\
        \x20#6 0x00007f1c90 bool llvm::any_of<int*>(int*) (/lib/a.so.1+0x3)\n\
        \x20#7 0x00007f1c91 llvm::SelectionDAG::Combine(int) (/lib/a.so.1+0x4)\n\
        clang: error: unable to execute command: Segmentation fault\n";

    #[test]
    fn the_top_of_a_dump_is_told_past_signal_handling() {
        let crash = read_clang_crash(DUMP);
        let expected =
            ["llvm::Value::getType", "(anonymous namespace)::Combiner::visitAdd", "llvm::any_of"];
        assert_eq!(crash.trace, expected);
        let pass = "running pass 'X86 DAG->DAG Instruction Selection' on function '@ID'";
        assert_eq!(crash.detail.as_deref(), Some(pass));
    }

    #[test]
    fn assertions_and_fatal_errors_come_first() {
        let text = "clang: /build/llvm/lib/IR/Value.cpp:117: void llvm::Value::f(int): Assertion \
            `Ty->getWidth() == 32 && \"bad width\"' failed.\n";
        let crash = read_clang_crash(&[text, DUMP].concat());
        assert_eq!(crash.trace[0], "assertion Ty->getWidth() == N && \"bad width\"");
        assert_eq!(crash.trace.len(), 4);
        let text = "fatal error: error in backend: Cannot select: 0x55d2: i64 = rotl 0x55d3";
        let expected = ["error in backend: Cannot select: N: i64 = rotl N"];
        assert_eq!(read_clang_crash(text).trace, expected);
        let text = "Unknown type!\nUNREACHABLE executed at /build/llvm/lib/IR/Type.cpp:81!";
        assert_eq!(read_clang_crash(text).trace, ["unreachable"]);
        assert_eq!(read_clang_crash("error: no such file"), Crash::default());
    }
}
