//! Floating-point numbers in sketches: variables, statements, conditions and operands.
//!
//! Sketches are made of integers first, and changed here with a stream of their own: a function
//! without floating-point numbers is what it would be without this file. Nothing but conversions to
//! integers is undefined on them, and these are made such that no operand is out of range; so what
//! is inserted never stands in the way of a path, apart from conditions.

mod exprs;

use rand::RngExt;

use self::exprs::Composer;
use super::exprs::HOT;
use super::intrinsics::{has_one_target, operands};
use super::{ExprKnobs, ORDERS, Sketch};
use pathsmith_edit::for_each_var_mut;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::{
    BinOp, ConstOrHole, Expr, FloatTy, Function, Place, Stmt, Term, ValueTy, Var, VarRef, VarTy,
};
use pathsmith_symlang::{BlockId, HoleId, Rng, VarId};

/// The share of operands that become integers made of floating-point numbers (a guess).
const OPERANDS: f64 = 0.2;
/// The share of conditions with one direction that compare floating-point numbers (a guess).
const CONDITIONS: f64 = 0.4;
/// The share of counted loops that are left by a floating-point counter (a guess).
const COUNTERS: f64 = 0.3;
/// Length of the longest array.
const MAX_ARRAY_LEN: u32 = 8;

/// Puts floating-point numbers into a sketch that is to take `path`, or any if none is given, if the
/// function is to have some.
pub fn add_floats(
    sketch: &mut Sketch,
    path: Option<&Path>,
    dialect: Dialect,
    knobs: &ExprKnobs,
    rng: &mut Rng,
) {
    if !knobs.has_floats {
        return;
    }
    let types = choose_types(rng);
    declare(sketch, &types, rng);
    let sites = operands(sketch, path);
    let visits = n_visits(sketch.program.function(Sketch::FUNCTION), path);
    let Sketch { program, encoded, counters, .. } = sketch;
    let function = &mut program.functions[Sketch::FUNCTION.index()];
    let mut composer = Composer::new(function, dialect, types, knobs, rng);
    if !sites.is_empty() {
        let first = choose_below(sites.len(), composer.rng);
        for (at, (site, var)) in sites.into_iter().enumerate() {
            if choose_bool(OPERANDS, composer.rng) || at == first {
                composer.replace_operand(site, var);
            }
        }
    }
    for (at, n_visits) in visits.into_iter().enumerate() {
        let block = BlockId::new(at);
        let is_inner = at > 0 && !matches!(composer.function.block(block).term, Term::Return(_));
        if is_inner {
            for _ in 0..choose_below(3, composer.rng) {
                let stmt = composer.statement(n_visits >= HOT);
                composer.insert(block, stmt);
            }
        }
        if encoded.contains(&block) {
            continue;
        }
        let is_counted = counters.iter().any(|(counted, _)| *counted == block);
        if is_counted && is_inner && choose_bool(COUNTERS, composer.rng) {
            composer.count(block);
        } else if has_one_target(path, block) && choose_bool(CONDITIONS, composer.rng) {
            composer.condition(block, first_target(path, block));
        }
    }
}

/// One type, or both.
fn choose_types(rng: &mut Rng) -> Vec<FloatTy> {
    match choose_below(3, rng) {
        0 => vec![FloatTy::F32],
        1 => vec![FloatTy::F64],
        _ => FloatTy::ALL.to_vec(),
    }
}

