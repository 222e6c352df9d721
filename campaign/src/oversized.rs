//! Cases that are too large for the language or for a target. They are left out, and counted.

use pathsmith_symlang::lang::Program;
use pathsmith_symlang::lang::limits::{MAX_BLOCKS, MAX_CELLS, MAX_SOURCE, MAX_STEPS};

/// A case that is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oversized {
    /// Its number in the seed.
    pub number: u64,
    /// What is too large.
    pub why: String,
}

/// The text of a program with fewer values and steps than this is not measured (a guess: each takes
/// some ten bytes).
const SURELY_SMALL: usize = MAX_SOURCE / 256;

/// Which limit of the language a generated program exceeds. A finding of it could be saved, but not
/// read again.
pub(crate) fn exceeded_limit(program: &Program) -> Option<String> {
    let functions = &program.functions;
    let vars = functions.iter().flat_map(|function| &function.vars).chain(&program.globals);
    let n_cells: usize = vars.map(|var| var.ty.n_cells()).sum();
    let realizations = functions.iter().flat_map(|function| &function.realizations);
    let n_steps: usize = realizations.map(|realization| realization.path.len()).sum();
    let n_blocks = functions.iter().map(|function| function.blocks.len()).max().unwrap_or(0);
    let exceeds = |what: &str, actual, limit| {
        (actual > limit).then(|| format!("it has {actual} {what}, more than {limit}"))
    };
    exceeds("values", n_cells, MAX_CELLS)
        .or_else(|| exceeds("steps", n_steps, MAX_STEPS))
        .or_else(|| exceeds("blocks in a function", n_blocks, MAX_BLOCKS))
        .or_else(|| match n_cells + n_steps > SURELY_SMALL {
            true => exceeds("bytes of text", program.to_string().len(), MAX_SOURCE),
            false => None,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathsmith_symlang::lang::text::parse;

    #[test]
    fn limits_of_the_language_are_seen() {
        let text = "fn f() -> i32 { var a: [i32; 2] = [1, 2]; e: goto x; x: return a[0]; }
            realize f() = 1 via e x;";
        let mut program = parse("test", text).unwrap();
        assert_eq!(exceeded_limit(&program), None);
        let steps = vec![pathsmith_symlang::BlockId::new(0); MAX_STEPS];
        let mut long = program.clone();
        long.functions[0].realizations[0].path = pathsmith_symlang::graph::Path::new(steps);
        long.functions[0].realizations.push(program.functions[0].realizations[0].clone());
        assert_eq!(exceeded_limit(&long).unwrap(), "it has 16777218 steps, more than 16777216");
        let var = program.functions[0].vars[0].clone();
        program.functions[0].vars.resize(MAX_CELLS, var);
        assert_eq!(exceeded_limit(&program).unwrap(), "it has 2097152 values, more than 1048576");
        // Within those limits, and too long to be read again.
        program.functions[0].vars.truncate(MAX_CELLS / 2);
        program.functions[0].docs.push("x".repeat(MAX_SOURCE));
        assert!(exceeded_limit(&program).unwrap().ends_with("bytes of text, more than 16777216"));
    }
}
