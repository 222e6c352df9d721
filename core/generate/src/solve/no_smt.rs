//! What stands for the SMT engine in a build without Z3.

use std::time::Duration;

use pathsmith_symlang::Rng;

use super::{Answer, Engine, GiveUp, Model, Obstacle, Task};

/// The SMT engine of a build without the feature `smt`: it declines every task.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SmtEngine {
    /// Not used: there is no Z3 to bound.
    pub budget: u32,
    /// Not used: there is no Z3 to bound.
    pub timeout: Option<Duration>,
    /// Not used: there are no values to vary.
    pub variety: u32,
}

impl SmtEngine {
    /// Whether this build has Z3.
    pub const AVAILABLE: bool = false;

    /// Declines.
    pub fn solve_with(&mut self, task: &Task<'_>, partial: &Model, _: &mut Rng) -> Answer {
        Answer::GaveUp(GiveUp {
            block: task.path.blocks()[0],
            step: 0,
            obstacle: Obstacle::Unsupported,
            why: "this build has no SMT engine (the feature `smt` is off)".to_owned(),
            partial: partial.clone(),
        })
    }
}

impl Engine for SmtEngine {
    fn name(&self) -> &'static str {
        "smt"
    }

    fn solve(&mut self, task: &Task<'_>, rng: &mut Rng) -> Answer {
        let function = task.program.function(task.function);
        self.solve_with(task, &Model::empty(function), rng)
    }
}
