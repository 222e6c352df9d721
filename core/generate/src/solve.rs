//! From holes to constants: making a function take a path.
//!
//! A [`Task`] names a function with holes, a path through it and a dialect. An [`Engine`] looks
//! for a [`Model`]: values for the function's parameters and for the holes that the path meets,
//! such that the function walks the path and nothing on the way is undefined.

mod auto;
mod forward;
mod model;
#[cfg(not(feature = "smt"))]
mod no_smt;
mod options;
#[cfg(feature = "smt")]
pub mod smt;
mod value_policy;

pub use auto::{AutoEngine, EngineChoice};
pub(crate) use forward::{Effort, ExecutionTask, draw_and_run, execution_first};
pub use forward::{ForwardEngine, complete};
pub(crate) use model::Words;
pub use model::{Model, verify, verify_within};
#[cfg(not(feature = "smt"))]
pub use no_smt::SmtEngine;
pub use options::SolveOptions;
#[cfg(feature = "smt")]
pub use smt::SmtEngine;
pub(crate) use value_policy::ValuePolicy;

use pathsmith_symlang::Rng;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::{BlockId, FuncId};

/// What is to be solved.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// A valid program.
    pub program: &'a Program,
    /// The function whose path is given. Functions that it calls have no holes.
    pub function: FuncId,
    /// A path of the function's graph, from its entry to its exit.
    pub path: &'a Path,
    /// Decides what is undefined.
    pub dialect: Dialect,
}

/// What came of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Values were found, and the interpreter took the path with them.
    Solved(Model),
    /// There are no such values, and that is proven.
    Impossible,
    /// Nothing was found with the fuel that there was.
    GaveUp(GiveUp),
}

/// Why and where an engine gave up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GiveUp {
    /// The block that could not be done justice.
    pub block: BlockId,
    /// The step of the path at which this was seen.
    pub step: usize,
    /// What kind of thing stood in the way.
    pub obstacle: Obstacle,
    /// The same in words.
    pub why: String,
    /// What was found so far: holes of blocks before the one to blame may be kept.
    pub partial: Model,
}

/// What keeps an engine from solving a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// An assignment, or what is returned, could not be kept defined.
    Undefined,
    /// The visits of a terminator could not be told apart.
    Inseparable,
    /// The fuel ran out.
    OutOfFuel,
    /// No values exist, and that is proven.
    Impossible,
    /// The engine does not know how to deal with something.
    Unsupported,
    /// What was found did not pass the interpreter, which is a bug of the engine.
    Unsound,
}

/// A way of solving tasks.
///
/// An engine never changes the path: it finds values for the path that it was given, proves that
/// there are none, or says where it gave up. Whatever it calls solved has been run by the
/// interpreter ([`verify`]). The same task, budget and RNG give the same answer, unless the engine
/// says that it depends on the clock.
pub trait Engine {
    /// The engine's name on the command line.
    fn name(&self) -> &'static str;

    /// Looks for values.
    fn solve(&mut self, task: &Task<'_>, rng: &mut Rng) -> Answer;
}
