//! Running artifacts on targets, and saying what came of it.
//!
//! A *target* is a toolchain or engine with its settings; an [`Oracle`] runs artifacts of one
//! kind on targets of one kind and gives a [`Verdict`] with its [`Evidence`]. Only this crate
//! starts processes. That a target crashes, hangs or disagrees is a verdict; an error is only
//! what keeps the oracle itself from working.

pub mod c;
pub mod jvm;
mod oracle;
pub mod process;
mod scratch;
mod signature;
mod talk;
mod verdict;
mod version;
pub mod wasm;

pub use oracle::{Limits, Oracle, OracleError, Spent};
pub use scratch::sweep_scratch_folders;
pub use signature::Signature;
pub use verdict::{Disagreement, Evidence, Report, Verdict};
