//! WebAssembly engines.

mod bug;
mod script;
mod tidy;

use std::collections::BTreeSet;
use std::path::PathBuf;

use pathsmith_backend::Style;
use pathsmith_backend_wasm::{WasmBackend, WasmModule, WasmOptions};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::wasm::{EngineSetting, Request, WasmEngine, WasmOracle, WasmTarget};
use pathsmith_oracles::{Limits, OracleError, Spent, TargetSpec};
use pathsmith_symlang::Rng;
use pathsmith_symlang::lang::Program;

use self::bug::BugSearch;
pub(super) use self::script::script;
use crate::bug_file::Bug;
use crate::config::{FuzzConfig, WasmConfig};
use crate::discover::{Discover, Env, TargetRequest, is_asked, requested};
use crate::error::CampaignError;
use crate::family::{Family, TargetFamily};
use crate::finding::{Finding, SerializeError, TargetInfo};
use crate::folder_file::File;
use crate::language::Language;
use crate::lineup::{IsAsked, Lineup};
use crate::reproducer::Reproducer;
use crate::target_config::{EngineProtocol, TargetConfig, looks_like_node};

/// WebAssembly engines, each with its settings.
#[derive(Clone, Debug)]
pub struct WasmEngines {
    /// How they are tested.
    pub config: WasmConfig,
    /// The engines.
    pub targets: Vec<WasmTarget>,
    /// The program that embeds an engine: this one.
    pub program: PathBuf,
}

impl Family for WasmEngines {
    const FAMILY: TargetFamily = TargetFamily::Wasm;

    type Backend = WasmBackend;
    type Oracle = WasmOracle;

    fn backend(&self) -> &WasmBackend {
        &WasmBackend
    }

    fn oracle(&self, stop: Stop) -> Result<WasmOracle, OracleError> {
        WasmOracle::new(self.program.clone(), stop)
    }

    fn functions_per_artifact(&self) -> u32 {
        self.config.functions_per_module
    }

    fn choose_options(&self, program: &Program, rng: &mut Rng) -> WasmOptions {
        self.config.style.choose(program, rng)
    }

    fn targets(&self, _seed: u64, _number: u64) -> Vec<WasmTarget> {
        self.targets.clone()
    }

    fn located(&self, target: WasmTarget) -> WasmTarget {
        match WasmEngine::named(&target.engine).is_some_and(WasmEngine::is_embedded) {
            true => WasmTarget { command: self.program.clone(), ..target },
            false => target,
        }
    }

    fn versions_of(&self, target: &WasmTarget) -> Vec<WasmTarget> {
        let is_alike = |other: &&WasmTarget| {
            (&other.engine, &other.setting) == (&target.engine, &target.setting)
        };
        self.targets.iter().filter(is_alike).cloned().collect()
    }

    fn answers_with_exit_status(target: &WasmTarget) -> bool {
        target.engine == EngineProtocol::Wasi.engine()
    }

    fn without_known_bugs(target: &WasmTarget, flags: &[String]) -> WasmTarget {
        target.without_known_bugs(flags)
    }

    fn in_setting(target: &WasmTarget, name: &str) -> Option<WasmTarget> {
        target.in_setting(name)
    }

    fn takes_flags(target: &WasmTarget, stop: &Stop) -> Result<bool, OracleError> {
        target.is_taken(stop)
    }

    fn take_spent(oracle: &mut WasmOracle) -> Spent {
        oracle.take_spent()
    }

    fn describe(target: &WasmTarget) -> TargetInfo {
        TargetInfo {
            name: target.name.clone(),
            command: target.command.display().to_string(),
            version: target.version.clone(),
            setting: target.setting.clone(),
            flags: target.args.clone(),
            path: target.path.display().to_string(),
            runner: target.launch.runner.clone(),
            env: target.launch.env.clone(),
        }
    }

