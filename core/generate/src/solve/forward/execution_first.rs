//! Paths that are found by execution.
//!
//! A path that is drawn before anything else has to be enforced, and what enforces it (a counter,
//! a threshold that is fit to all visits) looks like it. Here inputs and constants are drawn
//! first, each when the run reaches it, and the blocks that the run visits are the path: loops end
//! at values, and at boundary values, that no one asked for.

use std::cell::OnceCell;

use super::draw::{Bias, choose_for_role};
use super::eval_context::{EvalContext, Undefined};
use super::execute::{Execution, draw_stmt};
use super::roles::{HoleSite, additive, collect};
use super::stmt_info::{StmtInfo, stmt_info};
use super::target_value::has_order;
use crate::shape::ExecutionFirstKnobs;
use crate::solve::{Model, ValuePolicy, Words};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::{ConstOrHole, Expr, Program, Term, ValueTy, WordTy};
use pathsmith_symlang::{BlockId, ExprId, FuncId};

/// How many runs there are before a sketch is given up (a guess).
const N_TRIES: usize = 4;
/// How often a terminator is drawn until it is defined (a guess).
const N_DRAWS: usize = 8;

/// Runs a function with holes until it returns, drawing what is not known yet, and returns the path
/// that it takes with what was drawn. The path is as `wanted` says: the runs that return would mostly
/// be tame ones otherwise. That it has enough steps is up to the caller.
pub(crate) fn execution_first(
    program: &Program,
    function: FuncId,
    dialect: Dialect,
    value_policy: ValuePolicy<'_>,
    wanted: ExecutionFirstKnobs,
    rng: &mut Rng,
) -> Option<(Path, Model)> {
    let ctx = EvalContext::new(program, function, dialect, value_policy);
    let infos = ctx.function.blocks.iter().map(|_| OnceCell::new()).collect();
    let explorer = Explorer { ctx: &ctx, infos, open: Words::empty(ctx.function), wanted };
    (0..N_TRIES).find_map(|_| explorer.run(rng).ok())
}

struct Explorer<'s, 'a> {
    ctx: &'s EvalContext<'a>,
    /// The blocks that some run has reached; most runs end after a few.
    infos: Vec<OnceCell<BlockInfo>>,
    /// Nothing is known.
    open: Words,
    wanted: ExecutionFirstKnobs,
}

struct BlockInfo {
    stmts: Vec<StmtInfo>,
    /// The holes of its terminator.
    sites: Vec<HoleSite>,
}

impl Explorer<'_, '_> {
    fn run(&self, rng: &mut Rng) -> Result<(Path, Model), Undefined> {
        let mut start = Execution::new(self.ctx, &[], self.open.clone(), 0);
        start.draw_initial(rng);
        let mut cells = start.state(0).to_vec();
        let mut holes = std::mem::take(&mut start.holes);
        let n_params = self.ctx.function.n_params;
        let args = cells[..n_params].iter().map(|arg| Some(*arg)).collect();
        let mut fresh = Vec::new();
        let mut path = Vec::new();
        let mut is_bound = !self.wanted.needs_order;
        let mut before = Vec::new();
        let mut next = Some(BlockId::FIRST);
        while let Some(block) = next {
            if path.len() == self.wanted.max_len as usize {
                return Err(Undefined);
            }
            path.push(block);
            let info = self.infos[block.index()].get_or_init(|| self.info(block));
            for info in &info.stmts {
                if !is_bound {
                    before.clone_from(&cells);
                }
                draw_stmt(self.ctx, info, 1, &mut cells, &mut holes, &mut fresh, rng)?;
                is_bound = is_bound || has_order(self.ctx, info, &before, &holes);
            }
            next = self.decide(block, &info.sites, &cells, &mut holes, rng)?;
        }
        let comes_back = !self.wanted.needs_loop
            || path.iter().enumerate().any(|(i, block)| path[..i].contains(block));
        match comes_back && is_bound {
            true => {
                let model = Words { holes, args }.typed(self.ctx.function, |id| self.ctx.ty(id));
                Ok((Path::new(path), model))
            }
            false => Err(Undefined),
        }
    }

    fn info(&self, block: BlockId) -> BlockInfo {
        let block = self.ctx.function.block(block);
        let mut sites = Vec::new();
        if let Some(root) = block.term.root() {
            collect(self.ctx, root, &mut sites);
        }
        BlockInfo {
            stmts: block.stmts.iter().map(|stmt| stmt_info(self.ctx, stmt)).collect(),
            sites,
        }
    }

    /// Where a block leads, with what is not known of its terminator drawn.
    fn decide(
        &self,
        block: BlockId,
        sites: &[HoleSite],
        cells: &[i64],
        holes: &mut [Option<i64>],
        rng: &mut Rng,
    ) -> Result<Option<BlockId>, Undefined> {
        let term = &self.ctx.function.block(block).term;
        let Some(root) = term.root() else {
            return Ok(match term {
                Term::Goto(target) => Some(*target),
                Term::Return(_) | Term::If { .. } | Term::Switch { .. } => None,
            });
        };
        let value = self.draw(root, sites, cells, holes, rng)?;
        Ok(match term {
            Term::If { then, otherwise, .. } => Some(if value != 0 { *then } else { *otherwise }),
            Term::Switch { cases, default, .. } => {
                let ValueTy::Int(ty) = self.ctx.ty(root);
                draw_labels(ty, cases, value, holes, rng);
                Some(target(cases, *default, value, holes))
            }
            Term::Goto(_) | Term::Return(_) => None,
        })
    }

    /// The value of an expression, whose open holes are drawn so that it is defined.
    fn draw(
        &self,
        root: ExprId,
        sites: &[HoleSite],
        cells: &[i64],
        holes: &mut [Option<i64>],
        rng: &mut Rng,
    ) -> Result<i64, Undefined> {
        let ctx = self.ctx;
        let is_open = |site: &&HoleSite| holes[site.hole.index()].is_none();
        let fresh: Vec<&HoleSite> = sites.iter().filter(is_open).collect();
        let n_draws = if fresh.is_empty() { 1 } else { N_DRAWS };
        for draw in 0..n_draws {
            for site in &fresh {
                let bias = (draw / 4) as Bias;
                holes[site.hole.index()] = Some(choose_for_role(ctx.value_policy, site, bias, rng));
            }
            if let Expr::Binary(op, lhs, _) = ctx.function.expr(root)
                && op.is_comparison()
                && let Some(found) = additive(ctx.function, *lhs)
                && fresh.iter().any(|site| site.hole == found.hole)
                && ctx.value_policy.knobs.choose_zero(rng)
            {
                holes[found.hole.index()] = Some(0);
            }
            if let Ok(value) = ctx.eval(root, cells, holes) {
                return Ok(value);
            }
        }
        Err(Undefined)
    }
}

/// Gives open labels values around `value`, each its own.
fn draw_labels(
    ty: WordTy,
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
