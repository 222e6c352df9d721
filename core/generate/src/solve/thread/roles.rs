//! What a hole is there for, which says what values are worth trying.

use pathsmith_symlang::lang::{BinOp, Expr, Function, Place, WordTy};
use pathsmith_symlang::{ExprId, HoleId};

use super::scene::Scene;

/// What a hole is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
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
    pub(super) ty: WordTy,
    pub(super) role: Role,
}

/// The holes of an expression, each with its role.
pub(super) fn collect(scene: &Scene<'_>, root: ExprId, out: &mut Vec<HoleSite>) {
    collect_as(scene, root, Role::Plain, out);
}

/// The holes of an index of an array of `len` elements.
pub(super) fn collect_index(scene: &Scene<'_>, root: ExprId, len: u32, out: &mut Vec<HoleSite>) {
    collect_as(scene, root, Role::Index(len), out);
}

fn collect_as(scene: &Scene<'_>, id: ExprId, role: Role, out: &mut Vec<HoleSite>) {
    match scene.function.expr(id) {
        Expr::Const(_) | Expr::Read(Place::Scalar(_)) => {}
        Expr::Hole(hole, ty) => out.push(HoleSite { hole: *hole, ty: *ty, role }),
        Expr::Read(Place::Element(var, index)) => {
            let len = scene.program.var(scene.function, *var).ty.n_cells() as u32;
            collect_index(scene, *index, len, out);
        }
        Expr::Unary(_, operand) | Expr::Cast(_, operand) => {
            collect_as(scene, *operand, Role::Plain, out);
        }
        Expr::Binary(op, lhs, rhs) => {
            let width = scene.ty(*lhs).bits();
            let (left, right) = match (op, role) {
                (BinOp::And, Role::Index(len)) => (Role::Plain, Role::Index(len)),
                (BinOp::Rem, Role::Index(len)) => (Role::Plain, Role::IndexDivisor(len)),
                (BinOp::Mul, _) => (Role::Coefficient, Role::Coefficient),
                (BinOp::Div | BinOp::Rem, _) => (Role::Plain, Role::Divisor),
                (BinOp::Shl | BinOp::Shr | BinOp::Rotl | BinOp::Rotr, _) => {
                    (Role::Plain, Role::Count(width))
                }
                (BinOp::And | BinOp::Or | BinOp::Xor, _) => (Role::Mask, Role::Mask),
                _ => (Role::Plain, Role::Plain),
            };
            collect_as(scene, *lhs, left, out);
            collect_as(scene, *rhs, right, out);
        }
        Expr::Select(cond, then, otherwise) => {
            for operand in [cond, then, otherwise] {
                collect_as(scene, *operand, Role::Plain, out);
            }
        }
        Expr::Call(_, args) => {
            args.iter().for_each(|arg| collect_as(scene, *arg, Role::Plain, out))
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
