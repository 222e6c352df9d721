//! Finding the targets of a family on this machine.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pathsmith_oracles::OracleError;
use pathsmith_oracles::c::ReducedSource;
use pathsmith_oracles::process::Stop;

use crate::config::{FuzzConfig, NamedTarget};
use crate::error::CampaignError;
use crate::family::Family;
use crate::finding::Finding;
use crate::language::Language;

/// Which targets are asked for, and how they are to be tested.
#[derive(Clone, Debug, Default)]
pub struct TargetRequest {
    /// Names, commands or paths; none stands for all that are found.
    pub targets: Vec<String>,
    /// Whether C is compiled with sanitizers.
    pub sanitize: bool,
}

/// What a campaign needs of the process that it runs in.
#[derive(Clone, Debug)]
pub struct Env {
    /// This program, which embeds WebAssembly engines and is started to run them.
    pub program: PathBuf,
    /// The wish to stop.
    pub stop: Stop,
}

/// A family that finds its own targets: what the registry has entries of.
pub trait Discover: Family + Debug + Send + Sized + 'static {
    /// What its targets are, in a few words: `C compilers`.
    const ABOUT: &'static str;

    /// Whether its targets can be asked to compile with sanitizers.
    const HAS_SANITIZERS: bool = false;

    /// Whether its targets compile programs without running them, which crash-only programs need.
    const COMPILES_WITHOUT_RUNNING: bool = true;

    /// What its backend emits.
    fn language() -> &'static dyn Language;

    /// The targets that are asked for; `None` if there are none and this family was not
    /// asked for.
    ///
    /// # Errors
    /// If a target that is asked for is not there, or a target cannot be asked what it is.
    fn discover(
        request: &TargetRequest,
        config: &FuzzConfig,
        env: &Env,
    ) -> Result<Option<Self>, CampaignError>;

    /// The family without targets: enough to look at findings again, which name their own.
    ///
    /// # Errors
    /// As for [`discover`](Self::discover).
    fn without_targets(config: &FuzzConfig, env: &Env) -> Result<Self, CampaignError>;

    /// What is tested, one line for each target.
    fn target_lines(&self) -> Vec<String>;

    /// Reduces the source text of a finding, if there are tools for it.
    ///
    /// # Errors
    /// If an oracle cannot work.
    fn source_reduce(
        &self,
        _finding: &Finding,
        _stop: Stop,
        _n_jobs: usize,
        _time: Duration,
    ) -> Result<Option<ReducedSource>, OracleError> {
        Ok(None)
    }
}

/// That there are no targets of a family matters only if the family was asked for.
pub(crate) fn none_found<F>(
    config: &FuzzConfig,
    message: &str,
) -> Result<Option<F>, CampaignError> {
    match config.campaign.families.is_empty() {
        false => Err(CampaignError::Request(message.to_owned())),
        true => Ok(None),
    }
}

/// The targets that are asked for, those of the config, or those that are found.
pub(crate) fn named_targets<T>(
    request: &TargetRequest,
    named: &[NamedTarget],
    stop: &Stop,
    new: impl Fn(&str, &Path, &Stop) -> Result<T, OracleError>,
    found: impl Fn(&Stop) -> Result<Vec<T>, OracleError>,
) -> Result<Vec<T>, OracleError> {
    if !request.targets.is_empty() {
        let target = |name: &String| {
            let known = named.iter().find(|target| target.name == *name);
            let command = known.map_or(Path::new(name), |target| &target.command);
            let file = Path::new(name).file_name();
            let name = file.map_or(name.clone(), |file| file.to_string_lossy().into_owned());
            new(&name, command, stop)
        };
        return request.targets.iter().map(target).collect();
    }
    if !named.is_empty() {
        return named.iter().map(|target| new(&target.name, &target.command, stop)).collect();
    }
    found(stop)
}
