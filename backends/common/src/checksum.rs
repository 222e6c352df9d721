//! What the checksum of a function covers.

use pathsmith_symlang::VarId;
use pathsmith_symlang::lang::{Function, Program, VarRef};

/// The variables that the checksum of `function` covers, in the order in which they are added: its
/// own, then the globals that it names.
pub fn checksum_vars(program: &Program, function: &Function) -> impl Iterator<Item = VarRef> {
    let own = (0..function.vars.len()).map(|at| VarRef::Var(VarId::new(at)));
    own.chain(program.globals_named(function).into_iter().map(VarRef::Global))
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::GlobalId;
    use pathsmith_symlang::lang::text::parse;

    use super::*;

    #[test]
    fn globals_that_are_not_named_are_not_covered() {
        let text = "global g: i32 = 1; global h: i32 = 2;
            fn f(a: i32) -> u32 { var b: i32 = 3; entry: b = h; return checksum; }";
        let program = parse("test", text).unwrap();
        let vars: Vec<VarRef> = checksum_vars(&program, &program.functions[0]).collect();
        let [a, b] = [0, 1].map(|at| VarRef::Var(VarId::new(at)));
        assert_eq!(vars, [a, b, VarRef::Global(GlobalId::new(1))]);
    }
}
