//! Solving with Z3: a path as one question about bit-vectors.
//!
//! Complete where other engines are not: an answer is values, or the proof that there are none, or
//! that the budget was too small. [`satisfied`] asks the same constraints about values that are
//! already there, without searching; so what another engine found can be held against an account
//! of the language that shares only the table of hazards with the interpreter.
//!
//! What is not expressed: calls whose arguments (or whose globals) depend on what is still to be
//! found. The engine gives up on them and says so.

mod calls;
mod encode;
mod hints;
mod memory;
mod ops;
mod requirement;
mod variety;

use std::time::Duration;

use rand::RngExt;
use z3::{Config, Params, SatResult, Solver, with_z3_config};

use self::encode::{Encoding, Mode, Stop, encode};
pub use self::requirement::{Requirement, Unsatisfied};
use super::{Answer, Engine, GiveUp, Model, Obstacle, Task, verify};
use crate::ids::BlockId;
use crate::lang::StorageTy;
use crate::seed::Rng;

/// The engine that asks Z3.
///
/// With the same Z3, the same task and RNG give the same answer, unless the [`timeout`] strikes
/// before the [`budget`] is used up: it depends on the clock.
///
/// [`timeout`]: Self::timeout
/// [`budget`]: Self::budget
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmtEngine {
    /// How much work Z3 may do for one question, in units of its own (its `rlimit`) that do not
    /// depend on the machine. 0 is no limit.
    pub budget: u32,
    /// How long one question may take. This is the safety net below the budget.
    pub timeout: Duration,
    /// How many other values are tried for each value that Z3 chose. It likes 0 and 1, and many
    /// of its values could as well be others.
    pub variety: u32,
}

impl Default for SmtEngine {
    fn default() -> Self {
        Self { budget: 20_000_000, timeout: Duration::from_secs(10), variety: 4 }
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

/// How many of the factors are given random values first.
const HINTED_SHARES: [f64; 3] = [1.0, 1.0, 0.5];

/// What Z3 says.
enum Reply {
    Sat(Model),
    Unsat,
    Unknown(String),
    /// The path was not encoded beyond this step.
    Unsupported(usize, String),
}

impl SmtEngine {
    /// Looks for values with those of `partial` in place, which stay as they are.
    ///
    /// Where there are none, that is no proof that there are none at all: the question is then
    /// asked again with nothing in place, and the answer to that one is given.
    pub fn solve_with(&mut self, task: &Task<'_>, partial: &Model, rng: &mut Rng) -> Answer {
        let seed = rng.random();
        let nothing = Model::empty(task.program.function(task.function));
        let is_known = |value: &Option<i64>| value.is_some();
        let knows_nothing = !partial.holes.iter().chain(&partial.args).any(is_known);
        // Products of two unknowns are what makes a question hard.
        let factors = hints::factors(task);
        let quick = Self { budget: self.budget / 8, timeout: self.timeout / 4, ..self.clone() };
        for share in if factors.is_empty() { &[][..] } else { &HINTED_SHARES } {
            let hinted = hints::hinted(partial, &factors, *share, rng);
            if let reply @ Reply::Sat(_) = quick.ask(task, &hinted, seed) {
                return self.answer(task, reply, partial, rng);
            }
        }
        match self.ask(task, partial, seed) {
            Reply::Unsat if !knows_nothing => {
                let reply = self.ask(task, &nothing, seed);
                self.answer(task, reply, &nothing, rng)
            }
            reply => self.answer(task, reply, partial, rng),
        }
    }

    fn answer(&self, task: &Task<'_>, reply: Reply, partial: &Model, rng: &mut Rng) -> Answer {
        let last = task.path.len().saturating_sub(1);
        let (step, obstacle, why) = match reply {
            Reply::Unsat => return Answer::Impossible,
            Reply::Sat(mut model) => match verify(task, &model) {
                Ok(_) => {
                    variety::vary(task, &mut model, partial, self.variety, rng);
                    return Answer::Solved(model);
                }
                Err(end) => {
                    let why = format!("a bug of the SMT engine: with its values, {end}");
                    (last, Obstacle::Unsound, why)
                }
            },
            Reply::Unknown(reason) => (last, Obstacle::Budget, reason),
            Reply::Unsupported(step, why) => (step, Obstacle::Unsupported, why),
        };
        let block = task.path.blocks().get(step).copied().unwrap_or(BlockId::new(0));
        Answer::GaveUp(GiveUp { block, step, obstacle, why, partial: partial.clone() })
    }

    /// Asks Z3 in a context of its own, because what happened in a context before can change
    /// what it finds.
    fn ask(&self, task: &Task<'_>, partial: &Model, seed: u32) -> Reply {
        with_z3_config(&Config::new(), || {
            let encoding = match encode(task, partial, Mode::Solve) {
                Ok(encoding) => encoding,
                Err(Stop::Unsupported { step, why }) => return Reply::Unsupported(step, why),
                Err(Stop::Unsatisfied(end)) => {
                    return Reply::Unsupported(end.step, end.describe(task));
                }
            };
            let solver = Solver::new();
            let mut params = Params::new();
            params.set_u32("random_seed", seed);
            params.set_u32("rlimit", self.budget);
            params.set_u32("timeout", u32::try_from(self.timeout.as_millis()).unwrap_or(u32::MAX));
            solver.set_params(&params);
            for constraint in &encoding.constraints {
                solver.assert(&constraint.holds);
            }
            match solver.check() {
                SatResult::Unsat => Reply::Unsat,
                SatResult::Unknown => {
                    let reason = solver.get_reason_unknown().unwrap_or_default();
                    Reply::Unknown(format!("Z3 found nothing within its budget ({reason})"))
                }
                SatResult::Sat => match completed(&solver, &encoding, partial) {
                    Some(model) => Reply::Sat(model),
                    None => Reply::Unknown("Z3 found values but does not give them".to_owned()),
                },
            }
        })
    }
}

/// The values that Z3 found, beside those that were in place.
fn completed(solver: &Solver, encoding: &Encoding, partial: &Model) -> Option<Model> {
    let found = solver.get_model()?;
    let value = |(ty, term): &(StorageTy, z3::ast::BV)| {
        found.eval(term, true)?.as_u64().map(|bits| ty.wrap(bits as i64))
    };
    let mut model = partial.clone();
    for (hole, term) in &encoding.holes {
        if model.holes.len() <= hole.index() {
            model.holes.resize(hole.index() + 1, None);
        }
        model.holes[hole.index()] = Some(value(term)?);
    }
    for (&at, term) in &encoding.args {
        if model.args.len() <= at {
            model.args.resize(at + 1, None);
        }
        model.args[at] = Some(value(term)?);
    }
    Some(model)
}

/// Whether the values of `model` meet everything that the path of `task` asks for. Nothing is
/// searched: with all values in place, the constraints come down to truth values.
///
/// # Errors
/// The first requirement that is not met. Where the interpreter stops at a hazard, it is that one.
pub fn satisfied(task: &Task<'_>, model: &Model) -> Result<(), Unsatisfied> {
    match encode(task, model, Mode::Check) {
        Ok(_) => Ok(()),
        Err(Stop::Unsatisfied(end)) => Err(end),
        Err(Stop::Unsupported { .. }) => unreachable!("everything is known"),
    }
}
