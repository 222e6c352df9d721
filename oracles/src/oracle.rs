//! The trait that runs artifacts.

use std::fmt::Debug;
use std::io;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::verdict::Report;

/// Runs artifacts of one kind on targets of one kind.
///
/// A run keeps within its [`Limits`], takes down every process that it started, and leaves
/// nothing behind. Whatever the target does is reported as a verdict: a run never panics and
/// never returns an error because of it. A verdict against a target names every
/// realization that is known to show it, and has evidence that lets a person see it without this
/// oracle. To run each of them again, alone, is up to the caller, who can make another artifact.
pub trait Oracle {
    /// What is run: what a backend makes.
    type Artifact;

    /// What it is run on: a toolchain or engine, with its version and settings. It can be saved,
    /// so that what was found on it can be run again.
    type Target: Clone + Debug + Serialize + DeserializeOwned;

    /// The targets that are on this machine.
    ///
    /// # Errors
    /// If looking for them fails; that there are none is no error.
    fn targets(&self) -> Result<Vec<Self::Target>, OracleError>;

    /// Runs `artifact` on `target`.
    ///
    /// # Errors
    /// If the oracle cannot work, whatever the target: no room for its files, for example.
    fn run(
        &mut self,
        artifact: &Self::Artifact,
        target: &Self::Target,
        limits: &Limits,
    ) -> Result<Report, OracleError>;
}

/// What a run may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The time for compiling, in seconds.
    pub compile_time: u64,
    /// The time for running what was compiled, in seconds.
    pub run_time: u64,
    /// The memory of each process, in bytes.
    pub memory: u64,
    /// What a process may write to its standard output and error, in bytes.
    pub output: u64,
    /// What a process may write to files, in bytes.
    pub files: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { compile_time: 60, run_time: 20, memory: 4 << 30, output: 1 << 20, files: 256 << 20 }
    }
}

/// The CPU time of targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spent {
    /// Compiling.
    #[serde(rename = "compile_seconds", alias = "compile", with = "crate::seconds")]
    pub compile: Duration,
    /// Linking.
    #[serde(rename = "link_seconds", alias = "link", with = "crate::seconds")]
    pub link: Duration,
    /// Running what was compiled.
    #[serde(rename = "run_seconds", alias = "run", with = "crate::seconds")]
    pub run: Duration,
    /// Our own code in the targets' processes.
    #[serde(rename = "overhead_seconds", alias = "overhead", with = "crate::seconds")]
    pub overhead: Duration,
    /// How many times something was compiled.
    pub n_compilations: u64,
}

impl Spent {
    /// Adds up.
    pub fn add(&mut self, other: &Self) {
        self.compile += other.compile;
        self.link += other.link;
        self.run += other.run;
        self.overhead += other.overhead;
        self.n_compilations += other.n_compilations;
    }
}

/// Why an oracle cannot work.
#[derive(Debug, Error)]
pub enum OracleError {
    /// A file or process of the oracle's own failed.
    #[error("{what}: {source}")]
    Io {
        /// What was to be done.
        what: String,
        /// Why it could not be.
        #[source]
        source: io::Error,
    },
    /// A target that was asked for cannot be used.
    #[error("the target {name} cannot be used: {why}")]
    Target {
        /// The target.
        name: String,
        /// Why not.
        why: String,
    },
    /// A target does not work, so that nothing it says is a result.
    #[error("the target {name} does not work: {why}")]
    Unavailable {
        /// The target.
        name: String,
        /// Why not.
        why: String,
    },
    /// It was stopped on request.
    #[error("stopped")]
    Stopped,
}

/// Why a step of a run is its last: there is a verdict, or the oracle cannot work.
#[derive(Debug, Error)]
pub enum StepError {
    /// The verdict is known before the run is over.
    #[error("{}", .0.verdict)]
    Verdict(Box<Report>),
    /// The oracle cannot work.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

impl StepError {
    /// The report of a run that ends here.
    ///
    /// # Errors
    /// If the oracle cannot work.
    pub fn into_report(self) -> Result<Report, OracleError> {
        match self {
            Self::Verdict(report) => Ok(*report),
            Self::Oracle(error) => Err(error),
        }
    }
}

impl From<Report> for StepError {
    fn from(report: Report) -> Self {
        Self::Verdict(Box::new(report))
    }
}

impl OracleError {
    /// A file or process of the oracle's own that failed.
    pub fn io(what: impl Into<String>, source: io::Error) -> Self {
        Self::Io { what: what.into(), source }
    }
}
