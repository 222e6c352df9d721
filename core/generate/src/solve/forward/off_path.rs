//! Blocks that the path does not visit.
//!
//! Nothing is asked of them: they may hold any code. But an input that leaves the path and comes to
//! a defined end all the same is a further realization. Such an input mostly leaves the path in a
//! state much like the one that was seen there, so each block is drawn to be defined in the state
//! in which a run comes to it that turned away just before, and to head for the exit from there.

use super::draw::{choose_for_role, choose_value};
use super::eval_context::EvalContext;
use super::roles::{HoleRole, HoleSite, collect, collect_stmt};
use super::separate::{Decision, separate, switch_ty};
use super::states::{History, Replaced, Replay, undo};
use crate::values::Relaxations;
use pathsmith_symlang::BlockId;
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_bool;
use pathsmith_symlang::lang::{ConstOrHole, Stmt, Term};

/// How often a statement is drawn before it may be undefined.
const MAX_DRAWS: u8 = 6;

/// Draws values for the holes of all blocks that are not on `path`, whose states are `history`.
pub(super) fn fill_off_path(
    ctx: &EvalContext<'_>,
    path: &[BlockId],
    history: &History,
    holes: &mut [Option<i64>],
    rng: &mut Rng,
) {
    let mut arrivals = Arrivals::new(ctx);
    for block in path {
        arrivals.is_known[block.index()] = true;
    }
    for (step, block) in path.iter().enumerate() {
        arrivals.leave(&ctx.function.block(*block).term, step + 1, None);
    }
    let distances = distances_to_exit(ctx, path);
    let nowhere = vec![None; distances.len()];
    let mut replay = Replay::new(history);
    let mut replaced = Vec::new();
    let mut next = 0;
    while let Some(Arrival { block, step, .. }) = arrivals.next(next) {
        let cells = replay.to(step);
        arrivals.arrive(next, cells, &mut replaced);
        let n_before = replaced.len();
        relax(ctx, block, holes, rng);
        let endless = ctx.value_policy.knobs.relaxed.endless;
        let is_endless = endless > 0.0 && choose_bool(endless, rng);
        let distances = if is_endless { &nowhere } else { &distances };
        fill_block(ctx, block, distances, cells, &mut replaced, holes, rng);
        let assigned =
            replaced[n_before..].iter().map(|&Replaced { cell, .. }| (cell, cells[cell]));
        arrivals.visited(assigned);
        arrivals.leave(&ctx.function.block(block).term, step, Some(next));
        undo(cells, &mut replaced);
        next += 1;
    }
}

/// Draws values with undefined behaviour for some holes of a block that no path visits
/// yet, where policies ask for it.
fn relax(ctx: &EvalContext<'_>, block: BlockId, holes: &mut [Option<i64>], rng: &mut Rng) {
    let relaxed = &ctx.value_policy.knobs.relaxed;
    if *relaxed == Relaxations::NONE {
        return;
    }
    let data = ctx.function.block(block);
    let mut sites = Vec::new();
    for stmt in &data.stmts {
        collect_stmt(ctx, stmt, &mut sites);
    }
    for site in sites.iter().filter(|site| is_open(site, &holes[..])).collect::<Vec<_>>() {
        // No operation on floating-point numbers overflows.
        let Some(ty) = site.ty.as_int() else { continue };
        let value = match site.role {
            HoleRole::Coefficient | HoleRole::Plain => relaxed.choose_overflowing(ty, rng),
            HoleRole::Count(width) => relaxed.choose_count(width, rng),
            HoleRole::Divisor => relaxed.choose_zero_divisor(rng).then_some(0),
            HoleRole::Index(len) => relaxed.choose_index(ty, len, rng),
            HoleRole::Mask | HoleRole::IndexDivisor(_) => None,
        };
        if let Some(value) = value {
            holes[site.hole.index()] = Some(value);
        }
    }
}

/// Draws values for the holes of blocks on `path` that have none: whatever they are, the path is
/// taken.
pub(super) fn fill_on_path(
    ctx: &EvalContext<'_>,
    path: &[BlockId],
    history: &History,
    holes: &mut [Option<i64>],
    rng: &mut Rng,
) {
    let distances = distances_to_exit(ctx, path);
    let mut replay = Replay::new(history);
    let mut replaced = Vec::new();
    for (step, block) in path.iter().enumerate() {
        let cells = replay.to(step);
        fill_block(ctx, *block, &distances, cells, &mut replaced, holes, rng);
        undo(cells, &mut replaced);
    }
}

