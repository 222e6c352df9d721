//! Trees of intrinsics: operands of a sketch become compositions of the operators that compilers
//! have rules for.
//!
//! Optimizers match `abs`, three-way comparisons, bit counts, saturation and upper halves of
//! products by patterns, and a rule for one pattern may fire on another that looks like it. So the
//! operators are composed with each other, over few variables and the constants that rules are
//! special about. Sketches are made first and changed here, with a stream of their own: a function
//! without such trees is what it would be without this file.

use rand::RngExt;

use super::options::Language;
use super::{ExprKnobs, Sketch};
use pathsmith_symlang::choose::{choose_below, choose_bool, choose_share};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::{
    BinOp, Const, Expr, Function, OpUse, Place, PlaceForm, Stmt, Term, UnOp, ValueTy, VarRef,
    VarTy, WordTy,
};
use pathsmith_symlang::{BlockId, ExprId, HoleId, Rng, VarId};

/// The deepest tree (a guess: patterns of optimizers are two or three operators deep).
const MAX_DEPTH: u32 = 3;
/// The share of leaves that are constants (a guess).
const CONSTANTS: f64 = 0.35;
/// The share of leaves that are holes (a guess).
const HOLES: f64 = 0.1;
/// The share of inner nodes that are not intrinsics but join them: `&`, `select`, casts (a guess).
const JOINS: f64 = 0.25;
/// The share of trees that keep their values where a signed overflow is undefined (a guess): they
/// are often limits of their type, next to which sums overflow.
const UNTAMED: f64 = 0.1;

/// Makes trees of intrinsics of operands of a sketch that is to take `path`, as often as `knobs`
/// say. Operands that the path depends on stay as they are: counters, and what encoded decisions
/// read.
pub fn add_intrinsics(
    sketch: &mut Sketch,
    path: Option<&Path>,
    dialect: Dialect,
    knobs: &ExprKnobs,
    rng: &mut Rng,
) {
    let options = &knobs.sizes;
    if options.language == Language::Paper || !choose_share(options.intrinsics, rng) {
        return;
    }
    let sites = operands(sketch, path);
    if sites.is_empty() || options.intrinsic_operands == 0.0 {
        return;
    }
    // Small functions have few operands; one of them becomes a tree in any case.
    let first = choose_below(sites.len(), rng);
    let function = &mut sketch.program.functions[Sketch::FUNCTION.index()];
    let is_scalar = |var: &VarId| matches!(function.var(*var).ty, VarTy::Scalar(_));
    let scalars = (0..function.vars.len()).map(VarId::new).filter(is_scalar).collect();
    let types = options.types.iter().map(|ty| ty.widened()).collect();
    let n_holes = function.n_holes();
    let mut composer =
        Composer { function, dialect, types, scalars, vars: Vec::new(), n_holes, rng };
    for (at, (site, var)) in sites.into_iter().enumerate() {
        if choose_share(options.intrinsic_operands, composer.rng) || at == first {
            composer.replace(site, var);
        }
    }
}

/// The reads of scalars that may become trees, each with its variable.
pub(super) fn operands(sketch: &Sketch, path: Option<&Path>) -> Vec<(ExprId, VarId)> {
    let function = sketch.program.function(Sketch::FUNCTION);
    let mut found = Vec::new();
    for (at, block) in function.blocks.iter().enumerate() {
        let id = BlockId::new(at);
        if sketch.encoded.contains(&id) {
            continue;
        }
        for stmt in &block.stmts {
            let Stmt::Assign { place, value } = stmt;
            if !is_step(function, place, *value) {
                collect_reads(function, *value, &mut found);
            }
        }
        if let Term::If { cond, .. } = block.term
            && has_one_target(path, id)
        {
            collect_reads(function, cond, &mut found);
        }
    }
    found
}

/// Whether a statement counts: `c = c + ?s`.
fn is_step(function: &Function, place: &Place, value: ExprId) -> bool {
    let Expr::Binary(BinOp::Add, lhs, rhs) = function.expr(value) else { return false };
    matches!(function.expr(*lhs), Expr::Read(read) if read == place)
        && matches!(function.expr(*rhs), Expr::Hole(..))
}

/// Whether all visits of a block on the path lead to the same block.
pub(super) fn has_one_target(path: Option<&Path>, block: BlockId) -> bool {
    let Some(path) = path else { return true };
    let mut targets = path.steps().filter(|(from, _)| *from == block).map(|(_, to)| to);
    let first = targets.next();
    targets.all(|target| Some(target) == first)
}

