//! Paths that are found by execution.
//!
//! A path that is drawn before anything else has to be enforced, and what enforces it (a counter,
//! a threshold that is fit to all visits) looks like it. Here inputs and constants are drawn
//! first, each when the run reaches it, and the blocks that the run visits are the path: loops end
//! at values, and at boundary values, that no one asked for.
//!
//! Most runs fail: a second iteration overflows, or a branch leads out before there was one. A run
//! that fails goes back to an earlier step and draws from there on anew, because what was defined so
//! far is worth more than a new beginning; and a branch that can only lead to failure is drawn again
//! at once.

use std::cell::OnceCell;

use super::draw::choose_for_role;
use super::eval_context::{EvalContext, Undefined};
use super::execute::{Execution, draw_stmt};
use super::prospects::Prospects;
use super::roles::{HoleSite, additive, collect};
use super::separate::switch_ty;
use super::stmt_info::{StmtInfo, stmt_info};
use super::target_value::has_order;
use crate::shape::ExecutionFirstKnobs;
use crate::solve::{Model, ValuePolicy, Words};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::{Cfg, Path};
use pathsmith_symlang::lang::{ConstOrHole, Expr, IntTy, Program, Term};
use pathsmith_symlang::semantics::Limits;
use pathsmith_symlang::{BlockId, FuncId};

/// The share of rewinds that go back to the first visit of the block that failed (measured).
const TO_FIRST_VISIT: f64 = 0.8;
/// How often a terminator is drawn until it is defined and leads somewhere (measured).
const N_DRAWS: usize = 4;

/// What is run, and what is known of it beforehand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExecutionTask<'a> {
    pub(crate) program: &'a Program,
    pub(crate) function: FuncId,
    /// The function's graph.
    pub(crate) cfg: &'a Cfg,
    pub(crate) dialect: Dialect,
    /// The values that are known.
    pub(crate) known: &'a Model,
    /// Blocks that have to be visited, 32 at most.
    pub(crate) goals: &'a [BlockId],
    pub(crate) effort: Effort,
}

/// How much is tried before a sketch is given up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Runs from the start.
    pub(crate) tries: usize,
    /// How often a run goes back before it is given up.
    pub(crate) rewinds: usize,
}

impl Default for Effort {
    /// Measured on 3,000 functions in C: of the settings of this, of the constants below and of the
    /// number of sketches that find a path for as many functions as runs from the start do (7 in
    /// 10), these take the least time.
    fn default() -> Self {
        Self { tries: 4, rewinds: 5 }
    }
}

/// Runs a function with holes until it returns, drawing what is not known yet, and returns the path
/// that it takes with what was drawn. The path is as `wanted` says: the runs that return would mostly
/// be tame ones otherwise.
pub(crate) fn execution_first(
    task: &ExecutionTask<'_>,
    value_policy: ValuePolicy<'_>,
    wanted: ExecutionFirstKnobs,
    rng: &mut Rng,
) -> Option<(Path, Model)> {
    let ExecutionTask { program, function, cfg, dialect, known, goals, effort } = *task;
    let limits = Limits::default();
    let ctx = EvalContext::new(program, function, dialect, value_policy, limits);
    let infos = ctx.function.blocks.iter().map(|_| OnceCell::new()).collect();
    let prospects = Prospects::new(cfg, goals);
    let explorer = Explorer { ctx: &ctx, infos, wanted, prospects, goals, effort };
    let known = Words::of(known);
    let mut start = Execution::new(&ctx, &[], known.clone(), 0);
    let mut run = Run::new(&explorer);
    (0..effort.tries).find_map(|_| {
        start.holes.clone_from(&known.holes);
        start.draw_initial(rng);
        run.begin(start.cells(), &start.holes);
        run.finds_path(rng).then(|| {
            let args = start.cells()[..ctx.function.n_params].iter().map(|arg| Some(*arg));
            let words = Words { holes: run.holes.clone(), args: args.collect() };
            (Path::new(run.path.clone()), words.typed(ctx.function, |id| ctx.ty(id)))
        })
    })
}

/// What all runs of a sketch share.
struct Explorer<'s, 'a> {
    ctx: &'s EvalContext<'a>,
    /// The blocks that some run has reached; most runs end after a few.
    infos: Vec<OnceCell<BlockInfo>>,
    wanted: ExecutionFirstKnobs,
    prospects: Prospects,
    goals: &'s [BlockId],
    effort: Effort,
}

struct BlockInfo {
    stmts: Vec<StmtInfo>,
    /// The holes of its terminator.
    sites: Vec<HoleSite>,
}

impl Explorer<'_, '_> {
    fn info(&self, block: BlockId) -> &BlockInfo {
        self.infos[block.index()].get_or_init(|| {
            let block = self.ctx.function.block(block);
            let mut sites = Vec::new();
            if let Some(root) = block.term.root() {
                collect(self.ctx, root, &mut sites);
            }
            let stmts = block.stmts.iter().map(|stmt| stmt_info(self.ctx, stmt)).collect();
            BlockInfo { stmts, sites }
        })
    }

