//! What there is to test.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pathsmith_backend::Backend;
use pathsmith_campaign::{
    CCompilers, CMode, Campaign, Done, Event, Finding, FuzzConfig, Header, Job, Jobs, Jvms, Kind,
    KindName, NamedTarget, Reduced, Replayed, Stopping, Trial, WasmEngines,
};
use pathsmith_oracles::c::{Polished, Toolchain};
use pathsmith_oracles::jvm::{JVM_SETTINGS, JavaMachine};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::wasm::{WasmOracle, embedded_settings};
use pathsmith_oracles::{OracleError, Signature};

use crate::errors::{Failure, note};

/// A campaign of any kind.
pub(crate) enum AnyCampaign {
    C(Campaign<CCompilers>),
    Wasm(Campaign<WasmEngines>),
    Jvm(Campaign<Jvms>),
}

/// Calls something on a campaign of whatever kind.
macro_rules! on_any {
    ($any:expr, $campaign:ident => $call:expr) => {
        match $any {
            AnyCampaign::C($campaign) => $call,
            AnyCampaign::Wasm($campaign) => $call,
            AnyCampaign::Jvm($campaign) => $call,
        }
    };
}

impl AnyCampaign {
    pub(crate) fn run(
        &self,
        done: Done,
        stopping: Stopping,
        n_jobs: usize,
        on_event: impl FnMut(Event) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        on_any!(self, campaign => campaign.run(done, stopping, n_jobs, on_event))
    }

    pub(crate) fn name(&self) -> KindName {
        match self {
            Self::C(_) => KindName::C,
            Self::Wasm(_) => KindName::Wasm,
            Self::Jvm(_) => KindName::Jvm,
        }
    }

    /// The versions of its targets, by their names.
    pub(crate) fn versions(&self) -> BTreeMap<String, String> {
        on_any!(self, campaign => campaign.versions())
    }

    pub(crate) fn fingerprint(&self) -> Result<String, OracleError> {
        on_any!(self, campaign => campaign.fingerprint())
    }

    pub(crate) fn learn(&self, finding: &Finding) {
        on_any!(self, campaign => campaign.kind.learn(finding));
    }

    /// Gives a finding its files, if it can be spelled by this version.
    pub(crate) fn add_files(&self, finding: &mut Finding) {
        on_any!(self, campaign => campaign.add_files(finding));
    }

    /// Reduces a finding, on `n_jobs` threads.
    pub(crate) fn reduce(
        &self,
        job: Job,
        n_jobs: usize,
        tell: impl FnMut(Reduced),
    ) -> Result<(), Failure> {
        on_any!(self, campaign => Ok(campaign.reduce(job, n_jobs, tell)?))
    }

    /// Polishes the C of a finding, where there is any, and something that can do it.
    pub(crate) fn polish(
        &self,
        finding: &Finding,
        n_jobs: usize,
        time: Duration,
    ) -> Result<Option<Polished>, Failure> {
        let Self::C(campaign) = self else { return Ok(None) };
        let Ok(trial) = Trial::of(&campaign.kind, finding) else { return Ok(None) };
        let lowered = campaign.kind.backend().lower(&trial.program, &trial.options);
        let Ok(source) = lowered else { return Ok(None) };
        let mut oracle = campaign.kind.oracle(campaign.stop.clone())?;
        Ok(oracle.polish(&source, &trial.target, finding.verdict, n_jobs, time)?)
    }

    /// What tells a finding apart; `None` where it is not seen any more.
    pub(crate) fn signature(&self, finding: &Finding) -> Result<Option<Signature>, Failure> {
        on_any!(self, campaign => Ok(campaign.signature(finding)?))
    }

    /// What the targets make of a finding that are like the one that showed it.
    pub(crate) fn replay(&self, finding: &Finding) -> Result<Vec<Replayed>, Failure> {
        on_any!(self, campaign => Ok(campaign.replay(finding)?))
    }

    pub(crate) fn jobs(&self) -> &Jobs {
        on_any!(self, campaign => &campaign.jobs)
    }

    pub(crate) fn add_job(&self, job: Job) {
        self.jobs().add(job);
    }

    pub(crate) fn has_jobs(&self) -> bool {
        !self.jobs().is_empty()
    }

    pub(crate) fn is_over(&self, stopping: Stopping) -> bool {
        on_any!(self, campaign => campaign.is_over(stopping))
    }
}

/// Which targets were asked for, and how they are to be tested.
pub(crate) struct Asked {
    /// Names; none stands for all.
    pub(crate) targets: Vec<String>,
    pub(crate) sanitize: bool,
}

