//! What realizations say about the runs of an artifact.

use pathsmith_symlang::lang::{Ending, Program, Realization, Scalar};

use crate::error::LowerError;

/// The value that a run of a realization has to return.
///
/// # Errors
/// If it ends in a trap.
pub fn expected_output(realization: &Realization) -> Result<Scalar, LowerError> {
    match realization.ending {
        Ending::Returns(value) => Ok(value),
        Ending::Traps(kind) => Err(LowerError::Trap(kind)),
    }
}

/// Checks that all realizations return.
pub(crate) fn check_endings(program: &Program) -> Result<(), LowerError> {
    let mut realizations = program.functions.iter().flat_map(|function| &function.realizations);
    realizations.try_for_each(|realization| expected_output(realization).map(drop))
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::dialect::{Dialect, TrapKind};
    use pathsmith_symlang::lang::text::parse;

    use super::*;
    use crate::check_lowerable;

    #[test]
    fn a_trap_is_no_output() {
        let text = "fn f(a: i32) -> i32 { entry: return 7 / a; } realize f(1) = 7 via entry;";
        let mut program = parse("test", text).unwrap();
        let returned = expected_output(&program.functions[0].realizations[0]).unwrap();
        assert_eq!(returned.to_string(), "7");
        assert_eq!(check_lowerable(&program, "wasm", Dialect::Wasm), Ok(()));
        program.functions[0].realizations[0].ending = Ending::Traps(TrapKind::DivisionByZero);
        let error = check_lowerable(&program, "wasm", Dialect::Wasm).unwrap_err();
        assert_eq!(error, LowerError::Trap(TrapKind::DivisionByZero));
        let message = "a realization ends in the trap division_by_zero, \
                       and only realizations that return can be lowered";
        assert_eq!(error.to_string(), message);
    }
}
