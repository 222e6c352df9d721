//! Arithmetic on floating-point numbers: what compilers have to be told for it to be exact.
//!
//! Programs rely on IEEE 754: every operation is rounded to its type, on its own. That is so with
//! all settings that [`changes_meaning`](super::changes_meaning) allows, but for two things that
//! compilers do by default. Some contract a product and a sum to one operation where the processor
//! has one for that, and on 32-bit x86, they may compute in registers with excess precision.

use super::toolchain::{Compiler, Toolchain};
use super::trial_program::{run, trial_folder};
use crate::oracle::OracleError;
use crate::process::Stop;

/// The flag that disables contraction. The last one of its kind counts.
pub(super) const NO_CONTRACTION: &str = "-ffp-contract=off";

/// What makes 32-bit x86 compute without excess precision.
pub(super) const SSE_ARITHMETIC: [&str; 2] = ["-msse2", "-mfpmath=sse"];

/// The library with the functions that some builtins become calls of.
const MATH_LIBRARY: &str = "-lm";

/// What has to be on a command line, behind all other words, for files that compute with
/// floating-point numbers; nothing for others.
pub fn words_for_floats<'t>(
    compiler: Compiler,
    texts: impl IntoIterator<Item = &'t str>,
) -> Vec<&'static str> {
    if !texts.into_iter().any(names_floats) {
        return Vec::new();
    }
    match compiler {
        Compiler::Gcc | Compiler::Clang => vec![NO_CONTRACTION, MATH_LIBRARY],
        // It may know no such flag, and is told by a pragma.
        Compiler::Other => vec![MATH_LIBRARY],
    }
}

/// Whether a text names a floating-point type.
fn names_floats(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !is_word(c)).any(|word| word == "float" || word == "double")
}

/// Whether a compiler is one for 32-bit x86 that computes with excess precision.
///
/// # Errors
/// If there is no room for a trial, or it is stopped.
pub(super) fn has_excess_precision(
    toolchain: &Toolchain,
    stop: &Stop,
) -> Result<bool, OracleError> {
    let name = toolchain.command.file_name().unwrap_or_default().to_string_lossy();
    let is_named = ["i386-", "i486-", "i586-", "i686-"].iter().any(|arch| name.starts_with(arch));
    if !is_named && !toolchain.launch.flags.iter().any(|flag| flag == "-m32") {
        return Ok(false);
    }
    let folder = trial_folder()?;
    let line = toolchain.line(folder.path()).args(["-dM", "-E", "try.c"]);
    // If it does not work at all, preflight says why.
    let ended = match run(&line, stop) {
        Ok(ended) => ended,
        Err(OracleError::Stopped) => return Err(OracleError::Stopped),
        Err(_) => return Ok(false),
    };
    Ok(is_excessive(&String::from_utf8_lossy(&ended.stdout)))
}

fn is_excessive(macros: &str) -> bool {
    let value_of = |name: &str| {
        macros.lines().find_map(|line| {
            let mut words = line.strip_prefix("#define ")?.split_whitespace();
            (words.next() == Some(name)).then(|| words.next().unwrap_or_default())
        })
    };
    value_of("__i386__").is_some()
        && value_of("__FLT_EVAL_METHOD__").is_some_and(|method| method != "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_floats_need_words() {
        let words = |text| words_for_floats(Compiler::Gcc, ["int a;", text]);
        assert!(words("int doubled; // floats").is_empty());
        assert_eq!(words("static double a;"), ["-ffp-contract=off", "-lm"]);
        assert_eq!(words("int f(float);"), ["-ffp-contract=off", "-lm"]);
        assert_eq!(words_for_floats(Compiler::Other, ["(float)a"]), ["-lm"]);
    }

    #[test]
    fn excess_precision_is_read_off_macros() {
        let x86 = "#define __i386__ 1\n#define __i386 1\n";
        assert!(is_excessive(&format!("{x86}#define __FLT_EVAL_METHOD__ 2\n")));
        assert!(!is_excessive(&format!("{x86}#define __FLT_EVAL_METHOD__ 0\n")));
        assert!(!is_excessive("#define __FLT_EVAL_METHOD__ 2\n"));
    }
}
