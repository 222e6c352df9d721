//! What causes findings in WebAssembly engines.

use pathsmith_backend_wasm::WasmModule;

use super::{WasmEngine, WasmOracle, WasmTarget};
use crate::crash::{Crash, read_engine_crash};
use crate::oracle::{Limits, OracleError};
use crate::signature::{RunBudget, Signature, SuppressingFlag, Triage, TrialOutcome, joined};
use crate::verdict::{Report, Verdict};

/// How long calls may take each time if one hangs, in seconds, if the limits allow for more. A
/// guess.
const HANG_TIME: u64 = 5;

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
        let mut signature = Signature::new(verdict, &target.engine, Vec::new());
        if has_crashed(report) {
            let crash = Crash::read(&report.evidence, read_engine_crash);
            (signature.suspected_causes, signature.detail) = (crash.trace, crash.detail);
            signature.is_crash_report = true;
        } else if verdict.is_finding() {
            let mut limits = limits.clone();
            if matches!(verdict, Verdict::Hang | Verdict::CompilerTimeout) {
                limits.run_time = limits.run_time.min(HANG_TIME);
                limits.compile_time = limits.compile_time.min(HANG_TIME);
            }
            let budget = RunBudget::new(Self::MAX_RUNS);
            let mut trials = Trials { oracle: self, module, limits, found: verdict, budget };
            let (suspected_causes, flags) = trials.suspected_causes(target)?;
            signature.detail = joined([trials.budget.remark()]);
            signature.suspected_causes = suspected_causes;
            signature.suppressing_flags = SuppressingFlag::ranked(flags, |_| false, None);
        }
        Ok(signature)
    }

    fn crash_report(_target: &WasmTarget, report: &Report) -> Option<Vec<String>> {
        has_crashed(report).then(|| Crash::read(&report.evidence, read_engine_crash).trace)
    }
}

/// Whether the engine has crashed, and not only the compiled program.
fn has_crashed(report: &Report) -> bool {
    let has_panicked =
        report.evidence.last().is_some_and(|it| !read_engine_crash(&it.message).trace.is_empty());
    match report.verdict {
        Verdict::CompilerCrash => true,
        Verdict::Crash => has_panicked,
        Verdict::Agrees
        | Verdict::Skipped
        | Verdict::InfrastructureFailure
        | Verdict::CompileError
        | Verdict::SanitizerError
        | Verdict::CompilerTimeout
        | Verdict::Hang
        | Verdict::WrongResult => false,
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
    /// The suspected causes, and the flags that suppress the finding.
    fn suspected_causes(
        &mut self,
        target: &WasmTarget,
    ) -> Result<(Vec<String>, Vec<String>), OracleError> {
        let engine = WasmEngine::named(&target.engine);
        let settings = match engine {
            Some(engine) => engine.in_all_settings(target),
            None => vec![target.clone()],
        };
        let mut failing = Vec::new();
        let mut all_fail = true;
        for other in &settings {
            match self.on(other)? {
                TrialOutcome::Fails => failing.push(other),
                TrialOutcome::Passes => all_fail = false,
                TrialOutcome::Unclear => {}
            }
        }
        if failing.is_empty() {
            return Ok((vec![target.setting.to_string()], Vec::new()));
        }
        if let Some(optimizations) = engine.and_then(WasmEngine::optimizations)
            && !all_fail
            && let Some(optimizing) =
                failing.iter().find(|it| it.setting.name() == Some(optimizations.setting))
        {
            let mut suspected = vec![optimizations.setting.to_owned()];
            let mut flags = Vec::new();
            for name in optimizations.names {
                let flag = format!("--no-{name}");
                let args = std::iter::once(flag.clone()).chain(optimizing.args.clone());
                let without = WasmTarget { args: args.collect(), ..(*optimizing).clone() };
                if self.on(&without)? == TrialOutcome::Passes {
                    suspected.push((*name).to_owned());
                    flags.push(flag);
                }
            }
            return Ok((suspected, flags));
        }
        let causes = match all_fail && failing.len() > 1 {
            true => vec!["every setting".to_owned()],
            false => failing.iter().map(|it| it.setting.to_string()).collect(),
        };
        Ok((causes, Vec::new()))
    }

    fn on(&mut self, target: &WasmTarget) -> Result<TrialOutcome, OracleError> {
        if !self.budget.take() {
            return Ok(TrialOutcome::Unclear);
        }
        self.oracle.write_module(self.module)?;
        let asked = self.oracle.ask(self.module, target, &self.limits, false)?;
        Ok(TrialOutcome::of(asked.report.verdict, self.found))
    }
}
