//! WebAssembly engines.

use std::path::PathBuf;

use pathsmith_backend::Style;
use pathsmith_backend_wasm::{WasmBackend, WasmModule, WasmOptions};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::wasm::{EngineSetting, Repro, Request, WasmEngine, WasmOracle, WasmTarget};
use pathsmith_oracles::{OracleError, Spent};
use pathsmith_symlang::Rng;
use pathsmith_symlang::lang::Program;

use crate::config::{FuzzConfig, WasmConfig};
use crate::discover::{Discover, Env, TargetRequest};
use crate::error::CampaignError;
use crate::family::{Family, TargetFamily};
use crate::finding::{File, Finding, SerializeError, TargetInfo, shell_quoted};
use crate::language::Language;

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
            name: target.engine.clone(),
            command: target.command.display().to_string(),
            version: target.version.clone(),
            setting: target.setting.clone(),
            flags: target.args.clone(),
        }
    }

    fn files(
        finding: &Finding,
        _target: &WasmTarget,
        module: &WasmModule,
    ) -> Result<Vec<File>, SerializeError> {
        let request = serde_json::to_string_pretty(&Request::new(module, "module.wasm", true))
            .map_err(SerializeError::of("request"))?
            + "\n";
        let mut files = vec![
            File { name: "module.wasm".to_owned(), bytes: module.bytes.clone(), is_script: false },
            File::text("request.json", request),
            File { is_script: true, ..File::text("repro.sh", script(finding, module)) },
        ];
        if let Ok(wat) = module.wat() {
            files.push(File::text("module.wat", wat));
        }
        let needed = WasmEngine::named(&finding.target.name).map_or(&[][..], WasmEngine::files);
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
        let asked = &request.targets;
        if let Some(unknown) = asked.iter().find(|name| WasmEngine::named(name).is_none()) {
            let engines: Vec<&str> = WasmEngine::all().map(WasmEngine::name).collect();
            let engines = engines.join(", ");
            return fail(format!("there is no engine {unknown}; expected some of {engines}"));
        }
        let is_asked = |engine: &WasmEngine| match asked.is_empty() {
            true => engine.name() != "node" || config.wasm.node,
            false => asked.iter().any(|known| known == engine.name()),
        };
        let mut targets = Vec::new();
        for engine in WasmEngine::all().filter(is_asked) {
            let mut found = engine.targets(&env.program, &env.stop)?;
            if engine.is_embedded() && !wanted.is_empty() {
                found.retain(|target| wanted.contains(&target.setting.to_string()));
            }
            targets.extend(found);
        }
        if targets.is_empty() {
            return fail("none of these engines is on this machine".to_owned());
        }
        Ok(Some(Self { targets, ..Self::without_targets(config, env)? }))
    }

    fn without_targets(config: &FuzzConfig, env: &Env) -> Result<Self, CampaignError> {
        let (config, program) = (config.wasm.clone(), env.program.clone());
        Ok(Self { config, targets: Vec::new(), program })
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

/// What shows a finding with the engine alone.
fn script(finding: &Finding, module: &WasmModule) -> String {
    let target = &finding.target;
    let args: Vec<String> = target.flags.iter().map(|arg| shell_quoted(arg)).collect();
    let engine = WasmEngine::named(&target.name);
    let Repro { pipeline, expected } =
        engine.map_or_else(|| Repro::of_session(module), |engine| engine.repro(module));
    format!(
        "#!/bin/sh\n\
         # {}\n\
         # Seen with {}; ENGINE=... tries another command that answers in the same way.\n\
         # Exits with 0 if the engine does what it should.\n\
         cd \"$(dirname \"$0\")\" || exit 2\n\
         ENGINE=${{ENGINE:-{} {}}}\n\
         {pipeline} > actual.txt\n\
         cat > expected.txt <<'END'\n{}\nEND\n\
         diff expected.txt actual.txt\n",
        finding.summary(),
        target.version,
        target.command,
        args.join(" "),
        expected.join("\n"),
    )
}
