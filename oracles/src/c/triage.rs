//! What causes findings in C compilers.

use pathsmith_backend_c::CSource;

use super::bisect::bisected_pass_run;
use super::passes::{bisected_pass, kind};
use super::suppressing_flags::suppressing_flags;
use super::trials::Trials;
use super::{COracle, CTarget, Compiler, Toolchain};
use crate::crash::{Crash, read_clang_crash, read_gcc_crash};
use crate::oracle::{Limits, OracleError};
use crate::signature::{RunBudget, Signature, Triage, TrialOutcome, joined};
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
        let compiler = target.toolchain.compiler;
        let (suspected_causes, detail) = match verdict {
            Verdict::CompilerCrash => {
                let reader = match compiler {
                    Compiler::Gcc => read_gcc_crash,
                    Compiler::Clang | Compiler::Other => read_any_crash,
                };
                let crash = Crash::read(&report.evidence, reader);
                (crash.trace, crash.detail)
            }
            Verdict::Hang | Verdict::Crash | Verdict::WrongResult | Verdict::CompilerTimeout => {
                let mut limits = limits.clone();
                limits.run_time = limits.run_time.min(RUN_TIME);
                if verdict == Verdict::CompilerTimeout {
                    limits.compile_time = limits.compile_time.min(HANG_TIME);
                }
                let budget = RunBudget::new(Self::MAX_RUNS);
                let mut trials = Trials::new(self, source, target, &limits, verdict, budget);
                let (suspected_causes, detail) = wrong_code(&mut trials)?;
                (suspected_causes, joined([detail, trials.budget.remark()]))
            }
            Verdict::Agrees
            | Verdict::Skipped
            | Verdict::InfrastructureFailure
            | Verdict::CompileError
            | Verdict::SanitizerError => Default::default(),
        };
        let target = family(&target.toolchain);
        Ok(Signature { verdict, target, suspected_causes, detail })
    }
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

type Suspected = (Vec<String>, Option<String>);

/// What causes wrong code: optimizations or passes, or else the level.
fn wrong_code(trials: &mut Trials<'_>) -> Result<Suspected, OracleError> {
    let given = Flags::new(&trials.target.setting.flags, trials.target.toolchain.compiler);
    let Some((flags, needed)) = given.reduced(trials)? else {
        return Ok((given.level, Some("it did not show again".to_owned())));
    };
    let with = (!needed.is_empty()).then(|| format!("with {}", needed.join(" ")));
    let (suspected_causes, detail) = match trials.target.toolchain.compiler {
        Compiler::Gcc => in_gcc(trials, &flags)?,
        Compiler::Clang => in_clang(trials, &flags)?,
        Compiler::Other => Default::default(),
    };
    let suspected_causes = if suspected_causes.is_empty() { given.level } else { suspected_causes };
    Ok((suspected_causes, joined([detail, with])))
}

fn in_gcc(trials: &mut Trials<'_>, flags: &[String]) -> Result<Suspected, OracleError> {
    let pass = bisected_pass(trials, flags)?;
    // A compiler that hangs takes its time for each flag.
    let mut suspected_causes = match trials.found == Verdict::CompilerTimeout {
        true => Vec::new(),
        false => suppressing_flags(trials, flags)?,
    };
    if let Some(pass) = pass.as_ref().filter(|_| suspected_causes.is_empty()) {
        suspected_causes.push(format!("pass {}", kind(pass)));
    }
    Ok((suspected_causes, pass.map(|pass| format!("bisected to pass {pass}"))))
}

fn in_clang(trials: &mut Trials<'_>, flags: &[String]) -> Result<Suspected, OracleError> {
    let found = bisected_pass_run(trials, flags)?;
    Ok(found.map(|run| (vec![run.name], Some(run.place))).unwrap_or_default())
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