/// Indices are left alone: they are made to be within bounds.
fn collect_reads(function: &Function, id: ExprId, found: &mut Vec<(ExprId, VarId)>) {
    match function.expr(id) {
        Expr::Read(place) => match place.form() {
            PlaceForm::Scalar(VarRef::Var(var)) => found.push((id, var)),
            PlaceForm::Scalar(VarRef::Global(_)) | PlaceForm::Element(..) => {}
        },
        Expr::Const(_) | Expr::Hole(..) | Expr::Call(..) => {}
        Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) | Expr::Cast(..) => {
            for operand in function.expr(id).operands() {
                collect_reads(function, operand, found);
            }
        }
    }
}

/// An operator that trees are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Intrinsic {
    Unary(UnOp),
    Binary(BinOp),
}

/// All of them, each as likely as the others.
fn intrinsics() -> Vec<Intrinsic> {
    let unary = UnOp::ALL.into_iter().filter(|op| op.is_used_to(OpUse::Intrinsic));
    let binary = BinOp::ALL.into_iter().filter(|op| op.is_used_to(OpUse::Intrinsic));
    unary.map(Intrinsic::Unary).chain(binary.map(Intrinsic::Binary)).collect()
}

struct Composer<'a> {
    function: &'a mut Function,
    dialect: Dialect,
    /// The types of operands, each as likely as it is listed often.
    types: Vec<WordTy>,
    scalars: Vec<VarId>,
    /// The few variables of the tree at hand.
    vars: Vec<VarId>,
    n_holes: usize,
    rng: &'a mut Rng,
}

