//! The first half: executing assignments along the path, drawing holes where they are first met.
//!
//! Each statement's holes are drawn at the first visit of its block, with the values of its
//! operands in hand. A later visit finds them fixed; where the statement is not defined any more,
//! something that led there is to blame. The execution then jumps back to where that was drawn, forgets
//! all that was drawn since, and draws it again with a stronger bias towards tame values.

use super::draw::{Bias, MAX_POLICY_BIAS, choose_for_role, choose_scalar};
use super::eval_context::{EvalContext, Undefined};
use super::roles::HoleSite;
use super::states::{History, Replaced, States};
use super::stmt_info::{StmtInfo, assign, reads, stmt_info};
use super::target_value::{choose_tameness, target_value};
use crate::solve::{Obstacle, Words};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{ConstOrHole, ScalarTy, Var, VarRef, effects};
use pathsmith_symlang::{BlockId, VarId};

/// How often a statement is drawn anew before something else is blamed.
const MAX_DRAWS: usize = 12;
/// The strongest bias.
const MAX_BIAS: Bias = 6;

/// A block on the path.
#[derive(Default)]
struct BlockInfo {
    stmts: Vec<StmtInfo>,
    first_visit: usize,
    n_visits: usize,
}

pub(super) struct Execution<'s, 'a> {
    ctx: &'s EvalContext<'a>,
    path: &'s [BlockId],
    blocks: Vec<BlockInfo>,
    pub(super) holes: Vec<Option<i64>>,
    /// The step at which each hole was drawn; holes that were given have none.
    drawn_at: Vec<Option<usize>>,
    /// Parameters that were given.
    fixed_args: Vec<Option<i64>>,
    states: States,
    /// How tame the initial value of each variable has to be.
    var_bias: Vec<Bias>,
    /// How many steps may still be taken.
    fuel: u64,
    /// Where a statement was undefined last.
    last_conflict: Option<usize>,
    /// How often everything may still be drawn anew before something is blamed.
    redraws: u32,
    /// The holes of a statement that are still to be drawn; kept for its memory.
    fresh: Vec<HoleSite>,
}

/// Where the execution got stuck for good.
pub(super) struct Blocked {
    pub(super) step: usize,
    pub(super) obstacle: Obstacle,
}

impl<'s, 'a> Execution<'s, 'a> {
    pub(super) fn new(
        ctx: &'s EvalContext<'a>,
        path: &'s [BlockId],
        known: Words,
        fuel: u64,
    ) -> Self {
        let Words { holes, args } = known;
        let mut blocks: Vec<BlockInfo> = Vec::new();
        blocks.resize_with(ctx.function.blocks.len(), BlockInfo::default);
        for (step, block) in path.iter().enumerate() {
            let info = &mut blocks[block.index()];
            if info.n_visits == 0 {
                info.first_visit = step;
                let stmts = &ctx.function.block(*block).stmts;
                info.stmts = stmts.iter().map(|stmt| stmt_info(ctx, stmt)).collect();
            }
            info.n_visits += 1;
        }
        for info in &mut blocks {
            // What is run often has to be tame from the start.
            let bias = match info.n_visits {
                0..=3 => 0,
                4..=9 => 1,
                _ => 2,
            };
            info.stmts.iter_mut().for_each(|stmt| stmt.bias = bias);
        }
        Self {
            ctx,
            path,
            blocks,
            drawn_at: vec![None; holes.len()],
            holes,
            fixed_args: args,
            states: States::new(ctx.n_cells()),
            var_bias: vec![0; ctx.function.vars.len()],
            fuel,
            last_conflict: None,
            redraws: ctx.value_policy.knobs.boundary.as_ref().map_or(0, |knobs| knobs.redraws),
            fresh: Vec::new(),
        }
    }

    /// The state that the execution is in.
    pub(super) fn cells(&self) -> &[i64] {
        &self.states.cells
    }

    /// What was drawn, and the states at all steps.
    pub(super) fn finish(self) -> (Vec<Option<i64>>, History) {
        (self.holes, self.states.history())
    }

    /// Makes the states at all steps concrete.
    pub(super) fn run(&mut self, rng: &mut Rng) -> Result<(), Blocked> {
        self.draw_initial(rng);
        let mut step = 0;
        while step < self.path.len() {
            if self.fuel == 0 {
                let step = self.last_conflict.unwrap_or(step);
                return Err(Blocked { step, obstacle: Obstacle::OutOfFuel });
            }
            self.fuel -= 1;
            self.states.begin_step();
            match self.run_block(step, rng) {
                Ok(()) => step += 1,
                Err(stmt) => {
                    if self.ctx.calls_given_up().is_some() {
                        return Err(Blocked { step, obstacle: Obstacle::OutOfFuel });
                    }
                    self.last_conflict = Some(step);
                    let back = match self.redraws {
                        0 => self.blame(step, stmt, rng),
                        _ => Some(0),
                    };
                    let Some(back) = back else {
                        return Err(Blocked { step, obstacle: Obstacle::Undefined });
                    };
                    self.redraws = self.redraws.saturating_sub(1);
                    for (hole, drawn_at) in std::iter::zip(&mut self.holes, &mut self.drawn_at) {
                        if drawn_at.is_some_and(|at| at >= back) {
                            (*hole, *drawn_at) = (None, None);
                        }
                    }
                    self.states.rewind(back);
                    step = back;
                    if back == 0 {
                        self.draw_initial(rng);
                    }
                }
            }
        }
        Ok(())
    }

