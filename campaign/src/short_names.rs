//! Names for people.

use std::collections::BTreeSet;

use pathsmith_symlang::lang::{Program, function_name};

/// The program with functions that are called `f`, `g`, `h`, `f4` and so on, and globals that are
/// called `g1`, `g2` and so on, as are variables with long names. The function that is called from
/// outside comes first: the generator's names say which case it was.
pub(crate) fn with_short_names(program: &Program) -> Program {
    let mut program = program.clone();
    let mut order: Vec<usize> = (0..program.functions.len()).collect();
    order.sort_by_key(|at| (program.functions[*at].realizations.is_empty(), *at));
    for (nth, at) in order.into_iter().enumerate() {
        program.functions[at].name = match nth {
            0 => "f".to_owned(),
            1 => "g".to_owned(),
            2 => "h".to_owned(),
            n => function_name(n as u64 + 1),
        };
    }
    let vars = program.functions.iter().flat_map(|function| &function.vars);
    let taken: BTreeSet<String> = vars.map(|var| var.name.clone()).collect();
    let mut free = (1..).map(|n| format!("g{n}")).filter(|name| !taken.contains(name));
    for global in &mut program.globals {
        global.name = free.next().unwrap_or_default();
    }
    // What was a global before it was reduced keeps its long name.
    for var in program.functions.iter_mut().flat_map(|function| &mut function.vars) {
        if var.name.contains('_') {
            var.name = free.next().unwrap_or_default();
        }
    }
    program
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::text::parse;

    use super::*;

    #[test]
    fn the_function_that_is_called_comes_first() {
        let text = "fn f7_1(a: i32) -> i32 { entry: return a; }
            fn f7(a: i32) -> i32 { entry: return f7_1(a) + 1; }
            realize f7(2) = 3 via entry;";
        let renamed = with_short_names(&parse("test", text).unwrap()).to_string();
        assert!(
            renamed.contains("fn g(a: i32)") && renamed.contains("return g(a) + 1"),
            "{renamed}"
        );
        assert!(renamed.contains("realize f(2) = 3"), "{renamed}");
    }

    #[test]
    fn globals_are_short_too() {
        let text = "global f7_g0: i32 = 1;
            global f7_g1: i32 = 2;
            fn f7(g1: i32) -> i32 { entry: f7_g1 = f7_g0; return g1; }
            realize f7(2) = 2 via entry;";
        let renamed = with_short_names(&parse("test", text).unwrap()).to_string();
        assert!(renamed.contains("g3 = g2;"), "g1 is a parameter: {renamed}");
        assert!(parse("test", &renamed).is_ok(), "{renamed}");
        let local = "fn f7() -> i32 { var f7_g0: i32 = 2; entry: return f7_g0; }
            realize f7() = 2 via entry;";
        let renamed = with_short_names(&parse("test", local).unwrap()).to_string();
        assert!(renamed.contains("return g1;"), "{renamed}");
    }
}