/// The campaigns that were asked for, or one for each kind of target that is found.
pub(crate) fn campaigns(
    asked: &Asked,
    config: &FuzzConfig,
    stop: &Stop,
) -> Result<Vec<AnyCampaign>, Failure> {
    let mut campaigns = Vec::new();
    let kinds = &config.campaign.kinds;
    let is_asked = |kind: KindName| kinds.is_empty() || kinds.contains(&kind);
    if is_asked(KindName::C) {
        let kind = c_compilers(asked, config, stop)?;
        campaigns.extend(kind.map(|kind| AnyCampaign::C(campaign(kind, config, stop))));
    }
    if is_asked(KindName::Wasm) {
        let kind = wasm_engines(asked, config, stop)?;
        campaigns.push(AnyCampaign::Wasm(campaign(kind, config, stop)));
    }
    // JVMs compile what they run, and what claims nothing is not run.
    if is_asked(KindName::Jvm) && !config.generate.crash_only {
        let kind = jvms(asked, config, stop)?;
        campaigns.extend(kind.map(|kind| AnyCampaign::Jvm(campaign(kind, config, stop))));
    }
    Ok(campaigns)
}

/// A checksum of what this version makes of the first few numbers of all campaigns.
pub(crate) fn fingerprint(campaigns: &[AnyCampaign]) -> Result<String, Failure> {
    let prints = campaigns.iter().map(AnyCampaign::fingerprint);
    Ok(prints.collect::<Result<Vec<_>, _>>()?.join(", "))
}

/// Checks that this version makes the programs of the campaign in `dir` that it was begun with.
pub(crate) fn check_programs(
    campaigns: &[AnyCampaign],
    header: &Header,
    dir: &Path,
) -> Result<(), Failure> {
    if fingerprint(campaigns)? == header.fingerprint {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "the campaign in {} was begun by pathsmith {}, which made other programs of the same seed; \
         this one is {}",
        dir.display(),
        header.version,
        env!("CARGO_PKG_VERSION"),
    )))
}

/// What it takes to look at findings of a kind again, which name their targets.
pub(crate) fn without_targets(
    kind: KindName,
    config: &FuzzConfig,
    stop: &Stop,
) -> Result<AnyCampaign, Failure> {
    Ok(match kind {
        KindName::C => {
            let mode = mode(config, false);
            let kind = CCompilers::new(config.c.clone(), Vec::new(), mode, stop)?;
            AnyCampaign::C(campaign(kind, config, stop))
        }
        KindName::Wasm => {
            let (program, targets) = (this_program()?, Vec::new());
            let kind = WasmEngines { config: config.wasm.clone(), targets, program };
            AnyCampaign::Wasm(campaign(kind, config, stop))
        }
        KindName::Jvm => {
            let kind = Jvms::new(config.jvm.clone(), Vec::new(), stop)?;
            AnyCampaign::Jvm(campaign(kind, config, stop))
        }
    })
}

fn this_program() -> Result<PathBuf, Failure> {
    std::env::current_exe()
        .map_err(|source| Failure::io("cannot find this program's own file", source))
}

fn campaign<K>(kind: K, config: &FuzzConfig, stop: &Stop) -> Campaign<K> {
    Campaign {
        kind,
        generate: config.generate.clone(),
        limits: config.limits.clone(),
        seed: config.campaign.seed,
        triage: config.campaign.triage,
        stop: stop.clone(),
        jobs: Jobs::default(),
    }
}

/// The compilers to test, if there are any.
fn c_compilers(
    asked: &Asked,
    config: &FuzzConfig,
    stop: &Stop,
) -> Result<Option<CCompilers>, Failure> {
    let toolchains =
        named_targets(asked, &config.c.targets, stop, Toolchain::new, Toolchain::on_path)?;
    for toolchain in &toolchains {
        note(&format!("testing {}: {}", toolchain.name, toolchain.version));
    }
    if toolchains.is_empty() {
        let message =
            "there is no gcc and no clang on PATH; --targets names compilers that are elsewhere";
        return none_found(config, message);
    }
    Ok(Some(CCompilers::new(config.c.clone(), toolchains, mode(config, asked.sanitize), stop)?))
}

/// What is asked of C compilers.
fn mode(config: &FuzzConfig, sanitize: bool) -> CMode {
    match (sanitize, config.generate.crash_only) {
        (true, _) => CMode::Sanitize,
        (false, true) => CMode::CompileOnly,
        (false, false) => CMode::Run,
    }
}

