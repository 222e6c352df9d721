//! How much is tried to solve a sketch.

use super::EngineChoice;

pathsmith_symlang::knobs! {
    /// How much is tried to solve a sketch.
    #[derive(Eq)]
    pub struct SolveOptions {
        /// Which engines are asked.
        engine: EngineChoice = EngineChoice::Auto;
        /// How much work Z3 may do for one question, in units of its own (its `rlimit`) that do not
        /// depend on the machine: a million takes about a second. A function takes up to seven
        /// questions.
        smt_budget: u32 = 300_000;
        /// Milliseconds that Z3 may take for one question, besides its budget; 0 is no limit. With a
        /// limit, what is generated depends on the machine and on what else runs on it.
        smt_timeout: u64 = 0;
        /// How many times the path may be executed in one attempt.
        walks: u32 = 60;
        /// Attempts before decisions are encoded.
        restarts: u32 = 2;
    }
}
