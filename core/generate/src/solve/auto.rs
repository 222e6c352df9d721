//! Engines working together.

use serde::{Deserialize, Serialize};

use super::{Answer, Engine, ForwardEngine, GiveUp, Obstacle, SmtEngine, Task};
use pathsmith_symlang::Rng;

/// Which engines are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineChoice {
    /// The forward engine, and Z3 for what it gives up on.
    #[default]
    Auto,
    /// The forward engine alone.
    Forward,
    /// Z3 alone.
    Smt,
}

/// The forward engine, and Z3 for what it gives up on, with the solved part kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AutoEngine {
    /// Which of them are asked.
    pub choice: EngineChoice,
    /// The forward engine.
    pub forward: ForwardEngine,
    /// Z3.
    pub smt: SmtEngine,
}

impl Engine for AutoEngine {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn solve(&mut self, task: &Task<'_>, rng: &mut Rng) -> Answer {
        match self.choice {
            EngineChoice::Forward => self.forward.solve(task, rng),
            EngineChoice::Smt => self.smt.solve(task, rng),
            EngineChoice::Auto => match self.forward.solve(task, rng) {
                Answer::GaveUp(gave_up) if SmtEngine::AVAILABLE => {
                    match self.smt.solve_with(task, &gave_up.partial, rng) {
                        // Then only the forward engine has something to say about the task.
                        Answer::GaveUp(GiveUp { obstacle: Obstacle::Unsupported, .. }) => {
                            Answer::GaveUp(gave_up)
                        }
                        answer => answer,
                    }
                }
                answer => answer,
            },
        }
    }
}