/// The JVMs to test, if there are any.
fn jvms(asked: &Asked, config: &FuzzConfig, stop: &Stop) -> Result<Option<Jvms>, Failure> {
    if let Some(unknown) = config.jvm.settings.iter().find(|s| !JVM_SETTINGS.contains(&&s[..])) {
        let names = JVM_SETTINGS.join(", ");
        return Err(Failure::Usage(format!(
            "in the section `jvm`: there is no setting {unknown}; expected some of {names}"
        )));
    }
    let machines =
        named_targets(asked, &config.jvm.targets, stop, JavaMachine::new, JavaMachine::found)?;
    if machines.is_empty() {
        let message = "there is no java on PATH; --targets names JVMs that are elsewhere";
        return none_found(config, message);
    }
    let kind = Jvms::new(config.jvm.clone(), machines, stop)?;
    for (machine, settings) in kind.settings() {
        if settings.is_empty() {
            let message = format!("in the section `jvm`: no setting is left for {}", machine.name);
            return Err(Failure::Usage(message));
        }
        note(&format!("testing {}: {}: {}", machine.name, machine.version, settings.join(", ")));
    }
    Ok(Some(kind))
}

/// That there are no targets of a kind matters only if it was asked for.
fn none_found<K>(config: &FuzzConfig, message: &str) -> Result<Option<K>, Failure> {
    match config.campaign.kinds.is_empty() {
        false => Err(Failure::Usage(message.to_owned())),
        true => Ok(None),
    }
}

/// The targets that were asked for, those of the config, or those that are found.
fn named_targets<T>(
    asked: &Asked,
    named: &[NamedTarget],
    stop: &Stop,
    new: impl Fn(&str, &Path, &Stop) -> Result<T, OracleError>,
    found: impl Fn(&Stop) -> Result<Vec<T>, OracleError>,
) -> Result<Vec<T>, Failure> {
    let mut targets = Vec::new();
    if !asked.targets.is_empty() {
        for name in &asked.targets {
            let known = named.iter().find(|target| target.name == *name);
            let command = known.map_or(Path::new(name), |target| &target.command);
            let name = Path::new(name)
                .file_name()
                .map_or(name.clone(), |file| file.to_string_lossy().into_owned());
            targets.push(new(&name, command, stop)?);
        }
    } else if !named.is_empty() {
        for target in named {
            targets.push(new(&target.name, &target.command, stop)?);
        }
    } else {
        targets = found(stop)?;
    }
    Ok(targets)
}

/// The engines to test.
fn wasm_engines(asked: &Asked, config: &FuzzConfig, stop: &Stop) -> Result<WasmEngines, Failure> {
    let program = this_program()?;
    let mut targets = WasmOracle::embedded_targets(&program);
    let wanted = &config.wasm.settings;
    let is_unknown = |name: &&String| !targets.iter().any(|target| target.setting == **name);
    if let Some(unknown) = wanted.iter().find(is_unknown) {
        let names: Vec<String> = targets.into_iter().map(|target| target.setting).collect();
        let names = names.join(", ");
        return Err(Failure::Usage(format!(
            "in the section `wasm`: there is no setting {unknown}; expected some of {names}"
        )));
    }
    let mut engines: Vec<&str> = embedded_settings().iter().map(|s| s.engine).collect();
    engines.extend(["node", "wasm-interp"]);
    engines.dedup();
    if let Some(unknown) = asked.targets.iter().find(|name| !engines.contains(&&name[..])) {
        let engines = engines.join(", ");
        let message = format!("there is no engine {unknown}; expected some of {engines}");
        return Err(Failure::Usage(message));
    }
    let is_asked = |name: &str| asked.targets.is_empty() || asked.targets.iter().any(|t| t == name);
    targets.retain(|target| {
        is_asked(&target.engine) && (wanted.is_empty() || wanted.contains(&target.setting))
    });
    if is_asked("node") && (config.wasm.node || !asked.targets.is_empty()) {
        targets.extend(WasmOracle::node_targets(stop)?);
    }
    if is_asked("wasm-interp") {
        targets.extend(WasmOracle::interp_target(stop));
    }
    if targets.is_empty() {
        return Err(Failure::Usage("none of these engines is on this machine".to_owned()));
    }
    let mut versions: Vec<&String> = targets.iter().map(|target| &target.version).collect();
    versions.dedup();
    for version in versions {
        let settings = targets.iter().filter(|target| target.version == *version);
        let settings: Vec<&str> = settings.map(|target| &target.setting[..]).collect();
        note(&format!("testing {version}: {}", settings.join(", ")));
    }
    Ok(WasmEngines { config: config.wasm.clone(), targets, program })
}
