//! What causes findings in JVMs: which compiler, which of its optimizations, which method.

use pathsmith_backend_jvm::JvmClasses;

use super::flags::disabling_flags;
use super::protocol::JvmProtocol;
use super::setting::UNLOCK;
use super::{DEFAULT_WARMUP, JvmOracle, JvmSetting, JvmTarget, Warmup};
use crate::crash::{Crash, is_in_own_code, read_hotspot_crash};
use crate::oracle::{Limits, OracleError};
use crate::search::singles;
use crate::signature::{RunBudget, Signature, SuppressingFlag, Triage, TrialOutcome, joined};
use crate::verdict::{Evidence, Report, Verdict};

/// How long a function may take each time if one hangs, in seconds, if the limits allow for more. A
/// guess.
const HANG_TIME: u64 = 10;

/// How many flags are tried at once if each try may take [`HANG_TIME`]. One that disables what a
/// suppressing flag of the group needs can hide it then.
const GROUP: usize = 8;

/// How many methods are excluded from compilation, one at a time. A guess that bounds the time.
const MAX_METHODS: usize = 16;

/// The settings that stand for a single tier, the simplest first.
const TIERS: [&str; 3] = ["int", "c1", "c2"];

/// Optimizations and limits without which most others have nothing to do. A guess.
const BROAD: [&str; 17] = [
    "C1MaxInlineLevel",
    "C1MaxInlineSize",
    "ClipInlining",
    "DominatorSearchLimit",
    "FreqInlineSize",
    "Inline",
    "InlineSmallCode",
    "LoopOptsCount",
    "LoopUnrollLimit",
    "MaxInlineLevel",
    "MaxInlineSize",
    "MaxNodeLimit",
    "OptoScheduling",
    "SplitIfBlocks",
    "UseGlobalValueNumbering",
    "UseOnStackReplacement",
    "ValueSearchLimit",
];

impl Triage for JvmOracle {
    /// C2 has some 80 flags that disable something; finding out which of them a JVM takes is not
    /// counted.
    const MAX_RUNS: u32 = 160;

    fn signature(
        &mut self,
        classes: &JvmClasses,
        target: &JvmTarget,
        report: &Report,
        limits: &Limits,
    ) -> Result<Signature, OracleError> {
        let verdict = report.verdict;
        let name = if target.machine.is_hotspot { "java" } else { &target.machine.name };
        let mut signature = Signature::new(verdict, name, Vec::new());
        if has_crashed(report) {
            let crash = Crash::read(&report.evidence, read_hotspot_crash);
            (signature.suspected_causes, signature.detail) = (crash.trace, crash.detail);
            signature.is_crash_report = true;
        } else if verdict.is_finding() {
            let mut limits = limits.clone();
            if verdict == Verdict::Hang {
                limits.run_time = limits.run_time.min(HANG_TIME);
            }
            let budget = RunBudget::new(Self::MAX_RUNS);
            let mut trials =
                Trials { oracle: self, classes, target, limits, found: verdict, budget };
            let found = trials.suspected_causes()?;
            signature.detail = joined([found.detail, trials.budget.remark()]);
            signature.suspected_causes = found.causes;
            signature.suppressing_flags = SuppressingFlag::ranked(
                found.flags,
                |flag| BROAD.contains(&&optimization(flag)[..]),
                None,
            );
        }
        Ok(signature)
    }

    fn crash_report(_target: &JvmTarget, report: &Report) -> Option<Vec<String>> {
        has_crashed(report).then(|| Crash::read(&report.evidence, read_hotspot_crash).trace)
    }
}

/// Whether the JVM has crashed, and not only the compiled program.
fn has_crashed(report: &Report) -> bool {
    let log = report.evidence.last().and_then(|last: &Evidence| last.log.as_deref());
    report.verdict == Verdict::CompilerCrash || log.is_some_and(is_in_own_code)
}

/// What a finding is suspected to come from, and the flags that suppress it.
#[derive(Debug, Default)]
struct Suspected {
    causes: Vec<String>,
    flags: Vec<String>,
    detail: Option<String>,
}

/// A finding, and what it may be tried on.
struct Trials<'a> {
    oracle: &'a mut JvmOracle,
    classes: &'a JvmClasses,
    target: &'a JvmTarget,
    limits: Limits,
    found: Verdict,
    budget: RunBudget,
}

