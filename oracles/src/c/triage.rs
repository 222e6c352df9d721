//! What causes findings in C compilers.

use pathsmith_backend_c::CSource;

use super::bisect::{bisected_pass_run, disabling_flags};
use super::passes::{bisected_pass, kind};
use super::suppressing_flags::{is_broad, suppressing_flags};
use super::trials::Trials;
use super::{COracle, CTarget, Compiler, Toolchain};
use crate::crash::{Crash, read_clang_crash, read_gcc_crash};
use crate::oracle::{Limits, OracleError};
use crate::signature::{RunBudget, Signature, SuppressingFlag, Triage, TrialOutcome, joined};
use crate::verdict::{Report, Verdict};

/// How long a compiler that hangs may take each time, in seconds, if the limits allow for more. A
/// guess.
const HANG_TIME: u64 = 10;

/// How long a program may run during triage, in seconds. It takes milliseconds, and hangs with many
/// of the flags that are tried.
const RUN_TIME: u64 = 1;

impl Triage for COracle {
    /// gcc has some 150 optimizations that can be disabled. Measured: 60 to 110 runs for gcc, 15 for
    /// clang.
    const MAX_RUNS: u32 = 400;

    fn signature(
        &mut self,
        source: &CSource,
        target: &CTarget,
        report: &Report,
        limits: &Limits,
    ) -> Result<Signature, OracleError> {
        let verdict = report.verdict;
        let mut signature = Signature::new(verdict, family(&target.toolchain), Vec::new());
        match verdict {
            Verdict::CompilerCrash => {
                let crash = read_crash(target, report);
                signature.suspected_causes = crash.trace;
                signature.detail = crash.detail;
                signature.is_crash_report = true;
            }
            Verdict::Hang | Verdict::Crash | Verdict::WrongResult | Verdict::CompilerTimeout => {
                let mut limits = limits.clone();
                limits.run_time = limits.run_time.min(RUN_TIME);
                if verdict == Verdict::CompilerTimeout {
                    limits.compile_time = limits.compile_time.min(HANG_TIME);
                }
                let budget = RunBudget::new(Self::MAX_RUNS);
                let mut trials = Trials::new(self, source, target, &limits, verdict, budget);
                let found = wrong_code(&mut trials)?;
                signature.suspected_causes = found.causes;
                signature.detail = joined([found.detail, trials.budget.remark()]);
                signature.suppressing_flags = found.flags;
                signature.bisected_pass = found.pass;
            }
            Verdict::Agrees
            | Verdict::Skipped
            | Verdict::InfrastructureFailure
            | Verdict::CompileError
            | Verdict::SanitizerError => {}
        }
        Ok(signature)
    }

    fn crash_report(target: &CTarget, report: &Report) -> Option<Vec<String>> {
        (report.verdict == Verdict::CompilerCrash).then(|| read_crash(target, report).trace)
    }
}

fn read_crash(target: &CTarget, report: &Report) -> Crash {
    let reader = match target.toolchain.compiler {
        Compiler::Gcc => read_gcc_crash,
        Compiler::Clang | Compiler::Other => read_any_crash,
    };
    Crash::read(&report.evidence, reader)
}

fn family(toolchain: &Toolchain) -> String {
    match toolchain.compiler {
        Compiler::Gcc | Compiler::Clang => toolchain.compiler.to_string(),
        Compiler::Other => toolchain.name.clone(),
    }
}

/// Reads the crash of a compiler that is like clang or like gcc.
fn read_any_crash(text: &str) -> Crash {
    let crash = read_clang_crash(text);
    if crash.trace.is_empty() { read_gcc_crash(text) } else { crash }
}

/// What wrong code is suspected to come from.
#[derive(Debug, Default)]
struct Suspected {
    causes: Vec<String>,
    detail: Option<String>,
    flags: Vec<SuppressingFlag>,
    pass: Option<String>,
}

/// What causes wrong code: optimizations or passes, or else the level.
fn wrong_code(trials: &mut Trials<'_>) -> Result<Suspected, OracleError> {
    let given = Flags::new(&trials.target.setting.flags, trials.target.toolchain.compiler);
    let Some((flags, needed)) = given.reduced(trials)? else {
        let detail = Some("it did not show again".to_owned());
        return Ok(Suspected { causes: given.level, detail, ..Suspected::default() });
    };
    let with = (!needed.is_empty()).then(|| format!("with {}", needed.join(" ")));
    let mut found = match trials.target.toolchain.compiler {
        Compiler::Gcc => in_gcc(trials, &flags)?,
        Compiler::Clang => in_clang(trials, &flags)?,
        Compiler::Other => Suspected::default(),
    };
    if found.causes.is_empty() {
        found.causes = given.level;
    }
    found.detail = joined([found.detail, with]);
    Ok(found)
}