/// Declares parameters behind those that are there, and locals behind all others.
fn declare(sketch: &mut Sketch, types: &[FloatTy], rng: &mut Rng) {
    let function = &mut sketch.program.functions[Sketch::FUNCTION.index()];
    let n_params = function.n_params;
    let choose_ty = |rng: &mut Rng| types[choose_below(types.len(), rng)];
    let params: Vec<Var> = (0..rng.random_range(1..=2_usize))
        .map(|i| {
            let ty = VarTy::scalar(choose_ty(rng));
            Var { name: format!("x{i}"), ty, init: Vec::new() }
        })
        .collect();
    let n_new = params.len();
    for_each_var_mut(function, |var| {
        if let VarRef::Var(id) = var
            && id.index() >= n_params
        {
            *id = VarId::new(id.index() + n_new);
        }
    });
    function.vars.splice(n_params..n_params, params);
    function.n_params += n_new;
    for i in 0..rng.random_range(1..=3_usize) {
        let ty = VarTy::scalar(choose_ty(rng));
        local(function, format!("y{i}"), ty);
    }
    if choose_bool(0.3, rng) {
        let len = rng.random_range(1..=MAX_ARRAY_LEN);
        let ty = VarTy::array(choose_ty(rng), len);
        local(function, "z0".to_owned(), ty);
    }
    sketch.params_inserted(n_params, n_new);
}

/// Declares a local that begins with holes.
fn local(function: &mut Function, name: String, ty: VarTy) {
    let first = function.n_holes();
    let holes = first..first + ty.n_cells();
    let init = holes.map(|hole| ConstOrHole::Hole(HoleId::new(hole))).collect();
    function.vars.push(Var { name, ty, init });
}

/// How often a path visits each block.
fn n_visits(function: &Function, path: Option<&Path>) -> Vec<usize> {
    let mut visits = vec![0; function.blocks.len()];
    for block in path.into_iter().flat_map(Path::blocks) {
        visits[block.index()] += 1;
    }
    visits
}

/// Where a path leads from a block, if it visits it.
fn first_target(path: Option<&Path>, block: BlockId) -> Option<BlockId> {
    path?.steps().find(|(from, _)| *from == block).map(|(_, to)| to)
}

