//! What a campaign has to know of a kind of target.

use std::ops::Range;

use pathsmith_backend::Backend;
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{Limits, Oracle, OracleError, Report, Signature, Spent, Triage};
use pathsmith_symlang::Rng;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::Program;
use serde::{Deserialize, Serialize};

use crate::finding::{File, Finding, TargetInfo};

/// The kinds of target there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KindName {
    /// C compilers.
    C,
    /// WebAssembly engines.
    Wasm,
    /// Java virtual machines.
    Jvm,
}

impl KindName {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::C, Self::Wasm, Self::Jvm];

    /// How it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Wasm => "wasm",
            Self::Jvm => "jvm",
        }
    }

    /// The dialect that its targets are given.
    pub const fn dialect(self) -> Dialect {
        match self {
            Self::C => Dialect::C,
            Self::Wasm => Dialect::Wasm,
            Self::Jvm => Dialect::Jvm,
        }
    }

    /// The kind that is written so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// A kind of target: C compilers, say. It brings a backend and an oracle together.
pub trait Kind: Sync {
    /// What it is called.
    const NAME: KindName;

    /// What makes artifacts.
    type Backend: Backend<Artifact: Sync, Options: Send + Sync>;
    /// What runs them.
    type Oracle: Triage<Artifact = Artifact<Self>, Target: Send + Sync> + Send;

    /// An option that is left to its default last when a finding is reduced, because that makes
    /// the artifact plainer to read, and slower to build.
    const LAST_OPTION: Option<&'static str> = None;

    /// The backend.
    fn backend(&self) -> &Self::Backend;

    /// An oracle, for one thread.
    ///
    /// # Errors
    /// Where it cannot work.
    fn oracle(&self, stop: Stop) -> Result<Self::Oracle, OracleError>;

    /// How many functions an artifact holds.
    fn functions_per_artifact(&self) -> u32;

    /// Draws how a program is spelled.
    fn choose_options(&self, program: &Program, rng: &mut Rng) -> Options<Self>;

    /// The options of some functions and globals of a program.
    fn restrict_options(
        &self,
        options: &Options<Self>,
        functions: Range<usize>,
        globals: Range<usize>,
    ) -> Options<Self>;

    /// The options of a program that was made from another one, where what is left of it has kept
    /// its names.
    fn fit_options(&self, options: &Options<Self>, from: &Program, to: &Program) -> Options<Self>;

    /// The targets that batch `number` of `seed` is run on.
    fn targets(&self, seed: u64, number: u64) -> Vec<Target<Self>>;

    /// A saved target, where this machine has it now.
    fn located(&self, target: Target<Self>) -> Target<Self> {
        target
    }

    /// The targets of this campaign, of whatever version, that `target` is one of.
    fn versions_of(&self, target: &Target<Self>) -> Vec<Target<Self>>;

    /// Takes note of a finding, so that later targets can be like the one that showed it.
    fn learn(&self, _finding: &Finding) {}

    /// Runs an artifact as a person would who follows the finding's instructions.
    ///
    /// # Errors
    /// As for [`Oracle::run`].
    fn run_alone(
        oracle: &mut Self::Oracle,
        artifact: &Artifact<Self>,
        target: &Target<Self>,
        limits: &Limits,
    ) -> Result<Report, OracleError> {
        oracle.run(artifact, target, limits)
    }

    /// Runs an artifact as one of many of which most show nothing. What it comes to is looked at
    /// again by [`run_alone`](Self::run_alone).
    ///
    /// # Errors
    /// As for [`Oracle::run`].
    fn run_quickly(
        oracle: &mut Self::Oracle,
        artifact: &Artifact<Self>,
        target: &Target<Self>,
        limits: &Limits,
    ) -> Result<Report, OracleError> {
        Self::run_alone(oracle, artifact, target, limits)
    }

    /// Targets with fewer flags, the fewest first.
    fn simpler_targets(_target: &Target<Self>) -> Vec<Target<Self>> {
        Vec::new()
    }

    /// A target that differs from the one that shows a finding only in what cures the finding.
    fn cured(_target: &Target<Self>, _signature: &Signature) -> Option<Target<Self>> {
        None
    }

    /// Takes what the oracle's targets have taken since it was last asked.
    fn take_spent(oracle: &mut Self::Oracle) -> Spent;

    /// What findings say of a target.
    fn describe(target: &Target<Self>) -> TargetInfo;

    /// The files that a target is given to show a finding, and the script that does it.
    fn files(finding: &Finding, target: &Target<Self>, artifact: &Artifact<Self>) -> Vec<File>;
}

/// The options of a kind's backend.
pub type Options<K> = <<K as Kind>::Backend as Backend>::Options;
/// The artifacts of a kind's backend.
pub type Artifact<K> = <<K as Kind>::Backend as Backend>::Artifact;
/// The targets of a kind's oracle.
pub type Target<K> = <<K as Kind>::Oracle as Oracle>::Target;
