//! SYMLANG: types, operators, functions and programs; their text form; their rules.
//!
//! The language is described, with its grammar and its rules, in `docs/symlang.md`.

mod calls;
mod convert;
pub mod effects;
mod expr;
mod expr_types;
mod function;
mod layout;
pub mod limits;
mod names;
mod ops;
mod place;
mod program;
mod recursion_guard;
pub mod text;
mod types;
mod validate;

pub use calls::Calls;
pub use expr::{Expr, Operands};
pub use expr_types::ExprTypes;
pub use function::{Block, ConstOrHole, Ending, Function, Realization, Return, Stmt, Term, Var};
pub use layout::{Cells, GlobalLayout, Layout};
pub use names::function_name;
pub(crate) use ops::with_operators;
pub use ops::{
    BinOp, COMPARISON_PRECEDENCE, Comparison, Notation, OpUse, OperandClass, ResultTy, UnOp,
};
pub use place::{Base, Place, PlaceForm, Projection, VarRef};
pub use program::{HoleLocation, Program};
pub use recursion_guard::RecursionGuard;
pub use types::{
    Const, FloatError, FloatTy, IntTy, Scalar, ScalarError, ScalarTy, UnknownTy, UntypedScalar,
    ValueTy, VarTy, WordTy,
};
pub use validate::{Location, Rule, Violation, validate, validate_changed};
