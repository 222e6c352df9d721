//! What findings in WebAssembly engines come from.

use pathsmith_backend_wasm::WasmModule;

use super::{NODE_HOST_FILE, NODE_SETTINGS, WasmOracle, WasmTarget, embedded_settings};
use crate::crash::{Crash, said_by_engine};
use crate::oracle::{Limits, OracleError};
use crate::setting::Setting;
use crate::signature::{RunBudget, Signature, Triage, TrialOutcome, joined};
use crate::verdict::{Report, Verdict};

/// How long calls may take each time where one hangs, in seconds, where the limits allow for more.
const HANG_TIME: u64 = 5;

/// Optimizations of TurboFan that can be switched off: `--no-turbo-loop-peeling`. What an older or
/// newer node does not know is left out.
const NODE_OPTIMIZATIONS: [&str; 17] = [
    "turbo-allocation-folding",
    "turbo-cf-optimization",
    "turbo-escape",
    "turbo-jt",
    "turbo-load-elimination",
    "turbo-loop-peeling",
    "turbo-loop-rotation",
    "turbo-loop-variable",
    "turbo-move-optimization",
    "turbo-splitting",
    "turbo-store-elimination",
    "wasm-bounds-checks",
    "wasm-inlining",
    "wasm-loop-peeling",
    "wasm-loop-unrolling",
    "wasm-opt",
    "wasm-tier-up",
];

impl Triage for WasmOracle {
    /// wasmtime has nine settings, node three and some optimizations.
    const MAX_RUNS: u32 = 40;

    fn signature(
        &mut self,
        module: &WasmModule,
        target: &WasmTarget,
        report: &Report,
        limits: &Limits,
    ) -> Result<Signature, OracleError> {
        let verdict = report.verdict;
        let crash = Crash::read(&report.evidence, said_by_engine);
        let has_panicked =
            report.evidence.last().is_some_and(|it| !said_by_engine(&it.message).trace.is_empty());
        let (suspected_causes, detail) = match verdict {
            Verdict::CompilerCrash => (crash.trace, crash.detail),
            Verdict::Crash if has_panicked => (crash.trace, crash.detail),
            _ if verdict.is_finding() => {
                let mut limits = limits.clone();
                if matches!(verdict, Verdict::Hang | Verdict::CompilerTimeout) {
                    limits.run_time = limits.run_time.min(HANG_TIME);
                    limits.compile_time = limits.compile_time.min(HANG_TIME);
                }
                let budget = RunBudget::new(Self::MAX_RUNS);
                let mut trials = Trials { oracle: self, module, limits, found: verdict, budget };
                let suspected_causes = trials.suspected_causes(target)?;
                (suspected_causes, joined([trials.budget.remark()]))
            }
            _ => Default::default(),
        };
        Ok(Signature { verdict, target: target.engine.clone(), suspected_causes, detail })
    }
}

/// A finding, and what it may be tried on.
struct Trials<'a> {
    oracle: &'a mut WasmOracle,
    module: &'a WasmModule,
    limits: Limits,
    found: Verdict,
    budget: RunBudget,
}

impl Trials<'_> {
    fn suspected_causes(&mut self, target: &WasmTarget) -> Result<Vec<String>, OracleError> {
        let settings = settings(target);
        let mut shown = Vec::new();
        let mut all_show = true;
        for other in &settings {
            match self.on(other)? {
                TrialOutcome::Fails => shown.push(other),
                TrialOutcome::Passes => all_show = false,
                TrialOutcome::Unclear => {}
            }
        }
        if shown.is_empty() {
            return Ok(vec![target.setting.to_string()]);
        }
        let mut suspected_causes: Vec<String> = match all_show && shown.len() > 1 {
            true => vec!["every setting".to_owned()],
            false => shown.iter().map(|shown| shown.setting.to_string()).collect(),
        };
        let optimizing = shown.iter().find(|shown| shown.setting.name() == Some("turbofan"));
        if let Some(node) = optimizing.filter(|node| node.engine == "node" && !all_show) {
            suspected_causes = vec!["turbofan".to_owned()];
            for name in NODE_OPTIMIZATIONS {
                let args = std::iter::once(format!("--no-{name}")).chain(node.args.clone());
                let setting =
                    Setting::Random(vec![node.setting.to_string(), format!("--no-{name}")]);
                let without = WasmTarget { args: args.collect(), setting, ..(*node).clone() };
                if self.on(&without)? == TrialOutcome::Passes {
                    suspected_causes.push(name.to_owned());
                }
            }
        }
        Ok(suspected_causes)
    }

    fn on(&mut self, target: &WasmTarget) -> Result<TrialOutcome, OracleError> {
        if !self.budget.take() {
            return Ok(TrialOutcome::Unclear);
        }
        self.oracle.write("module.wasm", &self.module.bytes)?;
        let (report, _) = self.oracle.ask(self.module, target, &self.limits, false)?;
        Ok(TrialOutcome::of(report.verdict, self.found))
    }
}

/// All settings of a target's engine; the one that it has, where there are no others.
fn settings(target: &WasmTarget) -> Vec<WasmTarget> {
    let with = |name: &str, args: Vec<String>| WasmTarget {
        setting: Setting::named(name),
        args,
        ..target.clone()
    };
    let embedded = embedded_settings().into_iter().filter(|known| known.engine == target.engine);
    let embedded: Vec<WasmTarget> = embedded
        .map(|known| with(known.name, vec!["engine".to_owned(), known.name.to_owned()]))
        .collect();
    match &target.engine[..] {
        _ if !embedded.is_empty() => embedded,
        "node" => NODE_SETTINGS
            .iter()
            .map(|(name, flags)| {
                let args = flags.iter().chain(&[NODE_HOST_FILE]).map(|&arg| arg.to_owned());
                with(name, args.collect())
            })
            .collect(),
        _ => vec![target.clone()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(engine: &str, setting: &str) -> WasmTarget {
        WasmTarget {
            engine: engine.to_owned(),
            version: String::new(),
            setting: Setting::named(setting),
            command: "command".into(),
            args: Vec::new(),
        }
    }

    #[test]
    fn engines_are_asked_in_all_their_settings() {
        let of_wasmtime = settings(&target("wasmtime", "winch"));
        assert_eq!(of_wasmtime.len(), 9);
        assert_eq!(of_wasmtime[0].args, ["engine", "cranelift-speed"]);
        let of_node = settings(&target("node", "default"));
        assert_eq!(of_node[2].args, ["--no-liftoff", "host.js"]);
        let other = target("wasm-interp", "default");
        assert_eq!(settings(&other), [other]);
    }
}
