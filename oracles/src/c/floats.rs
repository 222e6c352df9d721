//! What is on the command lines of files that compute with floating-point numbers.
//!
//! Programs rely on IEEE 754: every operation is rounded to its type, on its own. That is so with
//! all settings that [`changes_meaning`](super::changes_meaning) allows, but for two things that
//! compilers do by default. Some contract a product and a sum to one operation where the processor
//! has one for that, and on 32-bit x86, they may compute in registers with excess precision
//! (`excess_precision.rs`).

use super::toolchain::{Compiler, NO_CONTRACTION};

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
}
