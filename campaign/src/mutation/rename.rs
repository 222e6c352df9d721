//! Names that no other case of a batch has.

use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::Program;

/// A program with names that begin with `name`: `f7` for the function that stands for the whole,
/// `f7_n0` and so on for the others, `f7_g0` for globals.
pub(super) fn renamed(program: &Program, name: &str) -> Program {
    let mut program = program.clone();
    let last = FuncId::new(program.functions.len().saturating_sub(1));
    let main = program.main.unwrap_or(last).index();
    for (at, function) in program.functions.iter_mut().enumerate() {
        function.name = match at == main {
            true => name.to_owned(),
            false => format!("{name}_n{at}"),
        };
    }
    for (at, global) in program.globals.iter_mut().enumerate() {
        global.name = format!("{name}_g{at}");
    }
    program
}

/// Gives the functions and globals that transforms have added to `parent` names of the case `name`:
/// transforms know nothing of the other cases of a batch.
pub(super) fn name_added(variant: &mut Program, parent: &Program, name: &str) {
    let prefix = format!("{name}_");
    let functions = variant.functions.iter_mut().map(|function| &mut function.name);
    for added in functions {
        if !added.starts_with(&prefix) && parent.functions.iter().all(|it| it.name != *added) {
            added.insert_str(0, &prefix);
        }
    }
    for added in variant.globals.iter_mut().map(|global| &mut global.name) {
        if !added.starts_with(&prefix) && parent.globals.iter().all(|it| it.name != *added) {
            added.insert_str(0, &prefix);
        }
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::text::parse;
    use pathsmith_symlang::lang::validate;

    use super::*;

    #[test]
    fn names_are_those_of_a_case_and_nothing_else_changes() {
        let text = "dialect c;
            global total: i32 = 3;
            fn help(a: i32) -> i32 { e: return a + 1; }
            fn top(a: i32) -> i32 { e: total = help(a); return total; }
            realize top(4) = 5 via e;";
        let program = renamed(&parse("test", text).unwrap(), "f7");
        assert_eq!(validate(&program), []);
        let text = program.to_string();
        for expected in ["fn f7_n0(", "fn f7(", "f7_g0 = f7_n0(a);", "realize f7(4) = 5 via e;"] {
            assert!(text.contains(expected), "{text}");
        }
    }
}