    fn bug(
        &self,
        finding: &Finding,
        oracle: &mut WasmOracle,
        limits: &Limits,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Bug>, OracleError> {
        let Ok(known) = Reproducer::of(self, finding) else { return Ok(None) };
        if !finding.verdict.is_finding() {
            return Ok(None);
        }
        BugSearch { oracle, finding, known: &known, limits, is_over }.run().map(Some)
    }

    fn files(
        finding: &Finding,
        target: &WasmTarget,
        module: &WasmModule,
    ) -> Result<Vec<File>, SerializeError> {
        let request = serde_json::to_string_pretty(&Request::for_repro(module, "module.wasm"))
            .map_err(SerializeError::of("request"))?
            + "\n";
        let mut files = vec![
            File { name: "module.wasm".to_owned(), bytes: module.bytes.clone(), is_script: false },
            File::text("request.json", request),
            File { is_script: true, ..File::text("repro.sh", script(finding, target, module)) },
        ];
        if let Ok(wat) = module.wat() {
            files.push(File::text("module.wat", wat));
        }
        if let Some(file) = finding.bug.as_ref().and_then(|bug| bug.file.as_ref()) {
            files.extend(file.files());
        }
        let engine = WasmEngine::named(&target.engine);
        let made = engine.map(|engine| engine.repro_files(module)).unwrap_or_default();
        files.extend(made.into_iter().map(|(name, bytes)| File {
            name: name.to_owned(),
            bytes,
            is_script: false,
        }));
        let needed = engine.map_or(&[][..], WasmEngine::files);
        files.extend(needed.iter().map(|(name, text)| File::text(name, (*text).to_owned())));
        Ok(files)
    }
}

impl Discover for WasmEngines {
    const ABOUT: &'static str = "WebAssembly engines";

    fn language() -> &'static dyn Language {
        &WasmBackend
    }

    fn discover(
        request: &TargetRequest,
        config: &FuzzConfig,
        env: &Env,
    ) -> Result<Option<Self>, CampaignError> {
        let fail = |message: String| Err(CampaignError::Request(message));
        let wanted = &config.wasm.settings;
        let embedded = || WasmEngine::all().filter(|engine| engine.is_embedded());
        let settings: Vec<EngineSetting> = embedded().flat_map(WasmEngine::settings).collect();
        let is_unknown = |name: &&String| !settings.iter().any(|known| known.name == **name);
        if let Some(unknown) = wanted.iter().find(is_unknown) {
            let names: Vec<&str> = settings.iter().map(|known| known.name).collect();
            let names = names.join(", ");
            return fail(format!(
                "in the section `wasm`: there is no setting {unknown}; expected some of {names}"
            ));
        }
        let configured = &config.wasm.targets;
        let mut targets = Vec::new();
        if is_asked(request, configured) {
            let names = match request.targets.is_empty() {
                true => configured.iter().map(|target| target.name.clone()).collect(),
                false => request.targets.clone(),
            };
            for spec in requested(&names, configured) {
                targets.extend(asked_engine(&spec, configured, env)?);
            }
        } else {
            let is_wanted = |engine: &WasmEngine| engine.name() != "node" || config.wasm.node;
            for engine in WasmEngine::all().filter(is_wanted) {
                targets.extend(engine.targets(&env.program, &env.stop)?);
            }
        }
        let is_embedded = |name: &str| WasmEngine::named(name).is_some_and(WasmEngine::is_embedded);
        targets.retain(|target| {
            let is_wanted = wanted.is_empty() || wanted.contains(&target.setting.to_string());
            is_wanted || !is_embedded(&target.engine)
        });
        if targets.is_empty() {
            return fail("none of these engines is on this machine".to_owned());
        }
        Ok(Some(Self { targets, ..Self::without_targets(config, env)? }))
    }

    fn without_targets(config: &FuzzConfig, env: &Env) -> Result<Self, CampaignError> {
        let (config, program) = (config.wasm.clone(), env.program.clone());
        Ok(Self { config, targets: Vec::new(), program })
    }