    /// Draws parameters and initial values.
    pub(super) fn draw_initial(&mut self, rng: &mut Rng) {
        let ctx = self.ctx;
        for (i, var) in ctx.function.vars.iter().enumerate() {
            let start = ctx.start(VarRef::Var(VarId::new(i)));
            let elem = var.ty.cell_ty();
            if i < ctx.function.n_params {
                let before = &ctx.function.params()[..i];
                let is_alike =
                    |var: &Var| var.ty.cell_ty().as_int().is_some() == elem.as_int().is_some();
                let can_be_same = self.fixed_args[i].is_none() && before.iter().all(is_alike);
                let same = can_be_same && i > 0 && choose_bool(0.1, rng);
                self.states.cells[start] = match self.fixed_args[i] {
                    Some(arg) => elem.stored(arg),
                    None if same => elem.stored(self.states.cells[choose_below(start, rng)]),
                    None => {
                        let tameness = self.var_bias[i].max(choose_tameness(rng));
                        let by_policy = self.choose_input(i, elem, start, rng);
                        by_policy
                            .unwrap_or_else(|| choose_scalar(ctx.value_policy, elem, tameness, rng))
                    }
                };
                continue;
            }
            for (offset, fill) in var.init.iter().enumerate() {
                self.states.cells[start + offset] = match fill {
                    ConstOrHole::Const(value) => value.word(),
                    ConstOrHole::Hole(hole) => {
                        let value = self.holes[hole.index()].unwrap_or_else(|| {
                            self.drawn_at[hole.index()] = Some(0);
                            let by_policy = self.choose_input(i, elem, start, rng);
                            by_policy.unwrap_or_else(|| {
                                choose_scalar(ctx.value_policy, elem, self.var_bias[i], rng)
                            })
                        });
                        self.holes[hole.index()] = Some(value);
                        value
                    }
                };
            }
        }
        for (i, global) in ctx.program.globals.iter().enumerate() {
            let start = ctx.start(VarRef::Global(pathsmith_symlang::GlobalId::new(i)));
            for (offset, fill) in global.init.iter().enumerate() {
                if let ConstOrHole::Const(value) = fill {
                    self.states.cells[start + offset] = value.word();
                }
            }
        }
    }

    /// Draws what policies ask of a variable that begins at cell `start`, unless it was to blame
    /// for something before.
    fn choose_input(&self, var: usize, ty: ScalarTy, start: usize, rng: &mut Rng) -> Option<i64> {
        if self.var_bias[var] > MAX_POLICY_BIAS {
            return None;
        }
        if let Some(int) = ty.as_int()
            && let Some(exact) = self.ctx.value_policy.knobs.floats.choose_exact(int, rng)
        {
            return Some(exact);
        }
        self.ctx.value_policy.choose_input(VarId::new(var), ty, &self.states.cells[..start], rng)
    }

    /// Runs the statements of the block at `step`; in error, the statement that is undefined.
    fn run_block(&mut self, step: usize, rng: &mut Rng) -> Result<(), usize> {
        let block = self.path[step].index();
        for i in 0..self.blocks[block].stmts.len() {
            self.run_stmt(step, block, i, rng).map_err(|Undefined| i)?;
        }
        Ok(())
    }

    fn run_stmt(
        &mut self,
        step: usize,
        block: usize,
        i: usize,
        rng: &mut Rng,
    ) -> Result<(), Undefined> {
        let n_visits = self.blocks[block].n_visits;
        let info = &self.blocks[block].stmts[i];
        let cells = &mut self.states.cells;
        let (holes, fresh) = (&mut self.holes, &mut self.fresh);
        let replaced = draw_stmt(self.ctx, info, n_visits, cells, holes, fresh, rng)?;
        self.states.note(replaced);
        for site in fresh {
            self.drawn_at[site.hole.index()] = Some(step);
        }
        Ok(())
    }

