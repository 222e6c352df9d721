//! SYMLANG: types, operators, functions and programs; their text form; their rules.
//!
//! The language is described, with its grammar and its rules, in `docs/symlang.md`.

mod calls;
mod expr;
mod function;
pub mod limits;
mod ops;
mod program;
mod recursion_guard;
pub mod text;
mod types;
mod validate;

pub use calls::Calls;
pub use expr::{Expr, Operands, Place, VarRef};
pub use function::{Block, ConstOrHole, Function, Realization, Return, Stmt, Term, Var};
pub use ops::{BinOp, COMPARISON_PRECEDENCE, Notation, UnOp};
pub use program::{HoleLocation, Program, by_function_name, by_var_name};
pub use recursion_guard::RecursionGuard;
pub use types::{Const, IntTy, VarTy, WordTy};
pub use validate::{Location, Rule, Violation, validate};
