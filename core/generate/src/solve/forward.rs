//! The forward engine: concrete execution along the path, and local search.
//!
//! Holes of assignments are drawn where the path first meets them ([`execute`]); terminators are
//! solved once the states at all their visits are known ([`separate`]). Both take time linear in
//! the length of the path, whatever the operators.

mod calls;
mod draw;
mod draw_and_run;
mod eval_context;
mod execute;
mod execution_first;
mod off_path;
mod prospects;
mod roles;
mod separate;
mod states;
mod stmt_info;
mod target_value;

use self::draw::choose_for_role;
pub(crate) use self::draw_and_run::draw_and_run;
use self::eval_context::EvalContext;
use self::execute::Execution;
pub(crate) use self::execution_first::{Effort, ExecutionTask, execution_first};
use self::off_path::{fill_off_path, fill_on_path};
use self::roles::collect;
use self::separate::{Decision, separate};
use self::states::{CellSource, StateAt};
use super::{Answer, Engine, GiveUp, Model, Obstacle, Task, ValuePolicy, Words, verify_within};
use pathsmith_symlang::Rng;
use pathsmith_symlang::semantics::Limits;
use pathsmith_symlang::{BlockId, ExprId};

/// A path of at most this many steps is cheap to execute (a guess), so it gets more attempts if
/// boundary values are asked for.
const SHORT_PATH: usize = 20;

/// The forward engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardEngine {
    /// How many times the path may be executed before the engine gives up.
    pub walks: u32,
    /// How many attempts there are if a terminator cannot be solved.
    pub restarts: u32,
    /// What one call may take, of a function that the path calls, and what the solved function may
    /// take besides the steps of its path.
    pub limits: Limits,
}

impl Default for ForwardEngine {
    fn default() -> Self {
        Self { walks: 60, restarts: 8, limits: Limits::default() }
    }
}

impl ForwardEngine {
    /// Looks for values, keeping those of `known`. What it finds has not been run yet.
    ///
    /// # Errors
    /// Where it gave up, and why.
    pub(crate) fn search(
        &self,
        task: &Task<'_>,
        known: &Model,
        value_policy: ValuePolicy<'_>,
        rng: &mut Rng,
    ) -> Result<Model, Box<GiveUp>> {
        let Task { program, function, dialect, .. } = *task;
        let mut ctx = EvalContext::new(program, function, dialect, value_policy, self.limits);
        let path = task.path.blocks();
        let mut last = None;
        let mut n_attempts = self.restarts.max(1);
        if let Some(boundary) = &value_policy.knobs.boundary
            && path.len() <= SHORT_PATH
        {
            n_attempts += boundary.more_attempts;
        }
        for attempt in 0..n_attempts {
            if attempt > 0 && attempt + 1 == n_attempts {
                // What policies ask for may be what stands in the way.
                ctx.value_policy = ValuePolicy::NONE;
            }
            match self.attempt(&ctx, path, known, rng) {
                Ok(model) => return Ok(model),
                Err(gave_up) => last = Some(gave_up),
            }
            if ctx.calls_given_up().is_some() {
                break;
            }
        }
        Err(last.unwrap_or_else(|| unreachable!("there is at least one attempt")))
    }

    fn attempt(
        &self,
        ctx: &EvalContext<'_>,
        path: &[BlockId],
        known: &Model,
        rng: &mut Rng,
    ) -> Result<Model, Box<GiveUp>> {
        let fuel = 1000 + u64::from(self.walks) * path.len() as u64;
        let mut execution = Execution::new(ctx, path, Words::of(known), fuel);
        let give_up = |step: usize, obstacle: Obstacle, partial: Words| {
            let partial = partial.typed(ctx.function, |id| ctx.ty(id));
            let (obstacle, why) = match (ctx.calls_given_up(), obstacle) {
                (Some(why), _) => (Obstacle::OutOfFuel, why),
                (None, obstacle) => (obstacle, in_words(obstacle).to_owned()),
            };
            Box::new(GiveUp { block: path[step], step, obstacle, why, partial })
        };
        if let Err(blocked) = execution.run(rng) {
            return Err(give_up(blocked.step, blocked.obstacle, Words::of(known)));
        }
        let (holes, history) = execution.finish();
        let args = (0..ctx.function.n_params).map(|arg| Some(history.at(0).word(arg)));
        let mut model = Words { holes, args: args.collect() };
        for (block, steps) in decisions_by_block(ctx.function.blocks.len(), path) {
            let decisions: Vec<Decision<StateAt<'_>>> = steps
                .into_iter()
                .map(|step| Decision { step, cells: history.at(step + 1), target: path[step + 1] })
                .collect();
            if let Err(step) = separate(ctx, block, &decisions, &mut model.holes, rng) {
                return Err(give_up(step, Obstacle::Inseparable, model));
            }
        }
        if let Some(root) = ctx.function.block(path[path.len() - 1]).term.root()
            && !fill_return(ctx, root, history.at(path.len()), &mut model.holes, rng)
        {
            return Err(give_up(path.len() - 1, Obstacle::Undefined, model));
        }
        fill_off_path(ctx, path, &history, &mut model.holes, rng);
        Ok(model.typed(ctx.function, |id| ctx.ty(id)))
    }
}

