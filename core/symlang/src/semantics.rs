//! Meaning: one table of operators, three dialects, one interpreter.
//!
//! [`table`] says what every operator gives and which [`Hazard`](crate::dialect::Hazard)s its operands can run into;
//! [`Dialect::definedness`](crate::dialect::Dialect::definedness) says what a hazard means in a target language; [`Machine`] runs programs by
//! both. Whatever else has to know what a program means asks these.

pub mod checksum;
mod code;
pub mod eval;
mod machine;
mod outcome;
pub mod table;

pub use code::Code;
pub use machine::{Limits, Machine, Observer, Visit};
pub use outcome::{Fault, Outcome, ProgramPoint};
