//! Running artifacts on targets: verdicts with their evidence.
//!
//! A *target* is a toolchain or engine with its [`Setting`]; an [`Oracle`] runs artifacts of one
//! kind on targets of one kind and returns a [`Verdict`] with its [`Evidence`]. Only this crate
//! starts processes. A target that crashes, hangs or miscompiles is a verdict; an error is only
//! what keeps the oracle itself from working. Oracles also say what causes a finding ([`Triage`]),
//! so that findings are deduplicated by their [`Signature`].

pub mod c;
mod coverage;
mod crash;
pub mod jvm;
mod launch;
mod nonce;
mod oracle;
mod pathsmith_binary;
pub mod process;
mod scratch;
mod search;
pub mod seconds;
mod session;
pub mod setting;
mod shell;
mod shown;
mod signature;
mod verdict;
mod version;
pub mod wasm;

pub use coverage::{Covered, covered_edges};
pub use launch::{Launch, TargetSpec, distinct_name};
pub use oracle::{Limits, Oracle, OracleError, Spent, StepError};
pub use pathsmith_binary::{BinaryError, LoweredFiles, PathsmithBinary, Product};
pub use scratch::sweep_scratch_folders;
pub use setting::Setting;
pub use shell::{shell_command, shell_exports, shell_quoted};
pub use shown::{is_hidden, shown_line, shown_lines};
pub use signature::{Signature, SuppressingFlag, Triage};
pub use verdict::{Disagreement, Evidence, Observed, Report, Verdict};
