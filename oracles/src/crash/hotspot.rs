//! HotSpot: what it writes of a crash into a file.

use super::normal::{function_name, normalised};
use super::{Crash, N_FRAMES};

/// Functions that only report the crash.
const REPORTERS: [&str; 4] =
    ["VMError::report_and_die", "report_vm_error", "report_fatal", "JVM_handle_linux_signal"];

/// Where HotSpot says it has crashed, and what it was compiling.
pub(crate) fn read_hotspot_crash(log: &str) -> Crash {
    let mut trace: Vec<String> = log.lines().find_map(assertion).into_iter().collect();
    let mut names: Vec<String> = problematic_frame(log).and_then(frame).into_iter().collect();
    let lines = log.lines().skip_while(|line| !line.starts_with("Native frames:")).skip(1);
    for name in lines.take_while(|line| !line.trim().is_empty()).filter_map(frame) {
        if names.last() != Some(&name) {
            names.push(name);
        }
    }
    names.retain(|name| !REPORTERS.contains(&&name[..]));
    names.truncate(N_FRAMES);
    trace.extend(names);
    let mut tasks = log.lines().skip_while(|line| !line.starts_with("Current CompileTask:"));
    let detail = tasks.nth(1).map(|task| {
        // `C2:   5583 2963    b  4       Program::f2 (750 bytes)`
        let words: Vec<&str> = task.split_whitespace().collect();
        let compiler = words.first().map_or("", |word| word.trim_end_matches(':'));
        let method = words.iter().find(|word| word.contains("::")).copied().unwrap_or("?");
        format!("{compiler} compiling {method}")
    });
    Crash { trace, detail }
}

/// The frame that HotSpot says it has crashed in, and what it was compiling.
pub(crate) fn summarize_hotspot_crash(log: &str) -> String {
    let mut lines = log.lines();
    let mut after = |title: &str| {
        lines.find(|line| line.contains(title))?;
        lines.next().map(|line| line.trim_start_matches('#').trim())
    };
    let (frame, task) = (after("Problematic frame:"), after("Current CompileTask:"));
    [frame, task].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// Whether it has crashed in its own code, and not in what it has compiled.
pub(crate) fn is_in_own_code(log: &str) -> bool {
    problematic_frame(log).is_some_and(|line| line.starts_with(['V', 'C']))
}

fn problematic_frame(log: &str) -> Option<&str> {
    let mut lines = log.lines().skip_while(|line| !line.contains("Problematic frame:"));
    Some(lines.nth(1)?.trim_start_matches('#').trim())
}

/// `#  assert(n != nullptr) failed: must be`
fn assertion(line: &str) -> Option<String> {
    let text = line.strip_prefix('#')?.trim();
    let is_one = ["assert(", "guarantee(", "fatal error: "].iter().any(|it| text.starts_with(it));
    is_one.then(|| normalised(text))
}

/// `V  [libjvm.so+0xb1e2a4]  Node::unique_ctrl_out() const+0x4`
fn frame(line: &str) -> Option<String> {
    let line = line.trim();
    let (kind, rest) = line.split_once(' ')?;
    let (library, function) = rest.trim().strip_prefix('[')?.split_once(']')?;
    let function = function_name(function);
    match kind {
        "V" | "C" if !function.is_empty() => Some(function),
        // A library without names.
        "V" | "C" => Some(library.split('+').next()?.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n\
        #  SIGSEGV (0xb) at pc=0x00007f8d4a1e2a4, pid=1234, tid=1240\n#\n\
        # Problematic frame:\n# V  [libjvm.so+0xb1e2a4]  Node::unique_ctrl_out() const+0x4\n#\n\
        Current thread (0x00007f8d44): JavaThread \"C2 CompilerThread0\" daemon\n\n\
        Current CompileTask:\nC2:   5583 2963    b  4       Program::f2 (750 bytes)\n\n\
        Stack: [0x00007f8d2c4fe000,0x00007f8d2c5ff000]\n\
        Native frames: (J=compiled Java code, V=VM code, C=native code)\n\
        V  [libjvm.so+0xb1e2a4]  Node::unique_ctrl_out() const+0x4\n\
        V  [libjvm.so+0x99d0c1]  PhaseIdealLoop::get_skeleton_predicates(Node*, bool)+0x91\n\
        V  [libjvm.so+0x99e000]  PhaseIdealLoop::do_unroll(IdealLoopTree*)+0x1\n\
        V  [libjvm.so+0x99f000]  IdealLoopTree::iteration_split()+0x1\n\n\
        C  [libc.so.6+0x1]  start_thread+0x1\n";

    #[test]
    fn a_crash_is_summarized() {
        let expected = "V  [libjvm.so+0xb1e2a4]  Node::unique_ctrl_out() const+0x4\n\
            C2:   5583 2963    b  4       Program::f2 (750 bytes)";
        assert_eq!(summarize_hotspot_crash(LOG), expected);
        assert_eq!(summarize_hotspot_crash("nothing"), "");
    }

    #[test]
    fn the_frame_and_those_below_are_read() {
        let expected = Crash {
            trace: [
                "Node::unique_ctrl_out",
                "PhaseIdealLoop::get_skeleton_predicates",
                "PhaseIdealLoop::do_unroll",
            ]
            .map(str::to_owned)
            .to_vec(),
            detail: Some("C2 compiling Program::f2".to_owned()),
        };
        assert_eq!(read_hotspot_crash(LOG), expected);
        assert!(is_in_own_code(LOG));
    }

    #[test]
    fn assertions_come_first() {
        let log = LOG.replace(
            "#  SIGSEGV (0xb) at pc=0x00007f8d4a1e2a4, pid=1234, tid=1240",
            "#  Internal Error (src/hotspot/share/opto/node.cpp:81), pid=1, tid=2\n\
             #  assert(n > 17) failed: 0x7f must be",
        );
        assert_eq!(read_hotspot_crash(&log).trace[0], "assert(n > N) failed: N must be");
    }

    #[test]
    fn compiled_code_is_not_its_own() {
        let log = "# Problematic frame:\n# J 812 c2 Program.f3(I)I (120 bytes) @ 0x7f [0x7e+0x1]\n";
        assert!(!is_in_own_code(log) && !is_in_own_code(""));
        assert_eq!(read_hotspot_crash(log), Crash::default());
    }
}