impl Composer<'_> {
    /// An assignment to a floating-point variable.
    fn statement(&mut self, hot: bool) -> Stmt {
        let var = self.floats[choose_below(self.floats.len(), self.rng)];
        let ty = self.float_ty(var);
        let place = match self.function.var(var).ty {
            VarTy::Scalar(_) => Place::scalar(VarRef::Var(var)),
            VarTy::Array(_, len) => Place::element(VarRef::Var(var), self.index(len)),
        };
        Stmt::Assign { place, value: self.value(ty, hot) }
    }

    /// Puts a statement anywhere in a block.
    fn insert(&mut self, block: BlockId, stmt: Stmt) {
        let stmts = &mut self.function.blocks[block.index()].stmts;
        let at = choose_below(stmts.len() + 1, self.rng);
        stmts.insert(at, stmt);
    }

    /// Lets a counter of the block's own decide where it leads.
    fn count(&mut self, block: BlockId) {
        let Term::If { then, otherwise, .. } = self.function.block(block).term else { return };
        let ty = self.choose_ty();
        let name = format!("t{}", block.index());
        let init = vec![ConstOrHole::Hole(HoleId::new(self.n_holes))];
        self.n_holes += 1;
        self.function.vars.push(Var { name, ty: VarTy::scalar(ty), init });
        let counter = VarId::new(self.function.vars.len() - 1);
        let place = Place::scalar(VarRef::Var(counter));
        let read = self.function.add_expr(Expr::Read(place.clone()));
        let step = self.hole(ty.into());
        let value = self.binary(BinOp::Add, read, step);
        self.insert(block, Stmt::Assign { place: place.clone(), value });
        let read = self.function.add_expr(Expr::Read(place));
        let scaled = match choose_below(4, self.rng) {
            0 => {
                let factor = self.hole(ty.into());
                self.binary(BinOp::Mul, read, factor)
            }
            1 => {
                let other = self.parameter(ty);
                self.binary(BinOp::Add, read, other)
            }
            _ => read,
        };
        let threshold = self.hole(ty.into());
        let op = ORDERS[choose_below(ORDERS.len(), self.rng)];
        let cond = self.binary(op, scaled, threshold);
        self.function.blocks[block.index()].term = Term::If { cond, then, otherwise };
    }

    /// Lets floating-point numbers decide where a block leads that always leads to `target`.
    fn condition(&mut self, block: BlockId, target: Option<BlockId>) {
        let Term::If { then, otherwise, .. } = self.function.block(block).term else { return };
        let ty = self.choose_ty();
        let cond = match choose_below(10, self.rng) {
            0 if self.is_unordered => {
                self.is_number(ty, target.is_none_or(|target| target == then))
            }
            kind => {
                let sum = self.sum_of_input(ty);
                let other = self.hole(ty.into());
                let op = ORDERS[choose_below(ORDERS.len(), self.rng)];
                let (lhs, rhs) = if kind < 8 { (sum, other) } else { (other, sum) };
                let comparison = self.binary(op, lhs, rhs);
                // The contrary of a comparison is none where there is a NaN.
                match choose_bool(if self.is_unordered { 0.5 } else { 0.1 }, self.rng) {
                    true => {
                        let zero = self.constant(ValueTy::CONDITION, 0);
                        self.binary(BinOp::Eq, comparison, zero)
                    }
                    false => comparison,
                }
            }
        };
        self.function.blocks[block.index()].term = Term::If { cond, then, otherwise };
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::shape::{PathSampler, WalkOptions, random_cfg};
    use crate::sketch::sketch;
    use pathsmith_symlang::Seed;
    use pathsmith_symlang::lang::{UnOp, validate};

    /// A sketch before and after there were floating-point numbers in it.
    fn changed(seed: u64, dialect: Dialect, has_floats: bool) -> (Sketch, Sketch) {
        let rng = &mut Seed::new(seed).rng();
        let cfg = random_cfg(&Default::default(), rng);
        let path = PathSampler::new(&cfg).path(&WalkOptions::default(), rng);
        let knobs = ExprKnobs { has_floats, round_trip_share: 0.2, ..ExprKnobs::default() };
        let plain = sketch(&cfg, Some(&path), "f", dialect, &knobs, rng);
        let mut changed = plain.clone();
        let rng = &mut Seed::new(seed).child("floats").rng();
        add_floats(&mut changed, Some(&path), dialect, &knobs, rng);
        (plain, changed)
    }

    #[test]
    fn sketches_with_floats_are_valid_and_use_all_their_operators() {
        let mut seen = BTreeSet::new();
        for (seed, dialect) in (0..60).flat_map(|seed| Dialect::ALL.map(|d| (seed, d))) {
            let (plain, changed) = changed(seed, dialect, true);
            assert_ne!(plain, changed);
            assert_eq!(validate(&changed.program), [], "{}", changed.program);
            let function = changed.program.function(Sketch::FUNCTION);
            function.for_each_expr(|_, expr| {
                let (op, on) = match expr {
                    Expr::Unary(op, on) => (format!("{op:?}"), *on),
                    Expr::Binary(op, on, _) => (format!("{op:?}"), *on),
                    Expr::Cast(to, on) => (to.to_string(), *on),
                    Expr::Const(_)
                    | Expr::Hole(..)
                    | Expr::Read(_)
                    | Expr::Select(..)
                    | Expr::Call(..) => return,
                };
                seen.insert((op, changed.program.expr_ty(function, on)));
            });
        }
        for on in FloatTy::ALL.map(ValueTy::Float) {
            let unary = UnOp::ALL.into_iter().filter(|op| op.takes(on)).map(|op| format!("{op:?}"));
            let binary =
                BinOp::ALL.into_iter().filter(|op| op.takes(on)).map(|op| format!("{op:?}"));
            for op in unary.chain(binary) {
                assert!(seen.contains(&(op.clone(), on)), "{op} of {on}");
            }
        }
    }

    #[test]
    fn without_floats_nothing_changes() {
        let (plain, changed) = changed(3, Dialect::C, false);
        assert_eq!(plain, changed);
    }
}
