//! Expressions: side-effect-free trees, kept in a vector.

use super::ops::{BinOp, UnOp};
use super::types::{Const, IntTy, WordTy};
use crate::ids::{ExprId, FuncId, GlobalId, HoleId, VarId};

/// A node of an expression. Operands are nodes of the same [`Function`](super::Function).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A constant.
    Const(Const),
    /// A constant that is still to be found, and its type.
    Hole(HoleId, WordTy),
    /// The value of a variable or element, widened.
    Read(Place),
    /// An operator with one operand.
    Unary(UnOp, ExprId),
    /// An operator with two operands of one type.
    Binary(BinOp, ExprId, ExprId),
    /// `select(cond, then, otherwise)`: both are evaluated, one is the value.
    Select(ExprId, ExprId, ExprId),
    /// The operand modulo 2^bits, widened again.
    Cast(IntTy, ExprId),
    /// What a function returns.
    Call(FuncId, Box<[ExprId]>),
}

/// What can be read and assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A scalar variable.
    Scalar(VarRef),
    /// An element of an array.
    Element(VarRef, ExprId),
}

/// A variable that a function can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VarRef {
    /// One of its own.
    Var(VarId),
    /// One of the program's.
    Global(GlobalId),
}

impl Place {
    /// The variable that is read or assigned, whole or in part.
    pub const fn var(self) -> VarRef {
        match self {
            Self::Scalar(var) | Self::Element(var, _) => var,
        }
    }

    /// The variable, to be exchanged for another.
    pub const fn var_mut(&mut self) -> &mut VarRef {
        match self {
            Self::Scalar(var) | Self::Element(var, _) => var,
        }
    }

    /// The index, where it is an element.
    pub const fn index(self) -> Option<ExprId> {
        match self {
            Self::Scalar(_) => None,
            Self::Element(_, index) => Some(index),
        }
    }
}

impl Expr {
    /// The operands, in order of evaluation.
    pub fn operands(&self) -> Operands<'_> {
        let (few, rest): ([Option<ExprId>; 3], &[ExprId]) = match self {
            Self::Const(_) | Self::Hole(..) => ([None; 3], &[]),
            Self::Read(place) => ([place.index(), None, None], &[]),
            Self::Unary(_, a) | Self::Cast(_, a) => ([Some(*a), None, None], &[]),
            Self::Binary(_, a, b) => ([Some(*a), Some(*b), None], &[]),
            Self::Select(a, b, c) => ([Some(*a), Some(*b), Some(*c)], &[]),
            Self::Call(_, args) => ([None; 3], args),
        };
        few.into_iter().flatten().chain(rest.iter().copied())
    }
}

/// An iterator over the operands of an expression.
pub type Operands<'a> = std::iter::Chain<
    std::iter::Flatten<std::array::IntoIter<Option<ExprId>, 3>>,
    std::iter::Copied<std::slice::Iter<'a, ExprId>>,
>;
