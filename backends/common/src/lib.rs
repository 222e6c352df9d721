//! What turns programs into artifacts of a target language.

mod realizations;

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use pathsmith_symlang::dialect::{Dialect, TrapKind};
use pathsmith_symlang::lang::Program;

pub use realizations::expected_output;

/// Lowers programs to one target language.
///
/// A backend is a function from a program and options to an artifact, and nothing else: it draws
/// no random numbers, reads no files and looks at no clock, so that the same program and options
/// give the same bytes everywhere. Whatever could be done in several ways (where variables live,
/// how control flow is spelled, what the optimizer may see) is an option, which is drawn from the
/// seed by whoever calls the backend.
///
/// An artifact carries all of the program's realizations: running it tells for each of them
/// whether the target agrees.
pub trait Backend {
    /// The choices that are open when a program is lowered.
    type Options: Clone + Debug + Serialize + DeserializeOwned;

    /// What a target can be given: source text, a module, class files.
    type Artifact: Debug;

    /// The name of the target language on the command line.
    fn name(&self) -> &'static str;

    /// The rules of definedness of the target language. A program is lowered only if its
    /// realizations hold in this dialect; what is not on any of their paths may be undefined.
    fn dialect(&self) -> Dialect;

    /// Lowers a valid program without holes.
    ///
    /// # Errors
    /// What in the program or the options the target language cannot express. This is never the
    /// fault of a target.
    fn lower(
        &self,
        program: &Program,
        options: &Self::Options,
    ) -> Result<Self::Artifact, LowerError>;
}

/// Why a program cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LowerError {
    /// The program says that it is meant for another dialect.
    #[error("the program is in dialect {actual}, but {backend} needs {expected}")]
    Dialect {
        /// The backend.
        backend: &'static str,
        /// The backend's dialect.
        expected: Dialect,
        /// The program's dialect.
        actual: Dialect,
    },
    /// A hole is left.
    #[error("the function {function} has the hole ?s{hole}")]
    Hole {
        /// The function.
        function: String,
        /// The hole's number.
        hole: usize,
    },
    /// A realization ends in a trap, and no artifact can say yet that a trap is expected.
    #[error("a realization ends in the trap {0}, and only realizations that return can be lowered")]
    Trap(TrapKind),
    /// The target language has a limit that the program exceeds.
    #[error("{what} exceeds a limit of {backend}: {actual} is more than {limit}")]
    Limit {
        /// The backend.
        backend: &'static str,
        /// What is too large.
        what: String,
        /// How large it is.
        actual: usize,
        /// How large it may be.
        limit: usize,
    },
    /// Options contradict each other or the program.
    #[error("{0}")]
    Options(String),
}

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
    use super::*;
    use pathsmith_symlang::lang::text::parse;

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
