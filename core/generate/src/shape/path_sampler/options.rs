//! What random paths look like.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use pathsmith_symlang::knobs::KnobError;

use super::{Iterations, IterationsError};

/// The longest that paths may be asked to be.
const MAX_LEN: u32 = 10_000_000;

pathsmith_symlang::knobs! {
    /// What random paths look like. Lengths count block visits, entry and exit included.
    pub struct WalkOptions {
        /// How the next block is chosen.
        mode: WalkMode = WalkMode::Uniform;
        /// Visits after which the path takes a shortest way to the exit.
        max_len: u32 = 200, in 0..=MAX_LEN;
        /// Visits up to which the path stays in loops and heads for loops, if there are any.
        min_len: u32 = 0;
        /// Iterations of a loop, if the mode is `loops`.
        iterations: Iterations = Iterations::default();
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
    /// A number is out of its bounds.
    #[error(transparent)]
    Knob(#[from] KnobError),
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
        self.check_knobs()?;
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