    /// Whether a run that goes on to `target` cannot take a path that is wanted any more.
    fn is_doomed(&self, target: BlockId, progress: &Progress, path: &[BlockId]) -> bool {
        let Some(distance) = self.prospects.distance(target) else { return true };
        let is_too_long = path.len() + 1 + distance > self.wanted.max_len as usize;
        let has_loop = progress.has_loop || path.contains(&target);
        let misses_goal = || {
            let mut open = (0..self.goals.len()).filter(|nth| progress.visited & (1 << nth) == 0);
            open.any(|nth| !self.prospects.leads_to_goal(target, nth))
        };
        is_too_long || !(has_loop || self.prospects.leads_to_loop(target)) || misses_goal()
    }

    /// The goals that a block is, as bits.
    fn goal_bits(&self, block: BlockId) -> u32 {
        let bits = self.goals.iter().enumerate().filter(|(_, goal)| **goal == block);
        bits.fold(0, |all, (nth, _)| all | 1 << nth)
    }
}

/// How much of what is wanted a run has already.
#[derive(Clone, Copy)]
struct Progress {
    /// Whether some block was visited twice, or need not be.
    has_loop: bool,
    /// Whether the order of some sum matters, or need not.
    has_order: bool,
    /// The goals that were visited, as bits.
    visited: u32,
}

/// A run, with all it takes to go back to an earlier step.
struct Run<'e, 's, 'a> {
    explorer: &'e Explorer<'s, 'a>,
    path: Vec<BlockId>,
    progress: Progress,
    cells: Vec<i64>,
    holes: Vec<Option<i64>>,
    /// What all of these were before each step, one after the other.
    past_progress: Vec<Progress>,
    past_cells: Vec<i64>,
    past_holes: Vec<Option<i64>>,
    /// Memory that is kept: the holes that are to be drawn, the labels that are, and a state.
    fresh: Vec<HoleSite>,
    labels: Vec<usize>,
    before: Vec<i64>,
}

impl<'e, 's, 'a> Run<'e, 's, 'a> {
    fn new(explorer: &'e Explorer<'s, 'a>) -> Self {
        Self {
            explorer,
            path: Vec::new(),
            progress: Progress { has_loop: false, has_order: false, visited: 0 },
            cells: Vec::new(),
            holes: Vec::new(),
            past_progress: Vec::new(),
            past_cells: Vec::new(),
            past_holes: Vec::new(),
            fresh: Vec::new(),
            labels: Vec::new(),
            before: Vec::new(),
        }
    }

    /// Goes to the entry with these values.
    fn begin(&mut self, cells: &[i64], holes: &[Option<i64>]) {
        let wanted = self.explorer.wanted;
        self.path.clear();
        self.path.push(BlockId::FIRST);
        let (has_loop, has_order) = (!wanted.needs_loop, !wanted.needs_order);
        self.progress = Progress { has_loop, has_order, visited: 0 };
        self.cells.clear();
        self.cells.extend_from_slice(cells);
        self.holes.clear();
        self.holes.extend_from_slice(holes);
    }

    /// Runs on until there is a path that is wanted, or it is given up.
    fn finds_path(&mut self, rng: &mut Rng) -> bool {
        let min_len = self.explorer.wanted.min_len as usize;
        let mut n_rewinds = 0;
        loop {
            self.remember();
            match self.step(rng) {
                Ok(Some(next)) => {
                    let has_loop = self.progress.has_loop || self.path.contains(&next);
                    self.progress.has_loop = has_loop;
                    self.progress.visited |= self.explorer.goal_bits(next);
                    self.path.push(next);
                    continue;
                }
                Ok(None) => {
                    let Progress { has_loop, has_order, visited } = self.progress;
                    let n_visited = visited.count_ones() as usize;
                    let is_complete = n_visited == self.explorer.goals.len();
                    if has_loop && has_order && is_complete && self.path.len() >= min_len {
                        return true;
                    }
                }
                Err(Undefined) => {}
            }
            if n_rewinds == self.explorer.effort.rewinds {
                return false;
            }
            n_rewinds += 1;
            self.rewind(rng);
        }
    }

    /// Keeps what everything is before the last step of the path.
    fn remember(&mut self) {
        let step = self.path.len() - 1;
        self.past_progress.truncate(step);
        self.past_progress.push(self.progress);
        self.past_cells.truncate(step * self.cells.len());
        self.past_cells.extend_from_slice(&self.cells);
        self.past_holes.truncate(step * self.holes.len());
        self.past_holes.extend_from_slice(&self.holes);
    }

