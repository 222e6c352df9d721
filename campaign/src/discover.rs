//! Finding the targets of a family on this machine.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pathsmith_oracles::c::SourceReduction;
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{OracleError, TargetSpec, distinct_name};

use crate::config::FuzzConfig;
use crate::error::CampaignError;
use crate::family::{Family, Target};
use crate::finding::Finding;
use crate::language::Language;
use crate::lineup::{IsAsked, Lineup};
use crate::target_config::TargetConfig;

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
    /// Hears which target preflight is at.
    pub on_preflight: fn(&PreflightStep<'_>),
}

/// How far preflight is.
#[derive(Clone, Copy, Debug)]
pub struct PreflightStep<'a> {
    /// The target that is checked now.
    pub target: &'a str,
    /// Its number, from 1 on.
    pub number: usize,
    /// How many targets its family has.
    pub of: usize,
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

    /// The family with the targets that are named, or with all of this machine and of the config, of
    /// whatever version. They have no settings of their own: enough to run findings on.
    ///
    /// # Errors
    /// If a target that is named or in the config is not there.
    fn at_hand(named: &[String], config: &FuzzConfig, env: &Env) -> Result<Self, CampaignError>;

    /// What is tested, one line for each target.
    fn target_lines(&self) -> Vec<String>;

    /// Whether its targets run programs now, or only compile them.
    fn has_results(&self) -> bool {
        true
    }

    /// Its targets, each in all its settings. `is_asked` says whether someone has named them.
    fn lineups(&self, is_asked: IsAsked) -> Vec<Lineup<Target<Self>>>;

    /// Leaves out targets by their names, and settings of targets.
    fn leave_out(&mut self, targets: &BTreeSet<String>, settings: &BTreeSet<(String, String)>);

    /// What people should know of its targets, beside what preflight finds.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether nothing is left to test.
    fn is_empty(&self) -> bool;

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
    ) -> Result<SourceReduction, OracleError> {
        Ok(Err("only C has tools that reduce source text".to_owned()))
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
    configured: &[TargetConfig],
    stop: &Stop,
    new: impl Fn(&TargetSpec, &Stop) -> Result<T, OracleError>,
    found: impl Fn(&Stop) -> Result<Vec<T>, OracleError>,
) -> Result<Vec<T>, OracleError> {
    if !is_asked(request, configured) {
        return found(stop);
    }
    let specs = match request.targets.is_empty() {
        true => configured.iter().map(TargetConfig::spec).collect(),
        false => requested(&request.targets, configured),
    };
    specs.iter().map(|spec| new(spec, stop)).collect()
}

/// The targets that are named, or all that are found and those of the config.
pub(crate) fn targets_at_hand<T>(
    named: &[String],
    configured: &[TargetConfig],
    stop: &Stop,
    new: impl Fn(&TargetSpec, &Stop) -> Result<T, OracleError>,
    found: impl Fn(&Stop) -> Result<Vec<T>, OracleError>,
) -> Result<Vec<T>, OracleError> {
    if !named.is_empty() {
        return requested(named, configured).iter().map(|spec| new(spec, stop)).collect();
    }
    let mut all = found(stop)?;
    for target in configured {
        match new(&target.spec(), stop) {
            Ok(target) => all.push(target),
            // What was there when the campaign was started may be gone.
            Err(OracleError::Target { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

/// Whether someone has named the targets, on the command line or in the config.
pub(crate) fn is_asked(request: &TargetRequest, configured: &[TargetConfig]) -> bool {
    !(request.targets.is_empty() && configured.is_empty())
}

/// The targets of a command line: names of the config, commands or paths. Each is there once, and no
/// two have the same name.
pub(crate) fn requested(asked: &[String], configured: &[TargetConfig]) -> Vec<TargetSpec> {
    let mut unique: Vec<&String> = Vec::new();
    for name in asked {
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    let is_command = |name: &&String| !configured.iter().any(|target| target.name == **name);
    let commands: Vec<&Path> = unique.iter().copied().filter(is_command).map(Path::new).collect();
    let spec = |name: &String| {
        let known = configured.iter().find(|target| target.name == *name);
        known.map_or_else(
            || {
                let is_taken = |name: &str| configured.iter().any(|target| target.name == name);
                TargetSpec::new(distinct_name(Path::new(name), &commands, is_taken), name)
            },
            TargetConfig::spec,
        )
    };
    unique.into_iter().map(spec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(asked: &[&str]) -> Vec<String> {
        let asked: Vec<String> = asked.iter().map(|&name| name.to_owned()).collect();
        let configured = [TargetConfig { name: "mine".to_owned(), ..TargetConfig::default() }];
        requested(&asked, &configured).into_iter().map(|spec| spec.name).collect()
    }

    #[test]
    fn targets_of_the_same_basename_have_different_names() {
        assert_eq!(names(&["gcc-12", "/opt/gcc-15/bin/gcc"]), ["gcc-12", "gcc"]);
        assert_eq!(names(&["a/mycc", "b/mycc"]), ["a-mycc", "b-mycc"]);
        assert_eq!(
            names(&["java", "/opt/jdk-21/bin/java", "/opt/jdk-25/bin/java"]),
            ["java", "jdk-21-java", "jdk-25-java"]
        );
        assert_eq!(names(&["/x/a/cc", "/y/a/cc", "cc"]), ["x-a-cc", "y-a-cc", "cc"]);
        assert_eq!(names(&["cc", "cc", "mine", "other/mine"]), ["cc", "mine", "other-mine"]);
    }
}
