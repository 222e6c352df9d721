//! The limits that engines agree on.

use pathsmith_backend::LowerError;

pub(crate) const MAX_PARAMS: usize = 1_000;
pub(crate) const MAX_LOCALS: usize = 50_000;
pub(crate) const MAX_GLOBALS: usize = 1_000_000;
pub(crate) const MAX_FUNCTIONS: usize = 1_000_000;
pub(crate) const MAX_FUNCTION_SIZE: usize = 7_654_321;

pub(crate) fn check_limit(what: &str, actual: usize, limit: usize) -> Result<(), LowerError> {
    pathsmith_backend::check_limit(crate::NAME, || what.to_owned(), actual, limit)
}
