//! Names for people.

use pathsmith_symlang::lang::Program;

/// The program with functions that are called `f`, `g`, `h`, `f4` and so on. The one that is called
/// from outside comes first: the generator's names say which case it was.
pub(crate) fn with_short_names(program: &Program) -> Program {
    let mut program = program.clone();
    let mut order: Vec<usize> = (0..program.functions.len()).collect();
    order.sort_by_key(|at| (program.functions[*at].realizations.is_empty(), *at));
    for (nth, at) in order.into_iter().enumerate() {
        program.functions[at].name = match nth {
            0 => "f".to_owned(),
            1 => "g".to_owned(),
            2 => "h".to_owned(),
            n => format!("f{}", n + 1),
        };
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
}