/// Blocks off the path, in the order in which runs that leave it come to them.
struct Arrivals {
    all: Vec<Arrival>,
    /// Where the assignments of each block that was visited begin in `assigned`.
    starts: Vec<usize>,
    /// What the blocks that were visited assign: the cells, and what they hold afterwards.
    assigned: Vec<(usize, i64)>,
    /// Which blocks are on the path, or among these.
    is_known: Vec<bool>,
    /// All blocks before this one are known.
    n_known: usize,
}

/// How a run comes to a block: not as a state, which would take memory quadratic in the function.
#[derive(Clone, Copy)]
struct Arrival {
    block: BlockId,
    /// The step of the path before which the run left it.
    step: usize,
    /// The arrival at the block before, if that is off the path too.
    from: Option<usize>,
}

impl Arrivals {
    fn new(ctx: &EvalContext<'_>) -> Self {
        let is_known = vec![false; ctx.function.blocks.len()];
        let (all, starts, assigned) = (Vec::new(), vec![0], Vec::new());
        Self { all, starts, assigned, is_known, n_known: 0 }
    }

    /// Notes that a run that left the path before `step` comes to the targets of `term`, from the
    /// arrival `from` if that is off the path.
    fn leave(&mut self, term: &Term, step: usize, from: Option<usize>) {
        term.for_each_target(|block| self.add(Arrival { block, step, from }));
    }

    fn add(&mut self, arrival: Arrival) {
        if !std::mem::replace(&mut self.is_known[arrival.block.index()], true) {
            self.all.push(arrival);
        }
    }

    /// Arrival number `i`; once there is no other left, one at a block that no run comes to, in the
    /// state before the path.
    fn next(&mut self, i: usize) -> Option<Arrival> {
        if i == self.all.len() {
            let rest = &self.is_known[self.n_known..];
            self.n_known += rest.iter().position(|is_known| !is_known).unwrap_or(rest.len());
            if self.n_known < self.is_known.len() {
                self.add(Arrival { block: BlockId::new(self.n_known), step: 0, from: None });
            }
        }
        self.all.get(i).copied()
    }

    /// Turns the state in which a run left the path into that in which it comes to arrival `i`, and
    /// notes what that replaces.
    fn arrive(&self, i: usize, cells: &mut [i64], replaced: &mut Vec<Replaced>) {
        let before: Vec<usize> =
            std::iter::successors(self.all[i].from, |&at| self.all[at].from).collect();
        for at in before.into_iter().rev() {
            for &(cell, word) in &self.assigned[self.starts[at]..self.starts[at + 1]] {
                replaced.push(Replaced::by(cells, cell, word));
            }
        }
    }

    /// Notes what the next arrival assigns.
    fn visited(&mut self, assigned: impl Iterator<Item = (usize, i64)>) {
        self.assigned.extend(assigned);
        self.starts.push(self.assigned.len());
    }
}

/// Draws the holes of a block to which a run comes with the state `cells`, which is then the one
/// in which the block is left; what it replaces is noted.
fn fill_block(
    ctx: &EvalContext<'_>,
    block: BlockId,
    distances: &[Option<usize>],
    cells: &mut [i64],
    replaced: &mut Vec<Replaced>,
    holes: &mut [Option<i64>],
    rng: &mut Rng,
) {
    let data = ctx.function.block(block);
    let mut sites = Vec::new();
    for stmt in &data.stmts {
        replaced.extend(fill_stmt(ctx, stmt, &mut sites, cells, holes, rng));
    }
    if let Some((_, target)) = nearest(&data.term, distances) {
        // Where it cannot be made to lead there, it leads anywhere.
        let decision = Decision { step: 0, cells: &*cells, target };
        if separate(ctx, block, &[decision], holes, rng).is_ok() {
            return;
        }
    }
    if let Some(root) = data.term.root() {
        sites.clear();
        collect(ctx, root, &mut sites);
        sites.retain(|site| is_open(site, holes));
        draw(ctx, &sites, 1, holes, rng);
    }
    fill_labels(ctx, &data.term, holes, rng);
}

