//! Fewer signs.

use super::Edit;
use super::exprs::nodes;
use crate::size::small;
use pathsmith_edit::Facts;
use pathsmith_symlang::lang::{BinOp, Const, Expr, Function, Program, UnOp, ValueTy};
use pathsmith_symlang::{ExprId, FuncId};

/// Adds instead of subtracting something negative, and the other way round; negates instead of
/// multiplying by -1.
pub(super) fn dropped(program: &Program, facts: &Facts) -> Vec<Edit> {
    let of = |(id, expr): (FuncId, ExprId)| edits_of(program.function(id), id, expr);
    nodes(program, facts).into_iter().flat_map(of).collect()
}

fn edits_of(function: &Function, id: FuncId, expr: ExprId) -> Vec<Edit> {
    let mut edits = Vec::new();
    let Expr::Binary(op, lhs, rhs) = *function.expr(expr) else { return edits };
    let mut put = |new: Expr, negated: Option<(ExprId, Const)>| {
        edits.push(Edit::new(move |draft| {
            let function = draft.function(id);
            if let Some((at, constant)) = negated {
                *function.expr_mut(at) = Expr::Const(constant);
            }
            *function.expr_mut(expr) = new.clone();
        }));
    };
    match op {
        BinOp::Add | BinOp::Sub => {
            let opposite = if op == BinOp::Add { BinOp::Sub } else { BinOp::Add };
            if let Some(negated) = negated_factor(function, rhs) {
                put(Expr::Binary(opposite, lhs, rhs), Some(negated));
            }
            if op == BinOp::Add
                && let Some(negated) = negated_factor(function, lhs)
            {
                put(Expr::Binary(BinOp::Sub, rhs, lhs), Some(negated));
            }
            match (function.expr(lhs), function.expr(rhs)) {
                (_, Expr::Unary(UnOp::Neg, inner)) => {
                    put(Expr::Binary(opposite, lhs, *inner), None);
                }
                (Expr::Unary(UnOp::Neg, inner), _) if op == BinOp::Add => {
                    put(Expr::Binary(BinOp::Sub, rhs, *inner), None);
                }
                _ => {}
            }
        }
        BinOp::Mul => {
            for (factor, other) in [(rhs, lhs), (lhs, rhs)] {
                let is_one = |constant: Const| constant == small(constant.ty(), 1);
                if negative(function, factor).is_some_and(is_one) {
                    put(Expr::Unary(UnOp::Neg, other), None);
                }
            }
        }
        BinOp::Div | BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl => {}
        BinOp::Shr | BinOp::Rotl | BinOp::Rotr | BinOp::Min | BinOp::Max | BinOp::Mulh => {}
        BinOp::Addsat | BinOp::Subsat | BinOp::Copysign => {}
        BinOp::Cmp | BinOp::Eq | BinOp::Ne => {}
        BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {}
    }
    edits
}

/// A negative constant that is all of an expression or one of its factors, and its opposite.
fn negated_factor(function: &Function, expr: ExprId) -> Option<(ExprId, Const)> {
    let of = |at: ExprId| negative(function, at).map(|constant| (at, constant));
    match *function.expr(expr) {
        Expr::Binary(BinOp::Mul, lhs, rhs) => of(rhs).or_else(|| of(lhs)),
        Expr::Const(_) => of(expr),
        Expr::Binary(..) | Expr::Unary(..) | Expr::Read(_) | Expr::Hole(..) => None,
        Expr::Select(..) | Expr::Cast(..) | Expr::Call(..) => None,
    }
}

/// The opposite of a negative constant.
fn negative(function: &Function, expr: ExprId) -> Option<Const> {
    let Expr::Const(constant) = function.expr(expr) else { return None };
    let word = constant.word();
    let opposite = match constant.ty() {
        ValueTy::Int(ty) => (ty.is_signed() && word < 0 && word != ty.min()).then(|| -word),
        // The only NaN has no sign.
        ValueTy::Float(ty) => {
            let value = ty.value(word);
            value.is_sign_negative().then(|| ty.word(-value))
        }
    };
    opposite.map(|word| Const::new(constant.ty(), word))
}
