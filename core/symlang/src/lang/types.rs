//! Types, and values with their types.

mod float;
mod int;
mod scalar;
mod var;

pub use float::{FloatError, FloatTy};
pub use int::{IntTy, WordTy};
pub use scalar::{Const, Scalar, ScalarError, ScalarTy, UnknownTy, UntypedScalar, ValueTy};
pub use var::VarTy;