impl Composer<'_> {
    /// Makes a tree of a read of `var`.
    fn replace(&mut self, site: ExprId, var: VarId) {
        let other = self.scalars[choose_below(self.scalars.len(), self.rng)];
        self.vars = vec![var, var, other];
        let ty = self.word_ty(var);
        let depth = self.rng.random_range(1..=MAX_DEPTH);
        let tree = self.tree(ty, depth);
        let root = match self.is_strict(ty) && !choose_bool(UNTAMED, self.rng) {
            true => self.tamed(ty, tree),
            false => tree,
        };
        // The site keeps its number, and the root is left without operands of its own.
        let zero = Expr::Const(Const::new(ty, 0));
        let expr = std::mem::replace(self.function.expr_mut(root), zero);
        *self.function.expr_mut(site) = expr;
    }

    /// Whether overflow is undefined.
    fn is_strict(&self, ty: WordTy) -> bool {
        ty.is_signed() && self.dialect == Dialect::C
    }

    /// A value of a tree that leaves room for sums.
    fn tamed(&mut self, ty: WordTy, tree: ExprId) -> ExprId {
        let half = ty.bits() / 2;
        let (op, bound) = match choose_below(3, self.rng) {
            0 => {
                let count = self.rng.random_range(half..ty.bits());
                (BinOp::Shr, self.constant(ty, count.into()))
            }
            1 => {
                let n_ones = self.rng.random_range(3..half);
                (BinOp::And, self.constant(ty, (1 << n_ones) - 1))
            }
            _ => (BinOp::Rem, self.hole(ty)),
        };
        self.binary(op, tree, bound)
    }

    fn tree(&mut self, ty: WordTy, depth: u32) -> ExprId {
        if depth == 0 {
            return self.leaf(ty);
        }
        if choose_bool(JOINS, self.rng) {
            return self.join(ty, depth);
        }
        let all = intrinsics();
        match all[choose_below(all.len(), self.rng)] {
            Intrinsic::Unary(op) => self.unary(op, ty, depth),
            Intrinsic::Binary(BinOp::Cmp) => {
                let of = if choose_bool(0.6, self.rng) { ty } else { self.choose_ty() };
                let (a, b) = self.operands(of, depth);
                let order = self.binary(BinOp::Cmp, a, b);
                self.convert(order, WordTy::I32, ty)
            }
            Intrinsic::Binary(op) => {
                let (a, b) = self.operands(ty, depth);
                self.binary(op, a, b)
            }
        }
    }

    fn unary(&mut self, op: UnOp, ty: WordTy, depth: u32) -> ExprId {
        let is_c = self.dialect == Dialect::C;
        let operand = match op {
            // Neither is defined of 0 in C; a bit that is always set sees to that.
            UnOp::Clz | UnOp::Ctz if is_c => {
                let operand = self.tree(ty, depth - 1);
                let bits = [1, ty.min() | 1, ty.max()][choose_below(3, self.rng)];
                let bits = self.constant(ty, bits);
                self.binary(BinOp::Or, operand, bits)
            }
            UnOp::Abs | UnOp::Neg if self.is_strict(ty) => self.above_min(ty, depth),
            UnOp::Clz | UnOp::Ctz | UnOp::Abs | UnOp::Neg => self.tree(ty, depth - 1),
            UnOp::Not | UnOp::Popcnt | UnOp::Bswap | UnOp::Bitrev => self.tree(ty, depth - 1),
            UnOp::Sqrt
            | UnOp::Floor
            | UnOp::Ceil
            | UnOp::Trunc
            | UnOp::Nearest
            | UnOp::Bits
            | UnOp::FromBits
            | UnOp::SatI32
            | UnOp::SatU32
            | UnOp::SatI64
            | UnOp::SatU64 => unreachable!("intrinsics are operators on integers"),
        };
        self.function.add_expr(Expr::Unary(op, operand))
    }

    /// An operand that is not the smallest value: a variable, which rarely holds it, or a tree that
    /// is kept from it.
    fn above_min(&mut self, ty: WordTy, depth: u32) -> ExprId {
        match choose_below(3, self.rng) {
            0 => self.variable(ty),
            1 => {
                let operand = self.tree(ty, depth - 1);
                let count = self.constant(ty, 1);
                self.binary(BinOp::Shr, operand, count)
            }
            _ => {
                let operand = self.tree(ty, depth - 1);
                let least = self.constant(ty, -ty.max());
                self.binary(BinOp::Max, operand, least)
            }
        }
    }

    /// Two operands, mostly a tree and a leaf, in either order.
    fn operands(&mut self, ty: WordTy, depth: u32) -> (ExprId, ExprId) {
        let tree = self.tree(ty, depth - 1);
        let other = match choose_bool(0.6, self.rng) {
            true => self.leaf(ty),
            false => self.tree(ty, depth - 1),
        };
        if choose_bool(0.5, self.rng) { (tree, other) } else { (other, tree) }
    }

    /// What joins intrinsics in the patterns that optimizers know.
    fn join(&mut self, ty: WordTy, depth: u32) -> ExprId {
        match choose_below(8, self.rng) {
            0 => self.unary(UnOp::Not, ty, depth),
            1 => self.unary(UnOp::Neg, ty, depth),
            kind @ 2..=4 => {
                let op = [BinOp::And, BinOp::Or, BinOp::Xor][kind - 2];
                let (a, b) = self.operands(ty, depth);
                self.binary(op, a, b)
            }
            5 => {
                let cond = self.comparison(depth);
                let (then, otherwise) = self.operands(ty, depth);
                self.function.add_expr(Expr::Select(cond, then, otherwise))
            }
            6 => {
                let comparison = self.comparison(depth);
                self.convert(comparison, WordTy::I32, ty)
            }
            _ => {
                let from = self.choose_ty();
                let tree = self.tree(from, depth - 1);
                self.convert(tree, from, ty)
            }
        }
    }

    fn comparison(&mut self, depth: u32) -> ExprId {
        const OPS: [BinOp; 6] = [BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge, BinOp::Eq, BinOp::Ne];
        let of = self.choose_ty();
        let (a, b) = self.operands(of, depth);
        let op = OPS[choose_below(OPS.len(), self.rng)];
        self.binary(op, a, b)
    }

    fn leaf(&mut self, ty: WordTy) -> ExprId {
        if choose_bool(CONSTANTS, self.rng) {
            let special = [0, -1, 1, ty.min(), ty.max()];
            let value = special[choose_below(special.len(), self.rng)];
            return self.constant(ty, value);
        }
        if choose_bool(HOLES, self.rng) {
            return self.hole(ty);
        }
        self.variable(ty)
    }

    fn variable(&mut self, ty: WordTy) -> ExprId {
        let var = self.vars[choose_below(self.vars.len(), self.rng)];
        let read = self.function.add_expr(Expr::Read(Place::scalar(VarRef::Var(var))));
        let from = self.word_ty(var);
        self.convert(read, from, ty)
    }

    /// The type that reading a variable yields. Sketches are made of integers.
    fn word_ty(&self, var: VarId) -> WordTy {
        match self.function.var(var).ty.cell_ty().widened() {
            ValueTy::Int(ty) => ty,
            ValueTy::Float(_) => unreachable!("sketches begin with integers alone"),
        }
    }

    fn choose_ty(&mut self) -> WordTy {
        self.types[choose_below(self.types.len(), self.rng)]
    }

    fn convert(&mut self, value: ExprId, from: WordTy, to: WordTy) -> ExprId {
        match from == to {
            true => value,
            false => self.function.add_expr(Expr::Cast(to.into(), value)),
        }
    }

    fn binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.function.add_expr(Expr::Binary(op, lhs, rhs))
    }

    fn constant(&mut self, ty: WordTy, value: i64) -> ExprId {
        self.function.add_expr(Expr::Const(Const::new(ty, ty.wrap(value))))
    }

    fn hole(&mut self, ty: WordTy) -> ExprId {
        let hole = HoleId::new(self.n_holes);
        self.n_holes += 1;
        self.function.add_expr(Expr::Hole(hole, ty.into()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::shape::{PathSampler, WalkOptions, random_cfg};
    use crate::sketch::{SketchOptions, sketch};
    use pathsmith_symlang::Seed;
    use pathsmith_symlang::lang::validate;

    /// A sketch before and after operands became trees.
    fn changed(seed: u64, dialect: Dialect, options: SketchOptions) -> (Sketch, Sketch) {
        let rng = &mut Seed::new(seed).rng();
        let cfg = random_cfg(&Default::default(), rng);
        let path = PathSampler::new(&cfg).path(&WalkOptions::default(), rng);
        let knobs = ExprKnobs { sizes: options, ..ExprKnobs::default() };
        let plain = sketch(&cfg, Some(&path), "f", dialect, &knobs, rng);
        let mut composed = plain.clone();
        let rng = &mut Seed::new(seed).child("intrinsics").rng();
        add_intrinsics(&mut composed, Some(&path), dialect, &knobs, rng);
        (plain, composed)
    }

    fn always() -> SketchOptions {
        SketchOptions { intrinsics: 1.0, intrinsic_operands: 0.5, ..SketchOptions::default() }
    }

    #[test]
    fn trees_are_made_of_all_intrinsics_and_leave_sketches_valid() {
        let mut seen = BTreeSet::new();
        for (seed, dialect) in (0..40).flat_map(|seed| Dialect::ALL.map(|d| (seed, d))) {
            let (plain, composed) = changed(seed, dialect, always());
            assert_ne!(plain, composed);
            assert_eq!(validate(&composed.program), []);
            composed.program.function(Sketch::FUNCTION).for_each_expr(|_, expr| match expr {
                Expr::Unary(op, _) => drop(seen.insert(Intrinsic::Unary(*op))),
                Expr::Binary(op, ..) => drop(seen.insert(Intrinsic::Binary(*op))),
                _ => {}
            });
        }
        let missing: Vec<_> = intrinsics().into_iter().filter(|op| !seen.contains(op)).collect();
        assert_eq!(missing, []);
    }

    #[test]
    fn a_share_of_zero_and_the_language_of_the_paper_change_nothing() {
        for options in [
            SketchOptions { intrinsics: 0.0, ..always() },
            SketchOptions { intrinsic_operands: 0.0, ..always() },
            SketchOptions { intrinsics: 1.0, intrinsic_operands: 1.0, ..SketchOptions::paper() },
        ] {
            let (plain, composed) = changed(3, Dialect::C, options);
            assert_eq!(plain, composed);
        }
    }

    /// Terminators that change direction, and the counters that they read, are what makes a sketch
    /// solvable.
    #[test]
    fn what_the_path_depends_on_stays() {
        let options = SketchOptions { intrinsic_operands: 1.0, ..always() };
        let mut n_kept = 0;
        for seed in 0..30 {
            let (plain, composed) = changed(seed, Dialect::C, options.clone());
            let text = |sketch: &Sketch| sketch.program.to_string();
            let (plain_text, composed_text) = (text(&plain), text(&composed));
            for (_, counter) in &plain.counters {
                let name = &plain.program.function(Sketch::FUNCTION).var(*counter).name;
                let step = format!("    {name} = {name} + ?s");
                let n_steps = |text: &str| text.matches(&step).count();
                assert_eq!(n_steps(&plain_text), n_steps(&composed_text));
                n_kept += n_steps(&plain_text);
            }
        }
        assert!(n_kept > 10, "{n_kept}");
    }
}