    /// Goes back to before an earlier step: mostly to where the constants of the block that failed
    /// were drawn.
    fn rewind(&mut self, rng: &mut Rng) {
        let last = self.path.len() - 1;
        let first = self.path.iter().position(|block| *block == self.path[last]).unwrap_or(last);
        let back =
            if choose_bool(TO_FIRST_VISIT, rng) { first } else { choose_below(last + 1, rng) };
        self.path.truncate(back + 1);
        self.progress = self.past_progress[back];
        let (n_cells, n_holes) = (self.cells.len(), self.holes.len());
        self.cells.copy_from_slice(&self.past_cells[back * n_cells..][..n_cells]);
        self.holes.copy_from_slice(&self.past_holes[back * n_holes..][..n_holes]);
    }

    /// Runs the last block of the path, and returns where it leads; nowhere if it returns.
    fn step(&mut self, rng: &mut Rng) -> Result<Option<BlockId>, Undefined> {
        let (explorer, ctx) = (self.explorer, self.explorer.ctx);
        let block = self.path[self.path.len() - 1];
        let info = explorer.info(block);
        let (cells, holes) = (&mut self.cells, &mut self.holes);
        for info in &info.stmts {
            if !self.progress.has_order {
                self.before.clone_from(cells);
            }
            draw_stmt(ctx, info, 1, cells, holes, &mut self.fresh, rng)?;
            let has_order = || has_order(ctx, info, &self.before, holes);
            self.progress.has_order = self.progress.has_order || has_order();
        }
        self.decide(block, &info.sites, rng)
    }

    /// Where a block leads, with what is not known of its terminator drawn.
    fn decide(
        &mut self,
        block: BlockId,
        sites: &[HoleSite],
        rng: &mut Rng,
    ) -> Result<Option<BlockId>, Undefined> {
        let Self { explorer, path, progress, cells, holes, fresh, labels, .. } = self;
        let ctx = explorer.ctx;
        let is_doomed = |target: BlockId| explorer.is_doomed(target, progress, path);
        let (root, cases) = match &ctx.function.block(block).term {
            Term::Goto(target) if is_doomed(*target) => return Err(Undefined),
            Term::Goto(target) => return Ok(Some(*target)),
            Term::Return(_) => return Ok(None),
            Term::If { cond, .. } => (*cond, &[][..]),
            Term::Switch { on, cases, .. } => (*on, &cases[..]),
        };
        fresh.clear();
        fresh.extend(sites.iter().filter(|site| holes[site.hole.index()].is_none()));
        labels.clear();
        labels.extend(cases.iter().filter_map(|(label, _)| match label {
            ConstOrHole::Hole(hole) if holes[hole.index()].is_none() => Some(hole.index()),
            ConstOrHole::Hole(_) | ConstOrHole::Const(_) => None,
        }));
        let n_draws = if fresh.is_empty() && labels.is_empty() { 1 } else { N_DRAWS };
        for _ in 0..n_draws {
            for site in &*fresh {
                let value = choose_for_role(ctx.value_policy, site, 0, rng);
                holes[site.hole.index()] = Some(value);
            }
            if let Expr::Binary(op, lhs, _) = ctx.function.expr(root)
                && op.is_comparison()
                && let Some(found) = additive(ctx.function, *lhs)
                && fresh.iter().any(|site| site.hole == found.hole)
                && ctx.value_policy.knobs.choose_zero(rng)
            {
                holes[found.hole.index()] = Some(0);
            }
            let Ok(value) = ctx.eval(root, &**cells, holes) else { continue };
            let next = match &ctx.function.block(block).term {
                Term::If { then, otherwise, .. } => match value != 0 {
                    true => *then,
                    false => *otherwise,
                },
                Term::Switch { default, .. } => {
                    labels.iter().for_each(|label| holes[*label] = None);
                    draw_labels(switch_ty(ctx.ty(root)), cases, value, holes, rng);
                    target(cases, *default, value, holes)
                }
                Term::Goto(_) | Term::Return(_) => return Ok(None),
            };
            if !is_doomed(next) {
                return Ok(Some(next));
            }
        }
        Err(Undefined)
    }
}

/// Gives open labels values around `value`, each its own.
fn draw_labels(
    ty: IntTy,
    cases: &[(ConstOrHole, BlockId)],
    value: i64,
    holes: &mut [Option<i64>],
    rng: &mut Rng,
) {
    let first = choose_below(cases.len() + 1, rng) as i64;
    for (i, (fill, _)) in cases.iter().enumerate() {
        if let ConstOrHole::Hole(hole) = fill
            && holes[hole.index()].is_none()
        {
            holes[hole.index()] = Some(ty.wrap(value.wrapping_add(i as i64 - first)));
        }
    }
}

/// Where a switch on `value` leads.
fn target(
    cases: &[(ConstOrHole, BlockId)],
    default: BlockId,
    value: i64,
    holes: &[Option<i64>],
) -> BlockId {
    let is_label = |fill: &ConstOrHole| match fill {
        ConstOrHole::Const(label) => label.word() == value,
        ConstOrHole::Hole(hole) => holes[hole.index()] == Some(value),
    };
    cases.iter().find(|(fill, _)| is_label(fill)).map_or(default, |(_, target)| *target)
}
