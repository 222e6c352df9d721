//! Paths that are found by running.
//!
//! A path that is drawn before anything else has to be enforced, and what enforces it (a counter,
//! a threshold that is fit to all visits) looks like it. Here inputs and constants are drawn
//! first, each where the run meets it, and where that leads is the path: loops turn round at
//! values, and at the brink, as nobody would have asked of them.

use std::cell::OnceCell;

use super::aim::has_order;
use super::draw::{Bias, choose_for_role};
use super::roles::{HoleSite, additive, collect};
use super::scene::{Scene, Undefined};
use super::walk::{StmtPlan, Walk, draw_stmt, plan_stmt};
use crate::policy::Policy;
use crate::solve::{Model, Taste};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::{ConstOrHole, Expr, Program, Term, WordTy};
use pathsmith_symlang::{BlockId, ExprId, FuncId};

/// How often everything is drawn before it is given up.
const N_TRIES: usize = 4;
/// How often a terminator is drawn until it is defined.
const N_DRAWS: usize = 8;

/// Runs a function with holes until it ends, drawing what is not known yet, and gives the path it
/// takes with what was drawn. A path has `most` steps at most. What policies are after has to be on
/// it: runs that survive would be tame ones otherwise.
pub(crate) fn wander(
    program: &Program,
    function: FuncId,
    dialect: Dialect,
    taste: Taste<'_>,
    most: usize,
    rng: &mut Rng,
) -> Option<(Path, Model)> {
    let scene = Scene::new(program, function, dialect, taste);
    let plans = scene.function.blocks.iter().map(|_| OnceCell::new()).collect();
    let wanderer = Wanderer { scene: &scene, plans, open: Model::empty(scene.function), most };
    (0..N_TRIES).find_map(|_| wanderer.run(rng).ok())
}

struct Wanderer<'s, 'a> {
    scene: &'s Scene<'a>,
    /// The blocks that some run has come to; most runs end after a few.
    plans: Vec<OnceCell<BlockPlan>>,
    /// Nothing is known.
    open: Model,
    most: usize,
}

struct BlockPlan {
    stmts: Vec<StmtPlan>,
    /// The holes of its terminator.
    sites: Vec<HoleSite>,
}

impl Wanderer<'_, '_> {
    fn run(&self, rng: &mut Rng) -> Result<(Path, Model), Undefined> {
        let Model { holes, args } = self.open.clone();
        let mut start = Walk::new(self.scene, &[], holes, args, 0);
        start.draw_initial(rng);
        let mut cells = start.state(0).to_vec();
        let mut holes = std::mem::take(&mut start.holes);
        let n_params = self.scene.function.n_params;
        let args = cells[..n_params].iter().map(|arg| Some(*arg)).collect();
        let mut fresh = Vec::new();
        let mut path = Vec::new();
        let drawn = self.scene.taste.drawn;
        let mut is_bound = !drawn.has(Policy::Order);
        let mut before = Vec::new();
        let mut next = Some(BlockId::FIRST);
        while let Some(block) = next {
            if path.len() == self.most {
                return Err(Undefined);
            }
            path.push(block);
            let plan = self.plans[block.index()].get_or_init(|| self.plan(block));
            for plan in &plan.stmts {
                if !is_bound {
                    before.clone_from(&cells);
                }
                draw_stmt(self.scene, plan, 1, &mut cells, &mut holes, &mut fresh, rng)?;
                is_bound = is_bound || has_order(self.scene, plan, &before, &holes);
            }
            next = self.decide(block, &plan.sites, &cells, &mut holes, rng)?;
        }
        let comes_back = !drawn.wants_loops()
            || path.iter().enumerate().any(|(i, block)| path[..i].contains(block));
        match comes_back && is_bound {
            true => Ok((Path::new(path), Model { holes, args })),
            false => Err(Undefined),
        }
    }

    fn plan(&self, block: BlockId) -> BlockPlan {
        let block = self.scene.function.block(block);
        let mut sites = Vec::new();
        if let Some(root) = block.term.root() {
            collect(self.scene, root, &mut sites);
        }
        BlockPlan {
            stmts: block.stmts.iter().map(|stmt| plan_stmt(self.scene, *stmt)).collect(),
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
        let term = &self.scene.function.block(block).term;
        let Some(root) = term.root() else {
            return Ok(match term {
                Term::Goto(target) => Some(*target),
                _ => None,
            });
        };
        let value = self.draw(root, sites, cells, holes, rng)?;
        Ok(match term {
            Term::If { then, otherwise, .. } => Some(if value != 0 { *then } else { *otherwise }),
            Term::Switch { cases, default, .. } => {
                draw_labels(self.scene.ty(root), cases, value, holes, rng);
                Some(target(cases, *default, value, holes))
            }
            _ => None,
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
        let scene = self.scene;
        let is_open = |site: &&HoleSite| holes[site.hole.index()].is_none();
        let fresh: Vec<&HoleSite> = sites.iter().filter(is_open).collect();
        let n_draws = if fresh.is_empty() { 1 } else { N_DRAWS };
        for draw in 0..n_draws {
            for site in &fresh {
                let bias = (draw / 4) as Bias;
                holes[site.hole.index()] = Some(choose_for_role(scene.taste, site, bias, rng));
            }
            if let Expr::Binary(op, lhs, _) = scene.function.expr(root)
                && op.is_comparison()
                && let Some(found) = additive(scene.function, *lhs)
                && fresh.iter().any(|site| site.hole == found.hole)
                && scene.taste.drawn.choose_zero(rng)
            {
                holes[found.hole.index()] = Some(0);
            }
            if let Ok(value) = scene.eval(root, cells, holes) {
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
        ConstOrHole::Value(label) => *label == value,
        ConstOrHole::Hole(hole) => holes[hole.index()] == Some(value),
    };
    cases.iter().find(|(fill, _)| is_label(fill)).map_or(default, |(_, target)| *target)
}