impl Trials<'_> {
    fn suspected_causes(&mut self) -> Result<Suspected, OracleError> {
        let n_calls = match self.target.setting.warmup {
            Warmup::Hot(n_calls) => n_calls,
            Warmup::Once | Warmup::Twice => DEFAULT_WARMUP,
        };
        // The simplest way to run it that shows it says more than the one it was found with.
        for setting in JvmSetting::built_in(&self.target.machine, n_calls) {
            let is_tier = setting.name.name().is_some_and(|name| TIERS.contains(&name));
            if is_tier && self.with(&setting)? == TrialOutcome::Fails {
                return self.in_setting(setting, None);
            }
        }
        let Some((setting, needed)) = self.reduced()? else {
            let level = level(&self.target.setting).to_owned();
            let detail = Some("it did not show again".to_owned());
            return Ok(Suspected { causes: vec![level], detail, ..Suspected::default() });
        };
        let with = match (needed.is_empty(), setting.name.name()) {
            (false, _) => Some(format!("with {}", needed.join(" "))),
            // Its tier alone does not show it.
            (true, Some(name)) if name != level(&setting) => Some(format!("with {name}")),
            (true, _) => None,
        };
        self.in_setting(setting, with)
    }

    /// The finding's setting without the random flags that it does not need, and those that it
    /// does. Nothing if it does not show the finding.
    fn reduced(&mut self) -> Result<Option<(JvmSetting, Vec<String>)>, OracleError> {
        let mut setting = self.target.setting.clone();
        if self.with(&setting)? != TrialOutcome::Fails {
            return Ok(None);
        }
        let random = setting.flags.iter().position(|flag| flag == UNLOCK);
        let Some(first) = random.map(|at| at + 1) else { return Ok(Some((setting, Vec::new()))) };
        for i in (first..setting.flags.len()).rev() {
            let mut fewer = setting.clone();
            fewer.flags.remove(i);
            if self.with(&fewer)? == TrialOutcome::Fails {
                setting = fewer;
            }
        }
        let needed = setting.flags[first..].to_vec();
        Ok(Some((setting, needed)))
    }

    /// The compiler, and those of its optimizations whose absence hides the finding.
    fn in_setting(
        &mut self,
        setting: JvmSetting,
        with: Option<String>,
    ) -> Result<Suspected, OracleError> {
        let level = level(&setting);
        let mut causes = vec![level.to_owned()];
        let compiler = match level {
            "c1" => "C1",
            "c2" | "comp" | "tiered" if self.target.machine.is_hotspot => "C2",
            // An interpreter has nothing to disable.
            _ => return Ok(Suspected { causes, detail: with, ..Suspected::default() }),
        };
        let methods = self.methods(&setting)?;
        let disabling = self.disabling_flags(compiler)?;
        let group = if self.found == Verdict::Hang { GROUP } else { 1 };
        let mut is_suppressing = |flags: &[String]| {
            let mut without = setting.clone();
            without.flags.push(UNLOCK.to_owned());
            without.flags.extend_from_slice(flags);
            Ok(self.with(&without)? == TrialOutcome::Passes)
        };
        let mut flags = Vec::new();
        for group in disabling.chunks(group) {
            flags.extend(singles(group, &mut is_suppressing)?);
        }
        causes.extend(flags.iter().map(|flag| optimization(flag)));
        let methods =
            (!methods.is_empty()).then(|| format!("{} has to be compiled", methods.join(" and ")));
        Ok(Suspected { causes, flags, detail: joined([methods, with]) })
    }

    /// The functions that have to be compiled for the finding to show.
    fn methods(&mut self, setting: &JvmSetting) -> Result<Vec<String>, OracleError> {
        let mut needed = Vec::new();
        for (name, _) in self.classes.methods.iter().take(MAX_METHODS) {
            let mut without = setting.clone();
            without.flags.push("-XX:CompileCommand=quiet".to_owned());
            without.flags.push(format!("-XX:CompileCommand=exclude,*.{name}"));
            if self.with(&without)? == TrialOutcome::Passes {
                needed.push(name.clone());
            }
        }
        Ok(needed)
    }

    fn disabling_flags(&mut self, compiler: &'static str) -> Result<Vec<String>, OracleError> {
        let machine = &self.target.machine;
        let of = (machine.path.clone(), compiler);
        if let Some(known) = self.oracle.disabling_flags.get(&of) {
            return Ok(known.clone());
        }
        let found = disabling_flags(machine, compiler, &self.oracle.sessions.stop)?;
        self.oracle.disabling_flags.insert(of, found.clone());
        Ok(found)
    }

    /// Runs the classes on a JVM of their own with another setting.
    fn with(&mut self, setting: &JvmSetting) -> Result<TrialOutcome, OracleError> {
        if !self.budget.take() {
            return Ok(TrialOutcome::Unclear);
        }
        let machine = self.target.machine.clone();
        let target = JvmTarget { machine, setting: setting.clone() };
        let (classes, limits) = (self.classes, &self.limits);
        let asked = self.oracle.sessions.fresh::<JvmProtocol, _>(&target, |sessions| {
            sessions.ask::<JvmProtocol>(classes, &target, limits, false)
        })?;
        Ok(TrialOutcome::of(asked.report.verdict, self.found))
    }
}

/// How a setting runs programs: its name, or which of the built-in ones its random flags are for.
fn level(setting: &JvmSetting) -> &str {
    let has = |flag: &str| setting.flags.iter().any(|known| known == flag);
    match setting.name.name() {
        Some(name) => setting.tier().unwrap_or(name),
        None if has("-XX:TieredStopAtLevel=1") => "c1",
        None if has("-XX:-TieredCompilation") => "c2",
        None if has("-Xcomp") => "comp",
        None => "tiered",
    }
}

/// What a flag disables: `UseSuperWord` of `-XX:-UseSuperWord`, `UseAVX` of `-XX:UseAVX=0`.
fn optimization(flag: &str) -> String {
    let name = flag.trim_start_matches("-XX:").trim_start_matches('-');
    name.split('=').next().unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_and_flags_have_short_names() {
        let flags = ["-XX:-TieredCompilation", "-Xbatch", UNLOCK, "-XX:UseAVX=0"];
        let random = JvmSetting::named("all", &flags, 100);
        let random = random.with_flags(random.flags.clone());
        assert_eq!(level(&random), "c2");
        assert_eq!(level(&JvmSetting::named("tiered", &flags, 100)), "tiered");
        assert_eq!(level(&JvmSetting::named("c2-osr", &flags, 100)), "c2");
        assert_eq!(level(&JvmSetting::named("mine", &flags, 100)), "mine");
        assert_eq!(optimization("-XX:UseAVX=0"), "UseAVX");
        assert_eq!(optimization("-XX:-UseSuperWord"), "UseSuperWord");
    }
}