    /// Chooses what is to blame for an undefined statement, makes it tamer, and gives the step to
    /// go back to.
    fn blame(&mut self, step: usize, stmt: usize, rng: &mut Rng) -> Option<usize> {
        let block = self.path[step].index();
        let info = &self.blocks[block];
        let mut suspects: Vec<Suspect> = Vec::new();
        // Drawing its own holes again was tried already at the first visit.
        if info.first_visit < step && self.can_redraw(&info.stmts[stmt]) {
            suspects.push(Suspect::Stmt(block, stmt));
            suspects.push(Suspect::Stmt(block, stmt));
        }
        for var in reads(self.ctx, &info.stmts[stmt]) {
            suspects.extend(self.last_writer(var, step, stmt));
            // What is updated step by step stays near where it began.
            if let VarRef::Var(id) = var
                && self.can_redraw_var(id.index())
            {
                suspects.push(Suspect::Initial(id.index()));
            }
        }
        if suspects.is_empty() {
            // Whatever was drawn before may be behind it; anything will do.
            let redrawable = (0..self.path.len().min(step + 1)).map(|at| self.path[at].index());
            for block in redrawable {
                for stmt in 0..self.blocks[block].stmts.len() {
                    if self.can_redraw(&self.blocks[block].stmts[stmt]) {
                        suspects.push(Suspect::Stmt(block, stmt));
                    }
                }
            }
            let vars = 0..self.ctx.function.vars.len();
            suspects.extend(vars.filter(|&i| self.can_redraw_var(i)).map(Suspect::Initial));
        }
        if suspects.is_empty() {
            return None;
        }
        match suspects[choose_below(suspects.len(), rng)] {
            Suspect::Stmt(block, stmt) => {
                let info = &mut self.blocks[block];
                info.stmts[stmt].bias = (info.stmts[stmt].bias + 1).min(MAX_BIAS);
                Some(info.first_visit)
            }
            Suspect::Initial(var) => {
                self.var_bias[var] = (self.var_bias[var] + 1).min(MAX_BIAS);
                Some(0)
            }
        }
    }

    /// Whether a statement has holes that were drawn, not given.
    fn can_redraw(&self, info: &StmtInfo) -> bool {
        info.sites.iter().any(|site| self.drawn_at[site.hole.index()].is_some())
    }

    fn can_redraw_var(&self, i: usize) -> bool {
        let function = self.ctx.function;
        if i < function.n_params {
            return self.fixed_args[i].is_none();
        }
        let drawn = |fill: &ConstOrHole| matches!(fill, ConstOrHole::Hole(hole) if self.drawn_at[hole.index()].is_some());
        function.vars[i].init.iter().any(drawn)
    }

    /// What gave `var` its value before statement `stmt` of step `step`, if it can be redrawn.
    fn last_writer(&self, var: VarRef, step: usize, stmt: usize) -> Option<Suspect> {
        for at in (0..=step).rev() {
            let block = self.path[at].index();
            let stmts = &self.blocks[block].stmts;
            let before = if at == step { stmt } else { stmts.len() };
            let writer =
                stmts[..before].iter().rposition(|info| effects::may_write_place(&info.place, var));
            if let Some(writer) = writer {
                return self.can_redraw(&stmts[writer]).then_some(Suspect::Stmt(block, writer));
            }
        }
        match var {
            VarRef::Var(id) if self.can_redraw_var(id.index()) => {
                Some(Suspect::Initial(id.index()))
            }
            _ => None,
        }
    }
}

#[derive(Clone, Copy)]
enum Suspect {
    Stmt(usize, usize),
    Initial(usize),
}

/// Runs a statement of a block that is to be visited `n_visits` times, and draws those of its holes
/// that have no value yet, which are in `fresh` then. Returns what the statement replaces.
pub(super) fn draw_stmt(
    ctx: &EvalContext<'_>,
    info: &StmtInfo,
    n_visits: usize,
    cells: &mut [i64],
    holes: &mut [Option<i64>],
    fresh: &mut Vec<HoleSite>,
    rng: &mut Rng,
) -> Result<Replaced, Undefined> {
    fresh.clear();
    fresh.extend(info.sites.iter().filter(|site| holes[site.hole.index()].is_none()));
    if fresh.is_empty() {
        return assign(ctx, info, cells, holes);
    }
    for draw in 0..MAX_DRAWS {
        let bias = (info.bias + (draw / 4) as Bias).min(MAX_BIAS);
        for site in &*fresh {
            holes[site.hole.index()] = Some(choose_for_role(ctx.value_policy, site, bias, rng));
        }
        let targetable =
            info.additive.filter(|found| fresh.iter().any(|site| site.hole == found.hole));
        if let Some(found) = targetable {
            let room = info.is_step.then_some(n_visits);
            target_value(ctx, info, found, cells, holes, bias, room, rng);
        }
        if let Ok(replaced) = assign(ctx, info, cells, holes) {
            return Ok(replaced);
        }
    }
    for site in fresh {
        holes[site.hole.index()] = None;
    }
    Err(Undefined)
}
