//! Random values for factors, tried before the whole question.
//!
//! What makes a question hard is products of two unknowns. A path leaves most factors free, so
//! with random ones in place it usually stays possible, and becomes linear.

use rand::RngExt;

use crate::choose::{choose_below, choose_bool};
use crate::ids::HoleId;
use crate::lang::{BinOp, Expr, StorageTy};
use crate::seed::Rng;
use crate::solve::{Model, Task};

/// The holes that stand right beside `* / %`, a shift or a rotation, and how they are used.
pub(super) fn factors(task: &Task<'_>) -> Vec<(HoleId, StorageTy, BinOp)> {
    let function = task.program.function(task.function);
    let mut factors = Vec::new();
    function.for_each_expr(|_, expr| {
        use BinOp::{Div, Mul, Rem, Rotl, Rotr, Shl, Shr};
        if let Expr::Binary(op @ (Mul | Div | Rem | Shl | Shr | Rotl | Rotr), lhs, rhs) = expr {
            for operand in [*lhs, *rhs] {
                if let Expr::Hole(hole, ty) = function.expr(operand) {
                    factors.push((*hole, (*ty).into(), *op));
                }
            }
        }
    });
    factors
}

/// `partial` with random values for a share of the factors.
pub(super) fn hinted(
    partial: &Model,
    factors: &[(HoleId, StorageTy, BinOp)],
    share: f64,
    rng: &mut Rng,
) -> Model {
    let mut model = partial.clone();
    for (hole, ty, op) in factors {
        if model.hole(*hole).is_none() && choose_bool(share, rng) {
            if model.holes.len() <= hole.index() {
                model.holes.resize(hole.index() + 1, None);
            }
            model.holes[hole.index()] = Some(choose_factor(*ty, *op, rng));
        }
    }
    model
}

fn choose_factor(ty: StorageTy, op: BinOp, rng: &mut Rng) -> i64 {
    match op {
        BinOp::Shl | BinOp::Shr | BinOp::Rotl | BinOp::Rotr => {
            choose_below(ty.bits() as usize, rng) as i64
        }
        _ => {
            let size = [3, 3, 10, 1000][choose_below(4, rng)];
            let value = rng.random_range(1..=size);
            ty.wrap(if choose_bool(0.5, rng) { -value } else { value })
        }
    }
}