fn is_open(site: &HoleSite, holes: &[Option<i64>]) -> bool {
    holes[site.hole.index()].is_none()
}

fn draw(
    ctx: &EvalContext<'_>,
    sites: &[HoleSite],
    bias: u8,
    holes: &mut [Option<i64>],
    rng: &mut Rng,
) {
    for site in sites {
        holes[site.hole.index()] = Some(choose_for_role(ctx.value_policy, site, bias, rng));
    }
}

/// Draws the holes of a statement, and runs it on `cells` if it is defined there: then it returns
/// what that replaces.
fn fill_stmt(
    ctx: &EvalContext<'_>,
    stmt: &Stmt,
    sites: &mut Vec<HoleSite>,
    cells: &mut [i64],
    holes: &mut [Option<i64>],
    rng: &mut Rng,
) -> Option<Replaced> {
    sites.clear();
    collect_stmt(ctx, stmt, sites);
    let Stmt::Assign { place, value } = stmt;
    sites.retain(|site| is_open(site, holes));
    let n_draws = if sites.is_empty() { 1 } else { MAX_DRAWS };
    for attempt in 0..n_draws {
        draw(ctx, sites, 1 + attempt / 2, holes, rng);
        let cell = ctx.cell(place, &*cells, holes);
        let value = ctx.eval(*value, &*cells, holes);
        if let (Ok(cell), Ok(value)) = (cell, value) {
            let word = ctx.cells(place.var()).ty.stored(value);
            return Some(Replaced::by(cells, cell, word));
        }
    }
    None
}

/// For every block, how far it is to the exit. Ways through blocks that decide something on the
/// path count as long: a run that left the path there would leave it there again, and never end.
fn distances_to_exit(ctx: &EvalContext<'_>, path: &[BlockId]) -> Vec<Option<usize>> {
    let blocks = &ctx.function.blocks;
    let mut lengths = vec![1; blocks.len()];
    for block in path {
        if matches!(ctx.function.block(*block).term, Term::If { .. } | Term::Switch { .. }) {
            lengths[block.index()] = blocks.len();
        }
    }
    let mut distances: Vec<Option<usize>> = vec![None; blocks.len()];
    let mut is_settled = false;
    while !is_settled {
        is_settled = true;
        for (i, block) in blocks.iter().enumerate().rev() {
            let distance = match block.term {
                Term::Return(_) => Some(0),
                _ => nearest(&block.term, &distances).map(|(rest, _)| rest + lengths[i]),
            };
            if distance.is_some() && distances[i].is_none_or(|known| distance < Some(known)) {
                distances[i] = distance;
                is_settled = false;
            }
        }
    }
    distances
}

/// The target that is nearest to the exit, and how far that is.
fn nearest(term: &Term, distances: &[Option<usize>]) -> Option<(usize, BlockId)> {
    let mut best: Option<(usize, BlockId)> = None;
    term.for_each_target(|target| {
        if let Some(distance) = distances[target.index()]
            && best.is_none_or(|(least, _)| distance < least)
        {
            best = Some((distance, target));
        }
    });
    best
}

/// Draws labels that differ from each other.
fn fill_labels(ctx: &EvalContext<'_>, term: &Term, holes: &mut [Option<i64>], rng: &mut Rng) {
    let Term::Switch { on, cases, .. } = term else { return };
    let ty = switch_ty(ctx.ty(*on));
    for (fill, _) in cases {
        let ConstOrHole::Hole(hole) = fill else { continue };
        if holes[hole.index()].is_some() {
            continue;
        }
        let is_taken = |value: i64, holes: &[Option<i64>]| {
            cases.iter().any(|(other, _)| match other {
                ConstOrHole::Const(label) => label.word() == value,
                ConstOrHole::Hole(other) => holes[other.index()] == Some(value),
            })
        };
        let mut value = choose_value(ty, 2, rng);
        while is_taken(value, holes) {
            value = ty.wrap(value.wrapping_add(1));
        }
        holes[hole.index()] = Some(value);
    }
}
