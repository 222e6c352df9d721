//! How much is tried to solve a sketch.

use super::EngineChoice;

pathsmith_symlang::knobs! {
    /// How much is tried to solve a sketch.
    #[derive(Eq)]
    pub struct SolveOptions {
        /// Which engines are asked.
        engine: EngineChoice = EngineChoice::Auto;
        /// Milliseconds that Z3 may take for one function. What it finds within them depends on the
        /// clock only if its own budget is not used up before.
        smt_timeout: u64 = 300;
        /// How many times the path may be executed in one attempt.
        walks: u32 = 60;
        /// Attempts before decisions are encoded.
        restarts: u32 = 2;
    }
}
