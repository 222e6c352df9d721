//! What every backend asks of a program.

use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::Program;

use crate::error::LowerError;
use crate::realizations;

/// Checks what every backend asks of a program: its own dialect, no holes, and realizations that
/// return.
///
/// # Errors
/// The first of these that is not given.
pub fn check_lowerable(
    program: &Program,
    backend: &'static str,
    dialect: Dialect,
) -> Result<(), LowerError> {
    if let Some(actual) = program.dialect.filter(|actual| *actual != dialect) {
        return Err(LowerError::Dialect { backend, expected: dialect, actual });
    }
    for function in &program.functions {
        let mut found = None;
        program.for_each_hole(function, |hole, _, _| found = found.or(Some(hole)));
        if let Some(hole) = found {
            let function = function.name.clone();
            return Err(LowerError::Hole { function, hole: hole.index() });
        }
    }
    realizations::check_endings(program)
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::text::parse;

    use super::*;

    fn check(source: &str) -> Result<(), String> {
        let program = parse("test", source).unwrap();
        check_lowerable(&program, "c", Dialect::C).map_err(|error| error.to_string())
    }

    #[test]
    fn says_what_keeps_a_program_from_being_lowered() {
        assert_eq!(check("fn f() -> i32 { entry: return 1; }"), Ok(()));
        assert_eq!(check("dialect c; fn f() -> i32 { entry: return 1; }"), Ok(()));
        assert_eq!(
            check("dialect jvm; fn f() -> i32 { entry: return 1; }"),
            Err("the program is in dialect jvm, but c needs c".to_owned()),
        );
        assert_eq!(
            check("fn f() -> i32 { entry: return ?s4 + ?s2; }"),
            Err("the function f has the hole ?s4".to_owned()),
        );
    }
}
