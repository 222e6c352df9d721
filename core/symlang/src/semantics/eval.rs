//! The meaning of one expression node: what everything but the interpreter evaluates with.
//!
//! The interpreter is made to be fast and runs flattened instructions. Whoever needs the values of
//! expressions themselves (the forward engine, which has holes, and tracing, which keeps every
//! value) walks the tree, and says by an [`Env`] where operands, cells, holes and calls come from.

use super::table::{self, Meaning};
use crate::dialect::HazardSet;
use crate::ids::{ExprId, FuncId, HoleId};
use crate::lang::{Expr, ExprTypes, Place};

/// Where an expression finds what it is made of.
pub trait Env {
    /// Why there may be no value.
    type Error;

    /// The word of an operand.
    fn operand(&mut self, id: ExprId) -> Result<i64, Self::Error>;

    /// The word in the cell of a place.
    fn read(&mut self, place: &Place) -> Result<i64, Self::Error>;

    /// The word for a hole.
    fn hole(&mut self, hole: HoleId) -> Result<i64, Self::Error>;

    /// The word that a call returns.
    fn call(&mut self, callee: FuncId, args: &[ExprId]) -> Result<i64, Self::Error>;
}

/// The word of an expression, and the hazards that its operator ran into.
///
/// # Errors
/// Those of the environment.
#[inline(always)]
pub fn evaluate<E: Env>(expr: &Expr, types: &ExprTypes, env: &mut E) -> Result<Meaning, E::Error> {
    let word = match expr {
        Expr::Const(constant) => constant.word(),
        Expr::Hole(hole, _) => env.hole(*hole)?,
        Expr::Read(place) => env.read(place)?,
        Expr::Unary(op, a) => return Ok(table::unary(*op, types.of(*a), env.operand(*a)?)),
        Expr::Binary(op, a, b) => {
            let ty = types.of(*a);
            let (a, b) = (env.operand(*a)?, env.operand(*b)?);
            return Ok(table::binary(*op, ty, a, b));
        }
        Expr::Select(cond, then, otherwise) => {
            let cond = env.operand(*cond)?;
            let (then, otherwise) = (env.operand(*then)?, env.operand(*otherwise)?);
            if cond != 0 { then } else { otherwise }
        }
        Expr::Cast(to, operand) => {
            let from = types.of(*operand);
            return Ok(table::cast(from, *to, env.operand(*operand)?));
        }
        Expr::Call(callee, args) => env.call(*callee, args)?,
    };
    Ok(Meaning { word, hazards: HazardSet::NONE })
}
