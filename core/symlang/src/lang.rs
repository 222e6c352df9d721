//! SYMLANG: types, operators, functions and programs; their text form; their rules.
//!
//! The language is described, with its grammar and its rules, in `docs/symlang.md`.

mod calls;
mod expr;
mod function;
mod gate;
pub mod limits;
mod ops;
mod program;
pub mod text;
mod types;
mod validate;

pub use calls::Calls;
pub use expr::{Expr, Operands, Place, VarRef};
pub use function::{Block, Fill, Function, Realization, Return, Stmt, Term, Var};
pub use gate::Gate;
pub use ops::{BinOp, COMPARISON_PRECEDENCE, Spelling, UnOp};
pub use program::{HolePlace, Program, by_function_name, by_var_name};
pub use types::{ArithTy, Const, StorageTy, VarTy};
pub use validate::{Location, Rule, Violation, validate};
