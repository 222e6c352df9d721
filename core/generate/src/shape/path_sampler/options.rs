//! What random paths look like.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Iterations, IterationsError};

/// The longest that paths may be asked to be.
const MAX_LEN: u32 = 10_000_000;

/// What random paths look like. Lengths count block visits, entry and exit included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WalkOptions {
    /// How the next block is chosen.
    pub mode: WalkMode,
    /// After this many visits, the path takes a shortest way to the exit.
    pub max_len: u32,
    /// Up to this many visits, the path stays in loops and heads for loops, where there are any.
    pub min_len: u32,
    /// How often a loop is run through, where the mode is `loops`.
    pub iterations: Iterations,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            mode: WalkMode::default(),
            max_len: 200,
            min_len: 0,
            iterations: Iterations::default(),
        }
    }
}

/// How a path chooses the next block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WalkMode {
    /// All successors that can reach the exit are equally likely.
    #[default]
    Uniform,
    /// A loop that is entered is run through as often as [`Iterations`] says, and then left.
    Loops,
}

/// Why [`WalkOptions`] describe no paths.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WalkOptionsError {
    /// Paths would get too long.
    #[error("`max_len` is {0}, but {MAX_LEN} is the most")]
    TooLong(u32),
    /// The least length is above the greatest.
    #[error("`min_len` is {min_len}, but `max_len` is only {max_len}")]
    MinAboveMax {
        /// The least length.
        min_len: u32,
        /// The greatest length.
        max_len: u32,
    },
    /// The iterations are wrong.
    #[error("`iterations` is wrong")]
    Iterations(#[source] IterationsError),
}

impl WalkOptions {
    /// Checks that the options describe paths.
    ///
    /// # Errors
    /// The first option that does not make sense.
    pub fn validate(&self) -> Result<(), WalkOptionsError> {
        let &Self { max_len, min_len, .. } = self;
        if max_len > MAX_LEN {
            return Err(WalkOptionsError::TooLong(max_len));
        }
        if min_len > max_len {
            return Err(WalkOptionsError::MinAboveMax { min_len, max_len });
        }
        self.iterations.validate().map_err(WalkOptionsError::Iterations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_is_wrong() {
        let options = WalkOptions { min_len: 300, ..WalkOptions::default() };
        let message = options.validate().unwrap_err().to_string();
        assert_eq!(message, "`min_len` is 300, but `max_len` is only 200");
        let json = r#"{"mode": "loops", "iterations": "9..3"}"#;
        let message = serde_json::from_str::<WalkOptions>(json).unwrap_err().to_string();
        assert!(message.starts_with("9 to 3 is no range"), "{message}");
    }
}
