//! An encoder of class files.
//!
//! [`ClassBuilder`] is a class in the making, with a [`ConstantPool`] that keeps one copy of
//! everything. [`CodeBuilder`] is the code of a method: it knows the types on the operand stack
//! at every point, so that `max_stack` is exact and every label gets its StackMapTable frame.
//! [`listing`] reads the bytes of a class again, for people.
//!
//! ```
//! use pathsmith_backend_jvm::classfile::{ClassBuilder, Flags, Op, listing};
//!
//! let mut class = ClassBuilder::new("Example", Flags::PUBLIC);
//! let (mut code, params) = class.static_code("(I)I");
//! code.load(params[0]);
//! code.push_int(1);
//! code.op(Op::Iadd);
//! code.op(Op::Ireturn);
//! let code = code.finish("next")?;
//! class.method(Flags::PUBLIC | Flags::STATIC, "next", "(I)I", code);
//! let bytes = class.finish()?;
//! assert!(listing(&bytes)?.contains("iadd"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod builder;
mod code;
mod descriptor;
mod frame;
mod listing;
mod op;
mod pool;
mod reader;

pub use builder::{ClassBuilder, Comment, Flags};
pub use code::{Code, CodeBuilder, Label, Local};
pub use descriptor::{Descriptor, class_of};
pub use frame::VerificationType;
pub use listing::{commented_listing, listing};
pub use op::{Cond, Op};
pub use pool::ConstantPool;
pub use reader::ReadError;

use thiserror::Error;

/// What is larger than a class file can hold.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{what}: {actual} is more than {limit}")]
pub struct TooLarge {
    /// What is too large.
    pub what: String,
    /// How large it is.
    pub actual: usize,
    /// How large it may be.
    pub limit: usize,
}

impl TooLarge {
    /// Complains if `actual` is more than `limit`.
    fn check(actual: usize, limit: usize, what: impl FnOnce() -> String) -> Result<(), Self> {
        if actual <= limit { Ok(()) } else { Err(Self { what: what(), actual, limit }) }
    }
}

/// The largest number in two bytes.
const MAX_U16: usize = u16::MAX as usize;
