//! Running artifacts on targets, and saying what came of it.
//!
//! A *target* is a toolchain or engine with its settings; an [`Oracle`] runs artifacts of one
//! kind on targets of one kind and gives a [`Verdict`] with its [`Evidence`]. Only this crate
//! starts processes. That a target crashes, hangs or disagrees is a verdict; an error is only
//! what keeps the oracle itself from working. Oracles also say what a finding comes from
//! ([`Triage`]), so that findings with one [`Signature`] can be looked at together.

pub mod c;
mod crash;
pub mod jvm;
mod oracle;
pub mod process;
mod scratch;
mod search;
mod session;
pub mod setting;
mod signature;
mod verdict;
mod version;
pub mod wasm;

pub use oracle::{Limits, Oracle, OracleError, Spent, StepError};
pub use scratch::sweep_scratch_folders;
pub use setting::Setting;
pub use signature::{Signature, Triage};
pub use verdict::{Disagreement, Evidence, Report, Verdict};
