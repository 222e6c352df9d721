//! Target families: what a campaign has to know of C compilers, say.

use std::collections::BTreeSet;
use std::fmt::{self, Debug};

use pathsmith_backend::Backend;
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{Limits, Oracle, OracleError, Report, Signature, Spent, Triage};
use pathsmith_symlang::Rng;
use pathsmith_symlang::lang::Program;
use serde::{Deserialize, Serialize};

use crate::bug_file::Bug;
use crate::finding::{Finding, SerializeError, TargetInfo};
use crate::folder_file::File;

/// A family of targets: those that take the artifacts of one backend and are run by one oracle.
///
/// Its *dialect* says which behaviour is undefined, and its *language* what the backend emits; both
/// may have further families. [`registry`](crate::registry) says what each family is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetFamily {
    /// C compilers.
    C,
    /// WebAssembly engines.
    Wasm,
    /// Java virtual machines.
    Jvm,
}

impl TargetFamily {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::C, Self::Wasm, Self::Jvm];

    /// Its name on the command line, in the config and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Wasm => "wasm",
            Self::Jvm => "jvm",
        }
    }

    /// The family of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.as_str() == name)
    }
}

impl fmt::Display for TargetFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The targets of one family that a campaign runs, with their backend and their oracle.
pub trait Family: Send + Sync {
    /// Which family it is.
    const FAMILY: TargetFamily;

    /// What makes artifacts.
    type Backend: Backend<Artifact: Debug + PartialEq + Send + Sync, Options: Send + Sync>;
    /// What runs them.
    type Oracle: Triage<Artifact = Artifact<Self>, Target: Send + Sync> + Send;

    /// An option that reduction resets to its default last, because that makes the artifact easier
    /// to read, and slower to build.
    const LAST_OPTION: Option<&'static str> = None;

    /// The backend.
    fn backend(&self) -> &Self::Backend;

    /// An oracle, for one thread.
    ///
    /// # Errors
    /// If it cannot work.
    fn oracle(&self, stop: Stop) -> Result<Self::Oracle, OracleError>;

    /// How many functions an artifact holds.
    fn functions_per_artifact(&self) -> u32;

    /// Draws the lowering options of a program.
    fn choose_options(&self, program: &Program, rng: &mut Rng) -> Options<Self>;

    /// The targets that batch `number` of `seed` runs on.
    fn targets(&self, seed: u64, number: u64) -> Vec<Target<Self>>;

    /// A saved target, at its place on this machine.
    fn located(&self, target: Target<Self>) -> Target<Self> {
        target
    }

    /// The targets of this campaign, of whatever version, that `target` is one of.
    fn versions_of(&self, target: &Target<Self>) -> Vec<Target<Self>>;

    /// The same target without optimization, which works if the target works at all.
    fn plain(target: &Target<Self>) -> Target<Self> {
        target.clone()
    }

    /// Whether an exit status is all that the target answers with, so that one which runs nothing
    /// looks right.
    fn answers_with_exit_status(_target: &Target<Self>) -> bool {
        false
    }

    /// The same target at its other levels of optimization, if it has such.
    fn other_levels(_target: &Target<Self>) -> Vec<Target<Self>> {
        Vec::new()
    }

    /// What a target says of its version in full.
    ///
    /// # Errors
    /// If it cannot be asked.
    fn version_details(target: &Target<Self>, _stop: &Stop) -> Result<String, OracleError> {
        Ok(Self::describe(target).version)
    }

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

    /// Runs an artifact as one of many, most of which show nothing. What it shows is looked at
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

    /// The features of each function of an artifact, in the order of the program: what a target says
    /// that it does to them, and what it emits for them. `None` if it says nothing.
    ///
    /// # Errors
    /// If the oracle cannot work.
    fn features(
        _oracle: &mut Self::Oracle,
        _artifact: &Artifact<Self>,
        _target: &Target<Self>,
        _limits: &Limits,
    ) -> Result<Option<Vec<BTreeSet<String>>>, OracleError> {
        Ok(None)
    }

    /// Targets with fewer flags, the fewest first.
    fn simpler_targets(_target: &Target<Self>) -> Vec<Target<Self>> {
        Vec::new()
    }

    /// A target with further flags, which suppress known bugs.
    fn without_known_bugs(target: &Target<Self>, flags: &[String]) -> Target<Self>;

    /// The same target in the setting of that name, if a setting can be told by its name alone.
    fn in_setting(_target: &Target<Self>, _name: &str) -> Option<Target<Self>> {
        None
    }

    /// Whether a target takes its flags. One that does not is misconfigured: what it says of
    /// programs would be no finding.
    ///
    /// # Errors
    /// If it cannot be tried, or is stopped.
    fn takes_flags(target: &Target<Self>, stop: &Stop) -> Result<bool, OracleError>;

    /// A target that differs from the one that shows a finding only in a flag that suppresses the
    /// finding.
    fn suppressed(target: &Target<Self>, signature: &Signature) -> Option<Target<Self>> {
        let first = signature.suppressing_flags.first()?;
        let words: Vec<String> = first.flag.split_whitespace().map(str::to_owned).collect();
        Some(Self::without_known_bugs(target, &words))
    }

    /// Takes the CPU time that the oracle's targets have used since it was last asked.
    fn take_spent(oracle: &mut Self::Oracle) -> Spent;

    /// What findings say of a target.
    fn describe(target: &Target<Self>) -> TargetInfo;

    /// Looks for a file that shows a reduced finding without anything of pathsmith's, as long as
    /// `is_over` allows. `None` if the family has no such files.
    ///
    /// # Errors
    /// If the oracle cannot work.
    fn bug(
        &self,
        _finding: &Finding,
        _oracle: &mut Self::Oracle,
        _limits: &Limits,
        _is_over: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Bug>, OracleError> {
        Ok(None)
    }

    /// The files that a target is given to show a finding, and the script that does it.
    ///
    /// # Errors
    /// If something of it cannot be written as JSON.
    fn files(
        finding: &Finding,
        target: &Target<Self>,
        artifact: &Artifact<Self>,
    ) -> Result<Vec<File>, SerializeError>;
}

/// The options of a family's backend.
pub type Options<F> = <<F as Family>::Backend as Backend>::Options;
/// The artifacts of a family's backend.
pub type Artifact<F> = <<F as Family>::Backend as Backend>::Artifact;
/// The targets of a family's oracle.
pub type Target<F> = <<F as Family>::Oracle as Oracle>::Target;
