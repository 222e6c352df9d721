//! Arbitrary expressions with floating-point numbers.

use super::exprs::Scope;
use super::values::choose_float_ty;
use pathsmith_symlang::ExprId;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{
    BinOp, Expr, FloatTy, IntTy, Place, ResultTy, UnOp, ValueTy, VarRef, VarTy, WordTy,
};

impl Scope<'_> {
    /// Draws a floating-point expression that nests at most `depth` deep, which is not 0.
    pub(super) fn float_expr(&mut self, ty: FloatTy, depth: usize) -> ExprId {
        let depth = depth - 1;
        let expr = match choose_below(20, self.rng) {
            0..=2 => {
                let same = |op: &UnOp| op.takes(ty.into()) && op.result() == ResultTy::Same;
                let ops: Vec<UnOp> = UnOp::ALL.into_iter().filter(same).collect();
                let op = ops[choose_below(ops.len(), self.rng)];
                Expr::Unary(op, self.expr(ty.into(), depth))
            }
            3 => {
                let cond = self.condition();
                let then = self.expr(ty.into(), depth);
                Expr::Select(cond, then, self.expr(ty.into(), depth))
            }
            4..=6 => self.conversion_to_float(ty, depth),
            7 => match self.call(ty.into(), depth) {
                Some(call) => call,
                None => self.conversion_to_float(ty, depth),
            },
            8 => {
                let magnitude = self.expr(ty.into(), depth);
                Expr::Binary(BinOp::Copysign, magnitude, self.with_bits(ty, depth))
            }
            _ => {
                use BinOp::{Add, Div, Max, Min, Mul, Sub};
                const OPS: [BinOp; 11] = [Add, Add, Add, Sub, Sub, Sub, Mul, Mul, Div, Min, Max];
                let op = OPS[choose_below(OPS.len(), self.rng)];
                let lhs = self.expr(ty.into(), depth);
                Expr::Binary(op, lhs, self.expr(ty.into(), depth))
            }
        };
        self.function.add_expr(expr)
    }

    /// An integer, or a number of the other type, as a number of this type; or one with the bits of
    /// an integer.
    fn conversion_to_float(&mut self, ty: FloatTy, depth: usize) -> Expr {
        if choose_bool(0.15, self.rng) {
            let as_wide = |word: &WordTy| word.bits() == ty.bits();
            let words: Vec<WordTy> = WordTy::ALL.into_iter().filter(as_wide).collect();
            let word = words[choose_below(words.len(), self.rng)];
            return Expr::Unary(UnOp::FromBits, self.expr(word.into(), depth));
        }
        let is_other = |from: &ValueTy| *from != ValueTy::Float(ty);
        let others: Vec<ValueTy> = ValueTy::ALL.into_iter().filter(is_other).collect();
        let from = others[choose_below(others.len(), self.rng)];
        Expr::Cast(ty.into(), self.expr(from, depth))
    }

    /// Draws an integer that is made of floating-point numbers; `depth` is not 0.
    pub(super) fn int_of_float(&mut self, ty: WordTy, depth: usize) -> ExprId {
        let depth = depth - 1;
        let from = choose_float_ty(self.rng);
        let (saturating, has_bits) = match ty {
            WordTy::I32 => (UnOp::SatI32, None),
            WordTy::U32 => (UnOp::SatU32, Some(FloatTy::F32)),
            WordTy::I64 => (UnOp::SatI64, None),
            WordTy::U64 => (UnOp::SatU64, Some(FloatTy::F64)),
        };
        let expr = match (choose_below(10, self.rng), has_bits) {
            (0..=2, Some(from)) => Expr::Unary(UnOp::Bits, self.with_bits(from, depth)),
            (0..=4, _) => Expr::Unary(saturating, self.expr(from.into(), depth)),
            _ => {
                let to = self.choose_stored(ty);
                Expr::Cast(to.into(), self.in_range(from, to, depth))
            }
        };
        self.function.add_expr(expr)
    }

    /// An operand whose bits are used: mostly one that is no NaN.
    fn with_bits(&mut self, ty: FloatTy, depth: usize) -> ExprId {
        if choose_bool(0.2, self.rng) {
            return self.expr(ty.into(), depth);
        }
        self.guarded(ty, |scope, [a, b, _]| scope.function.add_expr(Expr::Binary(BinOp::Eq, a, b)))
    }

    /// A number that an integer type has, mostly: most others are wrong for a conversion.
    fn in_range(&mut self, ty: FloatTy, to: IntTy, depth: usize) -> ExprId {
        let word = to.widened();
        let (least, beyond) = match word.is_signed() {
            true => (-2_f64.powi(word.bits() as i32 - 1), 2_f64.powi(word.bits() as i32 - 1)),
            false => (0.0, 2_f64.powi(word.bits() as i32)),
        };
        // The number below: what fraction it may have is dropped.
        let (least, most) = (ty.word(least), ty.word(beyond) - 1);
        match choose_below(10, self.rng) {
            0 => self.expr(ty.into(), depth),
            1..=4 => {
                let operand = self.expr(ty.into(), depth);
                let most = self.constant(ty, most);
                let below = self.function.add_expr(Expr::Binary(BinOp::Min, operand, most));
                let least = self.constant(ty, least);
                self.function.add_expr(Expr::Binary(BinOp::Max, below, least))
            }
            _ => self.guarded(ty, |scope, [a, b, _]| {
                let least = scope.constant(ty, least);
                let above = scope.function.add_expr(Expr::Binary(BinOp::Ge, a, least));
                let most = scope.constant(ty, most);
                let below = scope.function.add_expr(Expr::Binary(BinOp::Le, b, most));
                scope.function.add_expr(Expr::Binary(BinOp::And, above, below))
            }),
        }
    }

    /// A variable where a condition of it holds, else a small number; a small number alone if there
    /// is no variable.
    fn guarded(
        &mut self,
        ty: FloatTy,
        condition: impl FnOnce(&mut Self, [ExprId; 3]) -> ExprId,
    ) -> ExprId {
        let small = choose_below(9, self.rng) as f64 / 2.0;
        let small = self.constant(ty, ty.word(small));
        let Some((var, VarTy::Scalar(_))) = self.variable(ty.into()) else { return small };
        let reads = [(); 3].map(|()| self.read(var));
        let cond = condition(self, reads);
        self.function.add_expr(Expr::Select(cond, reads[2], small))
    }

    fn read(&mut self, var: VarRef) -> ExprId {
        self.function.add_expr(Expr::Read(Place::scalar(var)))
    }
}
