//! Expressions that policies ask for: pairs, updates, and what was there before.

use super::Sketcher;
use pathsmith_symlang::choose::{choose_below, choose_bool, choose_share};
use pathsmith_symlang::lang::{
    BinOp, Expr, Place, PlaceForm, Stmt, ValueTy, VarRef, VarTy, WordTy,
};
use pathsmith_symlang::{ExprId, VarId};

/// How many expressions are remembered.
const N_REMEMBERED: usize = 12;

/// The few variables that patterns are made of.
#[derive(Clone, Debug, Default)]
pub(super) struct Favourites {
    /// Those that are multiplied with a coefficient.
    pub(super) strides: Vec<VarId>,
    /// Those that products are added to.
    pub(super) bases: Vec<VarId>,
}

impl Favourites {
    pub(super) fn all(&self) -> impl Iterator<Item = VarId> {
        self.strides.iter().chain(&self.bases).copied()
    }
}

/// What an expression that is repeated has other than before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Nothing,
    Sign,
    Coefficient,
    Variable,
}

impl Sketcher<'_> {
    /// Chooses the variables that patterns are made of: inputs, as long as there are any.
    pub(super) fn choose_favourites(&mut self) {
        if self.knobs.pair_share == 0.0 && self.knobs.update_share == 0.0 {
            return;
        }
        let is_plain = |var: &VarId| {
            let ty = &self.function.var(*var).ty;
            matches!(ty, VarTy::Scalar(_)) && !self.is_counter(*var)
        };
        let scalars: Vec<VarId> =
            (0..self.function.vars.len()).map(VarId::new).filter(is_plain).collect();
        let (inputs, locals): (Vec<VarId>, Vec<VarId>) =
            scalars.into_iter().partition(|var| var.index() < self.function.n_params);
        let has_seeds = self.knobs.constant_seeds && locals.len() >= 2;
        let n_wanted = if has_seeds { locals.len() } else { inputs.len() }.clamp(2, 4);
        let scalars = if has_seeds { locals } else { [inputs, locals].concat() };
        let n = n_wanted.min(scalars.len());
        let n_strides = if n > 2 && choose_bool(0.3, self.rng) { 2 } else { 1 };
        let (strides, bases) = scalars[..n].split_at(n_strides.min(n));
        self.favourites.strides = strides.to_vec();
        self.favourites.bases = if bases.is_empty() { strides } else { bases }.to_vec();
    }

    fn read_as(&mut self, var: VarId, ty: WordTy) -> ExprId {
        let read = self.read_scalar(var);
        let from = self.word_ty(var);
        self.convert(read, from, ty)
    }

    /// Whether the next expression is a pair.
    pub(super) fn wants_pair(&mut self) -> bool {
        !self.favourites.strides.is_empty() && choose_share(self.knobs.pair_share, self.rng)
    }

    /// `b + ?k * a`, in either order, sometimes with a coefficient on both.
    pub(super) fn pair(&mut self, ty: WordTy) -> ExprId {
        let Favourites { strides, bases } = &self.favourites;
        let stride = strides[choose_below(strides.len(), self.rng)];
        let base = bases[choose_below(bases.len(), self.rng)];
        let factor = self.hole(ty);
        let read = self.read_as(stride, ty);
        let product = self.binary(BinOp::Mul, read, factor);
        let mut other = self.read_as(base, ty);
        if choose_bool(0.2, self.rng) {
            let factor = match (choose_bool(0.5, self.rng), self.function.expr(factor).clone()) {
                (true, Expr::Hole(hole, ty)) => self.function.add_expr(Expr::Hole(hole, ty)),
                _ => self.hole(ty),
            };
            other = self.binary(BinOp::Mul, other, factor);
        }
        let op = if choose_bool(0.8, self.rng) { BinOp::Add } else { BinOp::Sub };
        match choose_bool(0.7, self.rng) {
            true => self.binary(op, other, product),
            false => self.binary(op, product, other),
        }
    }

    /// Whether the next statement updates a variable.
    pub(super) fn wants_update(&mut self) -> bool {
        !self.favourites.bases.is_empty() && choose_share(self.knobs.update_share, self.rng)
    }

    /// A variable that is updated, and one that it is updated with, which mostly stays as it is.
    fn choose_two(&mut self) -> (VarId, VarId) {
        let Favourites { strides, bases } = &self.favourites;
        let base = bases[choose_below(bases.len(), self.rng)];
        let stride = strides[choose_below(strides.len(), self.rng)];
        if choose_bool(0.9, self.rng) { (base, stride) } else { (stride, base) }
    }

    /// What decides where variables are updated: one of them, or the sum or the difference of two.
    pub(super) fn updated_sum(&mut self) -> (ExprId, WordTy) {
        let (var, other) = self.choose_two();
        let ty = self.word_ty(var);
        let sum = self.read_scalar(var);
        if choose_bool(0.6, self.rng) {
            return (sum, ty);
        }
        let other = self.read_as(other, ty);
        let op = if choose_bool(0.5, self.rng) { BinOp::Add } else { BinOp::Sub };
        (self.binary(op, sum, other), ty)
    }

    /// `v = v + w + ?c`, in either order.
    pub(super) fn update(&mut self) -> Stmt {
        let (target, other) = self.choose_two();
        let ty = self.word_ty(target);
        let own = self.read_as(target, ty);
        let other = self.read_as(other, ty);
        let op = if choose_bool(0.85, self.rng) { BinOp::Add } else { BinOp::Sub };
        let sum = match choose_bool(0.5, self.rng) {
            true => self.binary(op, own, other),
            false => self.binary(op, other, own),
        };
        let hole = self.hole(ty);
        let value = self.binary(BinOp::Add, sum, hole);
        Stmt::Assign { place: Place::scalar(VarRef::Var(target)), value }
    }

    /// Keeps an expression, to be repeated.
    pub(super) fn remember(&mut self, id: ExprId, ty: WordTy) {
        if self.knobs.repeat_share == 0.0 {
            return;
        }
        if self.remembered.len() == N_REMEMBERED {
            let at = choose_below(N_REMEMBERED, self.rng);
            self.remembered.swap_remove(at);
        }
        self.remembered.push((id, ty));
    }

    /// An earlier expression of this type, as it was or with one change, if one is to be repeated.
    pub(super) fn repeated(&mut self, ty: WordTy) -> Option<ExprId> {
        if !choose_share(self.knobs.repeat_share, self.rng) {
            return None;
        }
        let fitting: Vec<ExprId> =
            self.remembered.iter().filter(|(_, known)| *known == ty).map(|(id, _)| *id).collect();
        if fitting.is_empty() {
            return None;
        }
        let id = fitting[choose_below(fitting.len(), self.rng)];
        const CHANGES: [Change; 6] = [
            Change::Nothing,
            Change::Nothing,
            Change::Nothing,
            Change::Sign,
            Change::Coefficient,
            Change::Variable,
        ];
        let mut change = CHANGES[choose_below(CHANGES.len(), self.rng)];
        Some(self.copy(id, &mut change))
    }

    /// A copy with the same holes, but for one change, which is made where it first can be.
    fn copy(&mut self, id: ExprId, change: &mut Change) -> ExprId {
        let expr = match self.function.expr(id).clone() {
            Expr::Hole(_, ValueTy::Int(ty)) if *change == Change::Coefficient => {
                *change = Change::Nothing;
                return self.hole(ty);
            }
            Expr::Read(place) => Expr::Read(match place.form() {
                PlaceForm::Scalar(VarRef::Var(var)) if *change == Change::Variable => {
                    *change = Change::Nothing;
                    Place::scalar(VarRef::Var(self.sibling(var)))
                }
                PlaceForm::Scalar(_) => place,
                PlaceForm::Element(var, index) => {
                    Place::element(var, self.copy(index, &mut Change::Nothing))
                }
            }),
            Expr::Unary(op, operand) => Expr::Unary(op, self.copy(operand, change)),
            Expr::Cast(to, operand) => Expr::Cast(to, self.copy(operand, change)),
            Expr::Binary(mut op, lhs, rhs) => {
                if *change == Change::Sign && matches!(op, BinOp::Add | BinOp::Sub) {
                    *change = Change::Nothing;
                    op = if op == BinOp::Add { BinOp::Sub } else { BinOp::Add };
                }
                let lhs = self.copy(lhs, change);
                Expr::Binary(op, lhs, self.copy(rhs, change))
            }
            Expr::Select(cond, then, otherwise) => {
                let cond = self.copy(cond, change);
                let then = self.copy(then, change);
                Expr::Select(cond, then, self.copy(otherwise, change))
            }
            leaf @ (Expr::Const(_) | Expr::Hole(..) | Expr::Call(..)) => leaf,
        };
        self.function.add_expr(expr)
    }

    /// Another variable that an expression of the same type can read, if there is one.
    fn sibling(&mut self, var: VarId) -> VarId {
        let ty = self.word_ty(var);
        for _ in 0..4 {
            let other = VarId::new(choose_below(self.function.vars.len(), self.rng));
            let is_array = self.function.var(other).ty.is_array();
            if other != var && !is_array && self.word_ty(other) == ty {
                return other;
            }
        }
        var
    }
}
