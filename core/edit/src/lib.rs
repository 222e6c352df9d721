//! Changing programs safely.
//!
//! A [`Draft`] takes several edits and applies them at once; [`Facts`] are what the interpreter has
//! seen of a program; [`settled`] runs all realizations of an edited program and writes down what
//! they do now.

mod draft;
mod facts;
mod reach;
mod recompute;
mod trace;

pub use draft::{Draft, Finished, compact, for_each_operand_mut, for_each_var_mut, places};
pub use facts::{Facts, FunctionFacts, Seen};
pub use reach::Reach;
pub use recompute::{is_valid, set_output, settled};
