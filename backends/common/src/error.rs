//! Why programs cannot be lowered, and what is checked before they are.

use pathsmith_symlang::dialect::{Dialect, TrapKind};
use thiserror::Error;

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

impl LowerError {
    /// Options that contradict each other or the program.
    ///
    /// # Errors
    /// Always.
    pub fn options<T>(message: impl Into<String>) -> Result<T, Self> {
        Err(Self::Options(message.into()))
    }
}

/// Checks a limit of the target language.
///
/// # Errors
/// That `actual` is more than `limit`; `what` names what is too large.
pub fn check_limit(
    backend: &'static str,
    what: impl FnOnce() -> String,
    actual: usize,
    limit: usize,
) -> Result<(), LowerError> {
    match actual <= limit {
        true => Ok(()),
        false => Err(LowerError::Limit { backend, what: what(), actual, limit }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_inclusive() {
        let check = |actual| check_limit("c", || "the number of eggs".to_owned(), actual, 12);
        assert_eq!(check(12), Ok(()));
        let message = "the number of eggs exceeds a limit of c: 13 is more than 12";
        assert_eq!(check(13).map_err(|error| error.to_string()), Err(message.to_owned()));
    }
}