/// What stood in the way of the engine.
fn in_words(obstacle: Obstacle) -> &'static str {
    match obstacle {
        Obstacle::Undefined => "what it computes is undefined, and no hole leads to it",
        Obstacle::Inseparable => "the visits of its terminator cannot be told apart",
        Obstacle::OutOfFuel | Obstacle::Impossible | Obstacle::Unsupported | Obstacle::Unsound => {
            "what it computes kept being undefined until the fuel ran out"
        }
    }
}

/// Draws the holes of a returned value so that it is defined.
fn fill_return(
    ctx: &EvalContext<'_>,
    root: ExprId,
    cells: impl CellSource,
    holes: &mut [Option<i64>],
    rng: &mut Rng,
) -> bool {
    let mut fresh = Vec::new();
    collect(ctx, root, &mut fresh);
    fresh.retain(|site| holes[site.hole.index()].is_none());
    (0..50).any(|draw| {
        for site in &fresh {
            let value = choose_for_role(ctx.value_policy, site, draw / 10, rng);
            holes[site.hole.index()] = Some(value);
        }
        ctx.eval(root, cells, holes).is_ok()
    })
}

/// Gives every hole of a solved function that the path does not meet a value that looks like the
/// others.
pub fn complete(task: &Task<'_>, model: &mut Model, rng: &mut Rng) {
    let Task { program, function, dialect, path } = *task;
    let limits = Limits::default();
    let ctx = EvalContext::new(program, function, dialect, ValuePolicy::NONE, limits);
    let path = path.blocks();
    let mut words = Words::of(model);
    let mut execution = Execution::new(&ctx, path, words.clone(), u64::MAX);
    // It is solved, so nothing is undefined; if it were, the states would be of no use, but do no
    // harm.
    let _ = execution.run(rng);
    let (_, history) = execution.finish();
    fill_on_path(&ctx, path, &history, &mut words.holes, rng);
    fill_off_path(&ctx, path, &history, &mut words.holes, rng);
    *model = words.typed(ctx.function, |id| ctx.ty(id));
}

/// For every block on the path, the steps at which its terminator decides.
fn decisions_by_block(
    n_blocks: usize,
    path: &[BlockId],
) -> impl Iterator<Item = (BlockId, Vec<usize>)> {
    let mut steps = vec![Vec::new(); n_blocks];
    for (step, block) in path[..path.len() - 1].iter().enumerate() {
        steps[block.index()].push(step);
    }
    let visited = steps.into_iter().enumerate().filter(|(_, steps)| !steps.is_empty());
    visited.map(|(block, steps)| (BlockId::new(block), steps))
}

impl Engine for ForwardEngine {
    fn name(&self) -> &'static str {
        "forward"
    }

    fn solve(&mut self, task: &Task<'_>, rng: &mut Rng) -> Answer {
        let known = Model::empty(task.program.function(task.function));
        match self.search(task, &known, ValuePolicy::NONE, rng) {
            Ok(model) => match verify_within(task, &model, self.limits) {
                Ok(_) => Answer::Solved(model),
                // The interpreter has the last word.
                Err(why) => Answer::GaveUp(GiveUp {
                    block: task.path.blocks()[0],
                    step: 0,
                    obstacle: Obstacle::Unsound,
                    why: format!("the interpreter does not agree: {why}"),
                    partial: known,
                }),
            },
            Err(gave_up) => Answer::GaveUp(*gave_up),
        }
    }
}
