//! Expressions: side-effect-free trees, kept in a vector.

use super::ops::{BinOp, UnOp};
use super::place::{Place, Projection};
use super::types::{Const, ScalarTy, ValueTy};
use crate::ids::{ExprId, FuncId, HoleId};

/// A node of an expression. Operands are nodes of the same [`Function`](super::Function).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A constant.
    Const(Const),
    /// A constant that is still to be found, and its type.
    Hole(HoleId, ValueTy),
    /// The value of a place, widened.
    Read(Place),
    /// An operator with one operand.
    Unary(UnOp, ExprId),
    /// An operator with two operands of one type.
    Binary(BinOp, ExprId, ExprId),
    /// `select(cond, then, otherwise)`: both are evaluated, one is the value.
    Select(ExprId, ExprId, ExprId),
    /// What a load of a cell of this type yields after the operand was stored to it.
    Cast(ScalarTy, ExprId),
    /// What a function returns.
    Call(FuncId, Box<[ExprId]>),
}

impl Expr {
    /// The operands, in order of evaluation.
    #[inline]
    pub fn operands(&self) -> Operands<'_> {
        match self {
            Self::Const(_) | Self::Hole(..) => Operands::few([None; 3]),
            Self::Read(place) => {
                Operands { projections: place.projections().iter(), ..Operands::few([None; 3]) }
            }
            Self::Unary(_, a) | Self::Cast(_, a) => Operands::few([Some(*a), None, None]),
            Self::Binary(_, a, b) => Operands::few([Some(*a), Some(*b), None]),
            Self::Select(a, b, c) => Operands::few([Some(*a), Some(*b), Some(*c)]),
            Self::Call(_, args) => Operands { args: args.iter(), ..Operands::few([None; 3]) },
        }
    }

    /// Calls `change` on each operand, in order of evaluation.
    pub fn for_each_operand_mut(&mut self, mut change: impl FnMut(&mut ExprId)) {
        match self {
            Self::Const(_) | Self::Hole(..) => {}
            Self::Read(place) => place.for_each_index_mut(change),
            Self::Unary(_, a) | Self::Cast(_, a) => change(a),
            Self::Binary(_, a, b) => [a, b].into_iter().for_each(change),
            Self::Select(a, b, c) => [a, b, c].into_iter().for_each(change),
            Self::Call(_, args) => args.iter_mut().for_each(change),
        }
    }
}

/// An iterator over the operands of an expression.
#[derive(Clone, Debug)]
pub struct Operands<'a> {
    few: std::iter::Flatten<std::array::IntoIter<Option<ExprId>, 3>>,
    projections: std::slice::Iter<'a, Projection>,
    args: std::slice::Iter<'a, ExprId>,
}

impl Operands<'_> {
    #[inline]
    fn few(few: [Option<ExprId>; 3]) -> Self {
        Self { few: few.into_iter().flatten(), projections: [].iter(), args: [].iter() }
    }
}

impl Iterator for Operands<'_> {
    type Item = ExprId;

    #[inline]
    fn next(&mut self) -> Option<ExprId> {
        if let Some(operand) = self.few.next() {
            return Some(operand);
        }
        if let Some(Projection::Index(index)) = self.projections.next() {
            return Some(*index);
        }
        self.args.next().copied()
    }
}
