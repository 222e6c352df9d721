//! gcc: `internal compiler error: in FUNCTION, at FILE:LINE`, and a trace of functions.

use super::normal::{function_name, normalised};
use super::{Crash, N_FRAMES};

const SIGN: &str = "internal compiler error: ";

/// Functions that only report the crash.
const REPORTERS: [&str; 8] = [
    "crash_signal",
    "diagnostic_impl",
    "fancy_abort",
    "internal_error",
    "internal_error_no_backtrace",
    "internal_error_function",
    "gcc_assert",
    "abort",
];

/// Where gcc says it has crashed. The trace counts only if the message does not name a function.
pub(crate) fn read_gcc_crash(text: &str) -> Crash {
    let during = text.lines().find_map(|line| line.trim().strip_prefix("during "));
    let detail = during.map(|pass| format!("during {}", pass.trim()));
    let Some(message) = text.lines().find_map(|line| line.split_once(SIGN)).map(|(_, it)| it)
    else {
        return Crash { trace: Vec::new(), detail };
    };
    if let Some((function, file)) = place(message) {
        return Crash { trace: vec![format!("in {function}, at {file}")], detail };
    }
    let mut trace = vec![normalised(message)];
    if message.ends_with(" failed") {
        // A check of gcc's own code, which has said before what it objects to.
        let objection = text.lines().find_map(|line| line.split_once("error: "));
        trace.extend(
            objection.filter(|(before, _)| !SIGN.starts_with(before)).map(|(_, it)| normalised(it)),
        );
    }
    trace.extend(frames(text));
    Crash { trace, detail }
}

/// `in FUNCTION, at FILE:LINE`
fn place(message: &str) -> Option<(String, &str)> {
    let (function, at) = message.strip_prefix("in ")?.split_once(", at ")?;
    let file = at.split(':').next()?.rsplit('/').next()?;
    Some((function_name(function), file))
}

/// `0x7f12 simplify_binary(rtx_def*)`, each followed by a line with its file.
fn frames(text: &str) -> Vec<String> {
    let of_line = |line: &str| {
        let (address, function) = line.trim().split_once(' ')?;
        address.starts_with("0x").then(|| function_name(function))
    };
    let is_own =
        |name: &String| !name.is_empty() && name != "???" && !REPORTERS.contains(&&name[..]);
    text.lines().filter_map(of_line).filter(is_own).take(N_FRAMES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_and_its_file_are_enough() {
        let text = "during GIMPLE pass: slsr\n\
            test.c: In function 'f12':\n\
            test.c:7:10: internal compiler error: in replace_ref, at gimple-ssa-strength.cc:1899\n\
            \x20   7 | uint32_t f12(int32_t p0)\n\
            0x6f3b1e replace_ref\n\t../../src/gcc/gimple-ssa-strength.cc:1899\n\
            Please submit a full bug report, with preprocessed source.\n";
        let expected = Crash {
            trace: vec!["in replace_ref, at gimple-ssa-strength.cc".to_owned()],
            detail: Some("during GIMPLE pass: slsr".to_owned()),
        };
        assert_eq!(read_gcc_crash(text), expected);
    }

    #[test]
    fn a_signal_is_told_with_its_trace() {
        let text = "during RTL pass: combine\n\
            test.c:9:1: internal compiler error: Segmentation fault\n\
            0xd3a0ff crash_signal\n\t../../src/gcc/toplev.cc:322\n\
            0x7fbe2f85af8f ???\n\t./signal/../sysdeps/unix/sysv/linux/x86_64/libc_sigaction.c:0\n\
            0x16a1f2c simplify_shift_const(rtx_def*, rtx_code, machine_mode)\n\t\
            ../../src/gcc/combine.cc:1\n\
            0x16a2000 make_compound_operation\n\t../../src/gcc/combine.cc:2\n\
            0x16a2001 try_combine\n\t../../src/gcc/combine.cc:3\n\
            0x16a2002 combine_instructions\n\t../../src/gcc/combine.cc:4\n";
        let expected = [
            "Segmentation fault",
            "simplify_shift_const",
            "make_compound_operation",
            "try_combine",
        ];
        assert_eq!(read_gcc_crash(text).trace, expected);
    }

    #[test]
    fn a_check_says_what_it_objects_to() {
        let text = "test.c: In function 'f3_1':\n\
            test.c:3:10: error: type mismatch in binary expression\n\
            int\n_12 = _3 + 4;\nduring GIMPLE pass: vect\n\
            test.c:3:10: internal compiler error: verify_gimple failed\n\
            0x12 verify_gimple_in_cfg(function*, bool)\n\t../../src/gcc/tree-cfg.cc:5547\n";
        let expected =
            ["verify_gimple failed", "type mismatch in binary expression", "verify_gimple_in_cfg"];
        assert_eq!(read_gcc_crash(text).trace, expected);
        assert_eq!(read_gcc_crash("nothing of interest"), Crash::default());
    }
}
