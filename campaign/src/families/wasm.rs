//! WebAssembly engines.

use std::path::PathBuf;

use pathsmith_backend::Style;
use pathsmith_backend_wasm::{WasmBackend, WasmCall, WasmModule, WasmOptions};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::wasm::{
    NODE_HOST, NODE_HOST_FILE, Request, WasmOracle, WasmTarget, embedded_settings,
};
use pathsmith_oracles::{OracleError, Spent};
use pathsmith_symlang::Rng;
use pathsmith_symlang::lang::{Program, ValueTy, WordTy};

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
        let is_embedded = embedded_settings().iter().any(|known| known.engine == target.engine);
        match is_embedded {
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

    fn take_spent(oracle: &mut WasmOracle) -> Spent {
        std::mem::take(&mut oracle.spent)
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
        if finding.target.flags.iter().any(|arg| arg == NODE_HOST_FILE) {
            files.push(File::text(NODE_HOST_FILE, NODE_HOST.to_owned()));
        }
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
        let mut targets = WasmOracle::embedded_targets(&env.program);
        let wanted = &config.wasm.settings;
        let is_unknown =
            |name: &&String| !targets.iter().any(|target| target.setting.name() == Some(&name[..]));
        if let Some(unknown) = wanted.iter().find(is_unknown) {
            let names: Vec<String> =
                targets.into_iter().map(|target| target.setting.to_string()).collect();
            let names = names.join(", ");
            return fail(format!(
                "in the section `wasm`: there is no setting {unknown}; expected some of {names}"
            ));
        }
        let mut engines: Vec<&str> = embedded_settings().iter().map(|s| s.engine).collect();
        engines.extend(["node", "wasm-interp"]);
        engines.dedup();
        let asked = &request.targets;
        if let Some(unknown) = asked.iter().find(|name| !engines.contains(&&name[..])) {
            let engines = engines.join(", ");
            return fail(format!("there is no engine {unknown}; expected some of {engines}"));
        }
        let is_asked = |name: &str| asked.is_empty() || asked.iter().any(|known| known == name);
        targets.retain(|target| {
            is_asked(&target.engine)
                && (wanted.is_empty() || wanted.contains(&target.setting.to_string()))
        });
        if is_asked("node") && (config.wasm.node || !asked.is_empty()) {
            targets.extend(WasmOracle::node_targets(&env.stop)?);
        }
        if is_asked("wasm-interp") {
            targets.extend(WasmOracle::interp_target(&env.stop));
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
    let answers = |call: &WasmCall| format!("value {}", call.raw_expected());
    let (pipeline, expected): (_, Vec<String>) = match is_interp(target) {
        true => {
            let calls = module.calls.iter().filter(|call| call.args.is_empty());
            ("timeout 60 $ENGINE | grep -F '.visible'", calls.map(printed_by_interp).collect())
        }
        false => (
            "echo request.json | timeout 60 $ENGINE | grep -v '^compiled$\\|^done '",
            module.calls.iter().map(answers).collect(),
        ),
    };
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

fn is_interp(target: &TargetInfo) -> bool {
    target.name == "wasm-interp"
}

/// It prints the bits of results as numbers without a sign.
fn printed_by_interp(call: &WasmCall) -> String {
    let (export, value) = (&call.export, call.raw_expected());
    match call.result {
        ValueTy::Int(WordTy::I32 | WordTy::U32) => format!("{export}() => i32:{}", value as u32),
        ValueTy::Int(WordTy::I64 | WordTy::U64) => format!("{export}() => i64:{}", value as u64),
    }
}
