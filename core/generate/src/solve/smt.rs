//! Solving with Z3: a path as one question about bit-vectors.
//!
//! Complete where other engines are not: an answer is values, or the proof that there are none, or
//! that the budget was too small. [`satisfied`] asks the same constraints about values that are
//! already there, without searching; so what another engine found can be held against an account
//! of the language that shares only the table of hazards with the interpreter.
//!
//! What is not expressed: calls whose arguments (or whose globals) depend on what is still to be
//! found, and floating-point numbers. The engine gives up on them and says so.

mod calls;
mod encode;
mod hints;
mod memory;
mod ops;
mod requirement;
mod variety;

use std::time::Duration;

use rand::RngExt;
use z3::{Config, Params, SatResult, Solver, Tactic, with_z3_config};

use self::encode::{Encoding, Mode, Stop, encode, has_floats};
use self::hints::StateHoles;
pub use self::requirement::{Requirement, Unsatisfied};
use super::{Answer, Engine, GiveUp, Model, Obstacle, Task, verify};
use pathsmith_symlang::BlockId;
use pathsmith_symlang::Rng;
use pathsmith_symlang::lang::{IntTy, Scalar};

/// The share of the state that is guessed, try by try, before the whole question is asked.
const GUESSES: [f64; 6] = [1.0, 1.0, 1.0, 1.0, 0.75, 0.5];
/// A question with guesses gets this part of the budget. What it can answer, it answers soon.
const GUESS_BUDGET: u32 = 16;

/// A question covers all steps of a path, so longer paths than this are not asked about: to write
/// the question down would take more memory than Z3's budget is worth. A guess.
const MAX_STEPS: usize = 10_000;

/// The engine that asks Z3.
///
/// First it guesses much of the state at random and asks for the rest, several times; this is
/// quick and gives values that are not all 0 and 1. Then it asks the whole question. Only that one
/// can prove that there are no values.
///
/// With the same Z3, the same task and RNG give the same answer, unless there is a [`timeout`] that
/// strikes before the [`budget`] is used up: it depends on the clock.
///
/// [`timeout`]: Self::timeout
/// [`budget`]: Self::budget
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmtEngine {
    /// How much work Z3 may do for one question, in units of its own (its `rlimit`) that do not
    /// depend on the machine: a million takes about a second. 0 is no limit.
    pub budget: u32,
    /// How long one question may take; `None`, the default, is no limit. With one, answers depend
    /// on the machine.
    pub timeout: Option<Duration>,
    /// How many other values are tried for each value that Z3 chose. It likes 0 and 1, but many of
    /// its values could as well be others.
    pub variety: u32,
}

impl Default for SmtEngine {
    fn default() -> Self {
        Self { budget: 5_000_000, timeout: None, variety: 2 }
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

/// What Z3 says.
enum Reply {
    Sat(Model),
    Unsat,
    Unknown(String),
    /// The path was not encoded beyond this step.
    Unsupported(usize, String),
}

impl SmtEngine {
    /// Whether this build has Z3.
    pub const AVAILABLE: bool = true;

    /// Looks for values with those of `partial` in place, which stay as they are.
    ///
    /// Where there are none, that is no proof that there are none at all: the question is then
    /// asked again with nothing in place, and the answer to that one is given.
    pub fn solve_with(&mut self, task: &Task<'_>, partial: &Model, rng: &mut Rng) -> Answer {
        let seed = rng.random();
        let n_steps = task.path.len();
        if n_steps > MAX_STEPS {
            let why = format!("the path has {n_steps} steps, and Z3 is asked about {MAX_STEPS}");
            return self.answer(task, Reply::Unsupported(0, why), partial, rng);
        }
        let function = task.program.function(task.function);
        if has_floats(task.program, function) {
            let why = Requirement::no_floats(&function.name);
            return self.answer(task, Reply::Unsupported(0, why), partial, rng);
        }
        let state = StateHoles::new(task, partial);
        if !state.is_empty() {
            for share in GUESSES {
                let guess = state.guess(partial, share, rng);
                let reply = self.ask(task, &guess, seed, self.budget.div_ceil(GUESS_BUDGET));
                if matches!(reply, Reply::Sat(_)) {
                    return self.answer(task, reply, &guess, rng);
                }
            }
        }
        match self.ask(task, partial, seed, self.budget) {
            Reply::Unsat if partial.holes.iter().chain(&partial.args).any(Option::is_some) => {
                self.solve(task, rng)
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
            Reply::Unknown(reason) => (last, Obstacle::OutOfFuel, reason),
            Reply::Unsupported(step, why) => (step, Obstacle::Unsupported, why),
        };
        let block = task.path.blocks().get(step).copied().unwrap_or(BlockId::new(0));
        Answer::GaveUp(GiveUp { block, step, obstacle, why, partial: partial.clone() })
    }

    /// Asks Z3 in a context of its own, because what happened in a context before can change
    /// what it finds.
    fn ask(&self, task: &Task<'_>, partial: &Model, seed: u32, budget: u32) -> Reply {
        with_z3_config(&Config::new(), || {
            let encoding = match encode(task, partial, Mode::Solve) {
                Ok(encoding) => encoding,
                Err(Stop::Unsupported { step, why }) => return Reply::Unsupported(step, why),
                Err(Stop::Unsatisfied(end)) => {
                    return Reply::Unsupported(end.step, end.describe(task));
                }
            };
            let solver = solver_for(&encoding);
            let mut params = Params::new();
            params.set_u32("random_seed", seed);
            params.set_u32("rlimit", budget);
            if let Some(timeout) = self.timeout {
                params.set_u32("timeout", u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX));
            }
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

/// Z3's usual preparation for bit-vectors multiplies sums out, which the constraints of a path, with
/// products upon products, do not survive; so this one does without. Of 37 sketches like the
/// paper's, both answered 34, but this one in a quarter of the time.
fn solver_for(encoding: &Encoding) -> Solver {
    if encoding.has_arrays {
        return Solver::new();
    }
    let steps = ["propagate-values", "solve-eqs", "elim-uncnstr", "simplify", "max-bv-sharing"];
    steps
        .into_iter()
        .chain(["bit-blast", "sat"])
        .fold(Tactic::new("simplify"), |tactic, step| tactic.and_then(&Tactic::new(step)))
        .solver()
}

/// The values that Z3 found, beside those that were in place.
fn completed(solver: &Solver, encoding: &Encoding, partial: &Model) -> Option<Model> {
    let found = solver.get_model()?;
    let value = |(ty, term): &(IntTy, z3::ast::BV)| {
        found.eval(term, true)?.as_u64().map(|bits| Scalar::new(*ty, bits as i64))
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
