//! How much is tried to solve a sketch.

use serde::{Deserialize, Serialize};

use super::EngineChoice;

/// How much is tried to solve a sketch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SolveOptions {
    /// Which engines are asked.
    pub engine: EngineChoice,
    /// How many milliseconds Z3 may take for one function. What it finds within them depends on
    /// the clock only if its own budget is not used up before.
    pub smt_timeout: u64,
    /// How many times the path may be walked over in one attempt.
    pub walks: u32,
    /// How many attempts there are before decisions are encoded.
    pub restarts: u32,
}

impl Default for SolveOptions {
    fn default() -> Self {
        Self { engine: EngineChoice::Auto, smt_timeout: 300, walks: 60, restarts: 2 }
    }
}
