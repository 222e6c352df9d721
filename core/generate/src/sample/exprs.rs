//! Arbitrary expressions.

use super::new_hole;
use super::values::{Types, choose_int_storage, choose_scalar, choose_word_ty};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{
    BinOp, Const, Expr, Function, IntTy, Place, Program, ResultTy, UnOp, ValueTy, VarRef, VarTy,
    WordTy,
};
use pathsmith_symlang::{ExprId, FuncId, GlobalId, VarId};

/// What expressions of a function may use. Functions of `program` come before this one, so calls
/// end.
pub(super) struct Scope<'a> {
    pub(super) program: &'a Program,
    pub(super) types: Types,
    pub(super) function: &'a mut Function,
    pub(super) rng: &'a mut Rng,
    pub(super) holes: f64,
    pub(super) n_holes: &'a mut usize,
}

impl Scope<'_> {
    /// Draws an expression of type `ty` that nests at most `depth` deep.
    pub(super) fn expr(&mut self, ty: ValueTy, depth: usize) -> ExprId {
        if depth == 0 || choose_bool(0.25, self.rng) {
            return self.leaf(ty, depth);
        }
        match ty {
            ValueTy::Int(ty) => self.int_expr(ty, depth),
            ValueTy::Float(ty) => self.float_expr(ty, depth),
        }
    }

    fn int_expr(&mut self, word: WordTy, depth: usize) -> ExprId {
        if self.types.has_floats && choose_bool(0.15, self.rng) {
            return self.int_of_float(word, depth);
        }
        let ty = ValueTy::Int(word);
        let expr = match choose_below(20, self.rng) {
            0 => {
                let same = |op: &UnOp| op.takes(ty) && op.result() == ResultTy::Same;
                let ops: Vec<UnOp> = UnOp::ALL.into_iter().filter(same).collect();
                let op = ops[choose_below(ops.len(), self.rng)];
                Expr::Unary(op, self.expr(ty, depth - 1))
            }
            2 => {
                let cond = self.condition();
                let then = self.expr(ty, depth - 1);
                Expr::Select(cond, then, self.expr(ty, depth - 1))
            }
            3 => self.cast(word, depth - 1),
            4 => match self.call(ty, depth - 1) {
                Some(call) => call,
                None => self.cast(word, depth - 1),
            },
            5 if word == WordTy::I32 => self.comparison(depth - 1),
            6 if word == WordTy::I32 => self.order(depth - 1),
            _ => {
                let op = self.binary_op();
                let lhs = self.expr(ty, depth - 1);
                Expr::Binary(op, lhs, self.right_operand(op, word, depth - 1))
            }
        };
        self.function.add_expr(expr)
    }

    /// Draws a condition, mostly a comparison.
    pub(super) fn condition(&mut self) -> ExprId {
        if choose_bool(0.2, self.rng) {
            return self.expr(ValueTy::CONDITION, 2);
        }
        let comparison = self.comparison(2);
        self.function.add_expr(comparison)
    }

    /// Draws an index for an array of `len` elements, in bounds more often than not.
    pub(super) fn index(&mut self, len: u32) -> ExprId {
        let ty = choose_word_ty(self.rng);
        match choose_below(20, self.rng) {
            0 => self.expr(ty.into(), 1),
            1..=7 => {
                let ty = ty.unsigned();
                let any = self.expr(ty.into(), 2);
                let len = self.constant(ty, len.into());
                self.function.add_expr(Expr::Binary(BinOp::Rem, any, len))
            }
            _ => {
                let index = choose_below(len as usize, self.rng);
                self.constant(ty, index as i64)
            }
        }
    }

    pub(super) fn constant(&mut self, ty: impl Into<ValueTy>, value: i64) -> ExprId {
        self.function.add_expr(Expr::Const(Const::new(ty, value)))
    }

    /// Draws an operator; those that are always defined, and `+` and `-`, more often.
    fn binary_op(&mut self) -> BinOp {
        use BinOp::{Add, And, Div, Max, Min, Mul, Or, Rem, Rotl, Rotr, Shl, Shr, Sub, Xor};
        use BinOp::{Addsat, Mulh, Subsat};
        const OPS: [BinOp; 21] = [
            Add, Add, Add, Sub, Sub, Sub, And, Or, Xor, Min, Max, Rotl, Rotr, Mul, Div, Rem, Shl,
            Shr, Mulh, Addsat, Subsat,
        ];
        OPS[choose_below(OPS.len(), self.rng)]
    }

    /// Draws what stands to the right of `op`: for operators that most values are wrong for,
    /// mostly a constant that is not.
    fn right_operand(&mut self, op: BinOp, ty: WordTy, depth: usize) -> ExprId {
        let harmless = match op {
            BinOp::Div | BinOp::Rem => 1 + choose_below(100, self.rng),
            BinOp::Shl | BinOp::Shr => choose_below(ty.bits() as usize, self.rng),
            BinOp::Add | BinOp::Sub | BinOp::Mul => return self.expr(ty.into(), depth),
            BinOp::And
            | BinOp::Or
            | BinOp::Xor
            | BinOp::Rotl
            | BinOp::Rotr
            | BinOp::Min
            | BinOp::Max
            | BinOp::Mulh
            | BinOp::Addsat
            | BinOp::Subsat
            | BinOp::Copysign
            | BinOp::Cmp => {
                return self.expr(ty.into(), depth);
            }
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                return self.expr(ty.into(), depth);
            }
        };
        if choose_bool(0.1, self.rng) {
            return self.expr(ty.into(), depth);
        }
        self.constant(ty, harmless as i64)
    }

    pub(super) fn comparison(&mut self, depth: usize) -> Expr {
        let comparisons = BinOp::ALL.into_iter().filter(|op| op.is_comparison());
        let comparisons: Vec<BinOp> = comparisons.collect();
        let op = comparisons[choose_below(comparisons.len(), self.rng)];
        let ty = self.types.choose_value_ty(self.rng);
        let lhs = self.expr(ty, depth);
        Expr::Binary(op, lhs, self.expr(ty, depth))
    }

    /// A three-way comparison.
    fn order(&mut self, depth: usize) -> Expr {
        let ty = ValueTy::Int(choose_word_ty(self.rng));
        let lhs = self.expr(ty, depth);
        Expr::Binary(BinOp::Cmp, lhs, self.expr(ty, depth))
    }

    /// A cast to a type that widens to `ty`.
    fn cast(&mut self, ty: WordTy, depth: usize) -> Expr {
        let from = choose_word_ty(self.rng);
        let to = self.choose_stored(ty);
        Expr::Cast(to.into(), self.expr(from.into(), depth))
    }

    /// A type that widens to `ty`.
    pub(super) fn choose_stored(&mut self, ty: WordTy) -> IntTy {
        let to = choose_int_storage(self.rng);
        if to.widened() == ty { to } else { IntTy::from(ty) }
    }

    pub(super) fn call(&mut self, ty: ValueTy, depth: usize) -> Option<Expr> {
        let candidates: Vec<FuncId> = self
            .program
            .functions_with_ids()
            .filter(|(_, function)| function.ret == ty && !function.writes_global())
            .map(|(id, _)| id)
            .collect();
        if candidates.is_empty() {
            return None;
        }
        let callee = candidates[choose_below(candidates.len(), self.rng)];
        let params: Vec<ValueTy> = self
            .program
            .function(callee)
            .params()
            .iter()
            .map(|param| param.ty.cell_ty().widened())
            .collect();
        let args = params.into_iter().map(|param| self.expr(param, depth.min(1))).collect();
        Some(Expr::Call(callee, args))
    }

    fn leaf(&mut self, ty: ValueTy, depth: usize) -> ExprId {
        if choose_bool(0.6, self.rng)
            && let Some((var, var_ty)) = self.variable(ty)
        {
            let place = match var_ty {
                VarTy::Scalar(_) => Some(Place::scalar(var)),
                VarTy::Array(_, len) if depth > 0 => Some(Place::element(var, self.index(len))),
                VarTy::Array(..) => None,
            };
            if let Some(place) = place {
                return self.function.add_expr(Expr::Read(place));
            }
        }
        if choose_bool(self.holes, self.rng) {
            let hole = new_hole(self.n_holes);
            return self.function.add_expr(Expr::Hole(hole, ty));
        }
        let value = choose_scalar(ty.stored_as(), self.rng);
        self.constant(ty, value.word())
    }

    /// Draws a variable whose values widen to `ty`.
    pub(super) fn variable(&mut self, ty: ValueTy) -> Option<(VarRef, VarTy)> {
        let own = self.function.vars.iter().enumerate();
        let own = own.map(|(i, var)| (VarRef::Var(VarId::new(i)), var.ty.clone()));
        let globals = self.program.globals.iter().enumerate();
        let globals = globals.map(|(i, var)| (VarRef::Global(GlobalId::new(i)), var.ty.clone()));
        let fitting = own.chain(globals).filter(|(_, var)| var.cell_ty().widened() == ty);
        let fitting: Vec<(VarRef, VarTy)> = fitting.collect();
        (!fitting.is_empty()).then(|| fitting[choose_below(fitting.len(), self.rng)].clone())
    }
}