fn in_gcc(trials: &mut Trials<'_>, flags: &[String]) -> Result<Suspected, OracleError> {
    let pass = bisected_pass(trials, flags)?;
    // A compiler that hangs takes its time for each flag.
    let mut causes = match trials.found == Verdict::CompilerTimeout {
        true => Vec::new(),
        false => suppressing_flags(trials, flags)?,
    };
    let kind = pass.as_deref().map(kind);
    // `-fno-tree-slsr` disables the pass `tree-slsr`, and `-fno-ivopts` the pass `tree-ivopts`.
    let of_pass = kind.and_then(|kind| {
        let is_its = |name: &&String| **name == kind || format!("tree-{name}") == kind;
        causes.iter().find(is_its).map(|name| format!("-fno-{name}"))
    });
    let suppressing = causes.iter().map(|name| format!("-fno-{name}"));
    let is_broad = |flag: &str| is_broad(flag.trim_start_matches("-fno-"));
    let flags = SuppressingFlag::ranked(suppressing, is_broad, of_pass.as_deref());
    if let Some(kind) = kind.filter(|_| causes.is_empty()) {
        causes.push(format!("pass {kind}"));
    }
    let detail = pass.as_ref().map(|pass| format!("bisected to pass {pass}"));
    Ok(Suspected { causes, detail, flags, pass: kind.map(str::to_owned) })
}

fn in_clang(trials: &mut Trials<'_>, flags: &[String]) -> Result<Suspected, OracleError> {
    let Some(run) = bisected_pass_run(trials, flags)? else { return Ok(Suspected::default()) };
    let mut suppressing = Vec::new();
    for (words, is_broad) in disabling_flags(&run.name) {
        let with: Vec<String> = flags.iter().cloned().chain(words.clone()).collect();
        if trials.with_flags(&with)? == TrialOutcome::Passes {
            suppressing.push(SuppressingFlag { flag: words.join(" "), is_broad });
            break;
        }
    }
    let (causes, pass) = (vec![run.name.clone()], Some(run.name));
    Ok(Suspected { causes, detail: Some(run.place), flags: suppressing, pass })
}

/// Flags, and those of them that are not the level.
type Reduced = (Vec<String>, Vec<String>);

/// The flags of a setting: a level, and others, which are words that belong together.
struct Flags {
    level: Vec<String>,
    others: Vec<Vec<String>>,
}

impl Flags {
    fn new(flags: &[String], compiler: Compiler) -> Self {
        let mut sorted = Self { level: Vec::new(), others: Vec::new() };
        let mut words = flags.iter().filter(|flag| !compiler.own_flags().contains(&&flag[..]));
        while let Some(word) = words.next() {
            if word.starts_with("-O") {
                // The last one counts.
                sorted.level = vec![word.clone()];
            } else if word == "-mllvm" {
                sorted.others.push(std::iter::once(word).chain(words.next()).cloned().collect());
            } else {
                sorted.others.push(vec![word.clone()]);
            }
        }
        sorted
    }

    /// As few flags as show the finding, and those of them that are not the level. Nothing if all of
    /// them together do not show it.
    fn reduced(&self, trials: &mut Trials<'_>) -> Result<Option<Reduced>, OracleError> {
        let fails = |trials: &mut Trials<'_>, others: &[Vec<String>]| {
            Ok(trials.with_flags(&self.with(others))? == TrialOutcome::Fails)
        };
        if fails(trials, &[])? {
            return Ok(Some((self.with(&[]), Vec::new())));
        }
        if self.others.is_empty() || !fails(trials, &self.others)? {
            return Ok(None);
        }
        let mut needed = self.others.clone();
        for i in (0..needed.len()).rev() {
            let mut fewer = needed.clone();
            fewer.remove(i);
            if fails(trials, &fewer)? {
                needed = fewer;
            }
        }
        Ok(Some((self.with(&needed), needed.concat())))
    }

    fn with(&self, others: &[Vec<String>]) -> Vec<String> {
        [self.level.clone(), others.concat()].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_taken_apart() {
        let words = ["-O2", "-fwrapv", "-mllvm", "-enable-gvn-hoist", "-std=gnu17", "-w"];
        let flags = Flags::new(&words.map(str::to_owned), Compiler::Clang);
        assert_eq!(flags.level, ["-O2"]);
        assert_eq!(flags.others, [&["-fwrapv"][..], &["-mllvm", "-enable-gvn-hoist"]]);
        assert_eq!(flags.with(&flags.others), words[..4]);
    }
}