    fn at_hand(named: &[String], config: &FuzzConfig, env: &Env) -> Result<Self, CampaignError> {
        let configured = &config.wasm.targets;
        let mut targets = Vec::new();
        for spec in requested(named, configured) {
            targets.extend(asked_engine(&spec, configured, env)?);
        }
        if named.is_empty() {
            for engine in WasmEngine::all() {
                targets.extend(engine.targets(&env.program, &env.stop)?);
            }
            for target in configured {
                match asked_engine(&target.spec(), configured, env) {
                    Ok(found) => targets.extend(found),
                    // What was there when the campaign was started may be gone.
                    Err(CampaignError::Request(_)) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(Self { targets, ..Self::without_targets(config, env)? })
    }

    fn lineups(&self, is_asked: IsAsked) -> Vec<Lineup<WasmTarget>> {
        let mut lineups: Vec<Lineup<WasmTarget>> = Vec::new();
        for target in &self.targets {
            let known = self.config.targets.iter().find(|known| known.name == target.name);
            let has_own = known.is_some_and(|known| !known.settings.is_empty());
            let setting = (target.clone(), IsAsked::of(has_own));
            match lineups.iter_mut().find(|lineup| lineup.plain.name == target.name) {
                Some(lineup) => lineup.settings.push(setting),
                None => lineups.push(Lineup {
                    plain: target.clone(),
                    plain_setting: has_own.then(|| target.setting.to_string()),
                    settings: vec![setting],
                    is_asked,
                }),
            }
        }
        lineups
    }

    fn leave_out(&mut self, targets: &BTreeSet<String>, settings: &BTreeSet<(String, String)>) {
        self.targets.retain(|target| {
            let setting = (target.name.clone(), target.setting.to_string());
            !targets.contains(&target.name) && !settings.contains(&setting)
        });
    }

    fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    fn target_lines(&self) -> Vec<String> {
        let mut versions: Vec<&String> = self.targets.iter().map(|t| &t.version).collect();
        versions.dedup();
        let line = |version: &String| {
            let settings = self.targets.iter().filter(|target| target.version == *version);
            let settings: Vec<String> = settings.map(|target| target.setting.to_string()).collect();
            format!("{version}: {}", settings.join(", "))
        };
        versions.into_iter().map(line).collect()
    }
}

/// An engine that someone has named: one of the config, one that is known, or a node elsewhere.
fn asked_engine(
    spec: &TargetSpec,
    configured: &[TargetConfig],
    env: &Env,
) -> Result<Vec<WasmTarget>, CampaignError> {
    let fail = |message: String| Err(CampaignError::Request(message));
    let known = configured.iter().find(|target| target.name == spec.name);
    let engine = match known {
        Some(target) => WasmEngine::named(target.engine_protocol().engine()),
        None => WasmEngine::all().find(|engine| spec.command.as_os_str() == engine.name()),
    };
    if let (Some(engine), None) = (engine, known) {
        return Ok(engine.targets(&env.program, &env.stop)?);
    }
    let engine =
        engine.or_else(|| WasmEngine::named("node").filter(|_| looks_like_node(&spec.command)));
    let Some(engine) = engine else {
        let engines: Vec<&str> = WasmEngine::all().map(WasmEngine::name).collect();
        let (name, engines) = (&spec.name, engines.join(", "));
        return fail(format!(
            "there is no engine {name}; expected some of {engines}, the path of a node, or an \
             engine of the config"
        ));
    };
    let Some(target) = engine.target(spec, &env.stop)? else {
        let command = spec.command.display();
        return fail(format!("the target {} cannot be used: there is no {command}", spec.name));
    };
    let settings = known.map(|target| &target.settings).filter(|settings| !settings.is_empty());
    Ok(match settings {
        None => engine.in_all_settings(&target),
        Some(settings) => {
            settings.iter().map(|(name, flags)| engine.with_flags(&target, name, flags)).collect()
        }
    })
}
