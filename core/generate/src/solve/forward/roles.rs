//! What a hole is there for, which says what values are worth trying.

use pathsmith_symlang::lang::{BinOp, Expr, Function, PlaceForm, Stmt, ValueTy};
use pathsmith_symlang::{ExprId, HoleId};

use super::eval_context::EvalContext;

/// What a hole is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HoleRole {
    /// Something is added to it, compared with it or chosen from it.
    Plain,
    /// Something is multiplied with it.
    Coefficient,
    /// Something is divided by it.
    Divisor,
    /// Something is shifted or rotated by it, so many bits wide.
    Count(u32),
    /// Its bits are combined with others.
    Mask,
    /// It bounds an index: with `&`, a mask below the length; as itself, an index.
    Index(u32),
    /// An index is taken modulo it, for an array of this length.
    IndexDivisor(u32),
}

/// A hole of an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct HoleSite {
    pub(super) hole: HoleId,
    pub(super) ty: ValueTy,
    pub(super) role: HoleRole,
}

/// The holes of an expression, each with its role.
pub(super) fn collect(ctx: &EvalContext<'_>, root: ExprId, out: &mut Vec<HoleSite>) {
    collect_as(ctx, root, HoleRole::Plain, out);
}

/// The holes of a statement, each with its role.
pub(super) fn collect_stmt(ctx: &EvalContext<'_>, stmt: &Stmt, out: &mut Vec<HoleSite>) {
    let Stmt::Assign { place, value } = stmt;
    if let PlaceForm::Element(var, index) = place.form() {
        collect_index(ctx, index, ctx.cells(var).len, out);
    }
    collect(ctx, *value, out);
}

/// The holes of an index of an array of `len` elements.
fn collect_index(ctx: &EvalContext<'_>, root: ExprId, len: u32, out: &mut Vec<HoleSite>) {
    collect_as(ctx, root, HoleRole::Index(len), out);
}

fn collect_as(ctx: &EvalContext<'_>, id: ExprId, role: HoleRole, out: &mut Vec<HoleSite>) {
    match ctx.function.expr(id) {
        Expr::Const(_) => {}
        Expr::Hole(hole, ty) => out.push(HoleSite { hole: *hole, ty: *ty, role }),
        Expr::Read(place) => match place.form() {
            PlaceForm::Scalar(_) => {}
            PlaceForm::Element(var, index) => collect_index(ctx, index, ctx.cells(var).len, out),
        },
        Expr::Unary(_, operand) | Expr::Cast(_, operand) => {
            collect_as(ctx, *operand, HoleRole::Plain, out);
        }
        Expr::Binary(op, lhs, rhs) => {
            let width = ctx.ty(*lhs).bits();
            let (left, right) = match (op, role) {
                (BinOp::And, HoleRole::Index(len)) => (HoleRole::Plain, HoleRole::Index(len)),
                (BinOp::Rem, HoleRole::Index(len)) => {
                    (HoleRole::Plain, HoleRole::IndexDivisor(len))
                }
                (BinOp::Mul, _) => (HoleRole::Coefficient, HoleRole::Coefficient),
                (BinOp::Div | BinOp::Rem, _) => (HoleRole::Plain, HoleRole::Divisor),
                (BinOp::Shl | BinOp::Shr | BinOp::Rotl | BinOp::Rotr, _) => {
                    (HoleRole::Plain, HoleRole::Count(width))
                }
                // Of a product's upper half, small factors leave nothing but the sign.
                (BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Mulh, _) => {
                    (HoleRole::Mask, HoleRole::Mask)
                }
                (BinOp::Add | BinOp::Sub | BinOp::Min | BinOp::Max, _)
                | (BinOp::Addsat | BinOp::Subsat | BinOp::Cmp | BinOp::Copysign, _)
                | (BinOp::Eq | BinOp::Ne, _)
                | (BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, _) => {
                    (HoleRole::Plain, HoleRole::Plain)
                }
            };
            collect_as(ctx, *lhs, left, out);
            collect_as(ctx, *rhs, right, out);
        }
        Expr::Select(cond, then, otherwise) => {
            for operand in [cond, then, otherwise] {
                collect_as(ctx, *operand, HoleRole::Plain, out);
            }
        }
        Expr::Call(_, args) => {
            args.iter().for_each(|arg| collect_as(ctx, *arg, HoleRole::Plain, out))
        }
    }
}

/// A hole that is added to the rest of an expression, or subtracted from it: whatever the rest
/// is, it can put the whole on any value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Additive {
    pub(super) hole: HoleId,
    pub(super) negated: bool,
}

/// The last hole of a sum, if there is one.
pub(super) fn additive(function: &Function, id: ExprId) -> Option<Additive> {
    match function.expr(id) {
        Expr::Hole(hole, _) => Some(Additive { hole: *hole, negated: false }),
        Expr::Binary(BinOp::Add, lhs, rhs) => {
            additive(function, *rhs).or_else(|| additive(function, *lhs))
        }
        Expr::Binary(BinOp::Sub, lhs, rhs) => {
            let negated = |found: Additive| Additive { negated: !found.negated, ..found };
            additive(function, *rhs).map(negated).or_else(|| additive(function, *lhs))
        }
        _ => None,
    }
}
