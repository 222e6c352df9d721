//! What there is to test.

use std::path::Path;

use pathsmith_campaign::{
    CCompilers, CMode, Campaign, Event, FuzzConfig, Jvms, NamedTarget, Stopping, WasmEngines,
};
use pathsmith_oracles::OracleError;
use pathsmith_oracles::c::Toolchain;
use pathsmith_oracles::jvm::{JVM_SETTINGS, JavaMachine};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::wasm::{WasmOracle, embedded_settings};

use super::{Args, Kind};
use crate::errors::{Failure, note};

/// A campaign of any kind.
pub(super) enum AnyCampaign {
    C(Campaign<CCompilers>),
    Wasm(Campaign<WasmEngines>),
    Jvm(Campaign<Jvms>),
}

impl AnyCampaign {
    pub(super) fn run(
        &self,
        stopping: Stopping,
        n_jobs: usize,
        on_event: impl FnMut(Event) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match self {
            Self::C(campaign) => campaign.run(stopping, n_jobs, on_event),
            Self::Wasm(campaign) => campaign.run(stopping, n_jobs, on_event),
            Self::Jvm(campaign) => campaign.run(stopping, n_jobs, on_event),
        }
    }
}

/// The campaigns that were asked for, or one for each kind of target that is found.
pub(super) fn campaigns(
    args: &Args,
    config: &FuzzConfig,
    stop: &Stop,
) -> Result<Vec<AnyCampaign>, Failure> {
    let mut campaigns = Vec::new();
    let is_asked = |kind: Kind| args.kind.is_none_or(|asked| asked == kind);
    if is_asked(Kind::C) {
        let kind = c_compilers(args, config, stop)?;
        campaigns.extend(kind.map(|kind| AnyCampaign::C(campaign(kind, args, config, stop))));
    }
    if is_asked(Kind::Wasm) {
        let kind = wasm_engines(args, config, stop)?;
        campaigns.push(AnyCampaign::Wasm(campaign(kind, args, config, stop)));
    }
    // JVMs compile what they run, and what claims nothing is not run.
    if is_asked(Kind::Jvm) && !config.generate.crash_only {
        let kind = jvms(args, config, stop)?;
        campaigns.extend(kind.map(|kind| AnyCampaign::Jvm(campaign(kind, args, config, stop))));
    }
    Ok(campaigns)
}

fn campaign<K>(kind: K, args: &Args, config: &FuzzConfig, stop: &Stop) -> Campaign<K> {
    Campaign {
        kind,
        generate: config.generate.clone(),
        limits: config.limits.clone(),
        seed: args.seed,
        stop: stop.clone(),
    }
}

/// The compilers to test, if there are any.
fn c_compilers(
    args: &Args,
    config: &FuzzConfig,
    stop: &Stop,
) -> Result<Option<CCompilers>, Failure> {
    let toolchains =
        named_targets(args, &config.c.targets, stop, Toolchain::new, Toolchain::on_path)?;
    for toolchain in &toolchains {
        note(&format!("testing {}: {}", toolchain.name, toolchain.version));
    }
    if toolchains.is_empty() {
        let message =
            "there is no gcc and no clang on PATH; --targets names compilers that are elsewhere";
        return none_found(args, message);
    }
    let mode = match (args.sanitize, config.generate.crash_only) {
        (true, _) => CMode::Sanitize,
        (false, true) => CMode::CompileOnly,
        (false, false) => CMode::Run,
    };
    Ok(Some(CCompilers::new(config.c.clone(), toolchains, mode, stop)?))
}

/// The JVMs to test, if there are any.
fn jvms(args: &Args, config: &FuzzConfig, stop: &Stop) -> Result<Option<Jvms>, Failure> {
    if let Some(unknown) = config.jvm.settings.iter().find(|s| !JVM_SETTINGS.contains(&&s[..])) {
        let names = JVM_SETTINGS.join(", ");
        return Err(Failure::Usage(format!(
            "in the section `jvm`: there is no setting {unknown}; expected some of {names}"
        )));
    }
    let machines =
        named_targets(args, &config.jvm.targets, stop, JavaMachine::new, JavaMachine::found)?;
    if machines.is_empty() {
        let message = "there is no java on PATH; --targets names JVMs that are elsewhere";
        return none_found(args, message);
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
fn none_found<K>(args: &Args, message: &str) -> Result<Option<K>, Failure> {
    match args.kind {
        Some(_) => Err(Failure::Usage(message.to_owned())),
        None => Ok(None),
    }
}

/// The targets that were asked for, those of the config, or those that are found.
fn named_targets<T>(
    args: &Args,
    named: &[NamedTarget],
    stop: &Stop,
    new: impl Fn(&str, &Path, &Stop) -> Result<T, OracleError>,
    found: impl Fn(&Stop) -> Result<Vec<T>, OracleError>,
) -> Result<Vec<T>, Failure> {
    let mut targets = Vec::new();
    if !args.targets.is_empty() {
        for name in &args.targets {
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
fn wasm_engines(args: &Args, config: &FuzzConfig, stop: &Stop) -> Result<WasmEngines, Failure> {
    let program = std::env::current_exe()
        .map_err(|source| Failure::io("cannot find this program's own file", source))?;
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
    if let Some(unknown) = args.targets.iter().find(|name| !engines.contains(&&name[..])) {
        let engines = engines.join(", ");
        let message = format!("there is no engine {unknown}; expected some of {engines}");
        return Err(Failure::Usage(message));
    }
    let is_asked = |name: &str| args.targets.is_empty() || args.targets.iter().any(|t| t == name);
    targets.retain(|target| {
        is_asked(&target.engine) && (wanted.is_empty() || wanted.contains(&target.setting))
    });
    if is_asked("node") && (config.wasm.node || !args.targets.is_empty()) {
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
