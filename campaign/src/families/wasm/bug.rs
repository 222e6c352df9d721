//! The search for a module that shows a finding without a host of ours: one call, checked inside.
//!
//! What is tested is the text that is written. Nothing is written that the target does not get wrong
//! twice, or that no other engine gets right.

use std::collections::BTreeMap;

use pathsmith_backend::Backend;
use pathsmith_backend_wasm::{Checksum, LooksAt, WasmBackend, WasmModule, WasmOptions};
use pathsmith_oracles::wasm::{UserLine, WasmEngine, WasmOracle, WasmTarget};
use pathsmith_oracles::{Limits, Oracle, OracleError, Verdict};
use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::Program;

use super::WasmEngines;
use super::tidy::{tidied, with_tee};
use crate::bug_file::{Binary, Bug, BugFile, CheckedCall};
use crate::finding::Finding;
use crate::reproducer::{Reproducer, failed_call};
use crate::short_names::with_short_names;

/// The files' name without its end.
pub(super) const NAME: &str = "bug";
/// The text.
const TEXT_FILE: &str = "bug.wat";
/// The same in its binary form, for engines that do not read text.
const BINARY_FILE: &str = "bug.wasm";

/// What is to be shown, and by what.
pub(super) struct BugSearch<'a> {
    pub(super) oracle: &'a mut WasmOracle,
    pub(super) finding: &'a Finding,
    pub(super) known: &'a Reproducer<WasmEngines>,
    pub(super) limits: &'a Limits,
    pub(super) is_over: &'a (dyn Fn() -> bool + Sync),
}

/// What other engines make of a module.
#[derive(Debug, Default)]
struct Opinions {
    /// Settings of engines that are right.
    right: BTreeMap<String, Vec<String>>,
    /// Settings of engines that are wrong too.
    wrong: BTreeMap<String, Vec<String>>,
    /// Whether another engine than the target is right.
    is_independent: bool,
}

impl BugSearch<'_> {
    /// Looks for a module that shows the finding.
    ///
    /// # Errors
    /// If the oracle cannot work.
    pub(super) fn run(mut self) -> Result<Bug, OracleError> {
        let target = &self.known.target;
        let engine = WasmEngine::named(&target.engine);
        let Some(line) = engine.and_then(|engine| engine.user_line(target, NAME)) else {
            return Ok(Bug::none("no command is known that runs a module on this target"));
        };
        let Some((function, realization)) = self.call() else {
            return Ok(Bug::none("the program has no realization"));
        };
        let mut objection = "no module without imports shows it";
        for (program, options) in self.lowerings() {
            for looks_at in [LooksAt::Result, LooksAt::Memory] {
                if (self.is_over)() {
                    return Ok(Bug::none("stopped before a file was found"));
                }
                let Ok(module) = WasmBackend.lower(&program, &options) else { continue };
                let module = module.stand_alone(function.index(), realization, looks_at);
                let Ok(module) = module else { continue };
                let Some((written, verdict)) = self.first_that_shows(&module)? else { continue };
                let opinions = self.opinions(&written)?;
                if !opinions.is_independent {
                    objection = "no other engine gets it right";
                    continue;
                }
                let is_result = verdict == Verdict::WrongResult;
                let known = program.function(function);
                let checked = (is_result && looks_at == LooksAt::Result)
                    .then(|| CheckedCall::new(&known.name, &known.realizations[realization]));
                return Ok(Bug {
                    file: Some(file(&written, verdict, line, checked)),
                    note: opinions.note(),
                    scrutiny: None,
                });
            }
        }
        Ok(Bug::none(objection))
    }

    /// Ways to lower the program: the simplest first, without the table of a checksum, which is long.
    /// Options may refer to names, so only those that do not come with short ones.
    fn lowerings(&self) -> [(Program, WasmOptions); 3] {
        let Reproducer { program, options, .. } = self.known;
        let short = |options| WasmOptions { checksum: Checksum::Bitwise, ..options };
        [
            (with_short_names(program), short(WasmOptions::default())),
            (program.clone(), short(options.clone())),
            (program.clone(), options.clone()),
        ]
    }

    /// The call that goes wrong, or any if none of them does.
    fn call(&self) -> Option<(FuncId, usize)> {
        let program = &self.known.program;
        let any = || {
            let has_some = |id: &FuncId| !program.function(*id).realizations.is_empty();
            program.functions_with_ids().map(|(id, _)| id).find(has_some).map(|id| (id, 0))
        };
        failed_call(self.finding, program).or_else(any)
    }

    /// The shortest text of a module that shows the finding, and what the target does with it.
    fn first_that_shows(
        &mut self,
        module: &WasmModule,
    ) -> Result<Option<(Written, Verdict)>, OracleError> {
        for written in Written::all(module) {
            if let Some(verdict) = self.that_shows(&written)? {
                return Ok(Some((written, verdict)));
            }
        }
        Ok(None)
    }

    /// What the target does with a module, if that shows the finding, and does so twice.
    fn that_shows(&mut self, written: &Written) -> Result<Option<Verdict>, OracleError> {
        let is_shown = |verdict: Verdict| match self.finding.verdict.is_about_compiling() {
            true => verdict == self.finding.verdict,
            false => match verdict {
                Verdict::Hang | Verdict::Crash | Verdict::WrongResult => true,
                Verdict::Agrees | Verdict::Skipped | Verdict::InfrastructureFailure => false,
                Verdict::CompileError | Verdict::SanitizerError => false,
                Verdict::CompilerTimeout | Verdict::CompilerCrash => false,
            },
        };
        let mut last = None;
        for _ in 0..2 {
            let report = self.oracle.run(&written.module, &self.known.target, self.limits)?;
            if !is_shown(report.verdict) {
                return Ok(None);
            }
            last = Some(report.verdict);
        }
        Ok(last)
    }

    /// What the other engines and settings at hand make of a module.
    fn opinions(&mut self, written: &Written) -> Result<Opinions, OracleError> {
        let own = &self.known.target;
        let mut opinions = Opinions::default();
        let is_other =
            |other: &WasmTarget| (&other.name, &other.setting) != (&own.name, &own.setting);
        for other in self.oracle.targets()?.into_iter().filter(is_other) {
            let verdict = self.oracle.run(&written.module, &other, self.limits)?.verdict;
            let group = match verdict {
                Verdict::Agrees => &mut opinions.right,
                Verdict::Skipped | Verdict::InfrastructureFailure => continue,
                _ => &mut opinions.wrong,
            };
            group.entry(other.version.clone()).or_default().push(other.setting.to_string());
            opinions.is_independent |= verdict == Verdict::Agrees && other.engine != own.engine;
        }
        Ok(opinions)
    }
}

impl Opinions {
    /// `right on node v20 (default, liftoff); also wrong on wasmi 2.0.0 (wasmi-lazy)`
    fn note(&self) -> String {
        let listed = |engines: &BTreeMap<String, Vec<String>>| {
            let of = |(version, settings): (&String, &Vec<String>)| {
                format!("{version} ({})", settings.join(", "))
            };
            engines.iter().map(of).collect::<Vec<_>>().join(", ")
        };
        let mut note = format!("right on {}", listed(&self.right));
        if !self.wrong.is_empty() {
            note += &format!("; also wrong on {}", listed(&self.wrong));
        }
        note
    }
}

/// A module and its text.
struct Written {
    module: WasmModule,
    text: String,
}

impl Written {
    /// The texts of a module, the shorter first, each with the module that is made of it.
    fn all(module: &WasmModule) -> Vec<Self> {
        let Ok(printed) = module.wat() else { return Vec::new() };
        let long = tidied(&printed);
        let mut texts = vec![with_tee(&long), long];
        texts.dedup();
        let written = |text: String| {
            let bytes = wat::parse_str(&text).ok()?;
            Some(Self { module: WasmModule { bytes, ..module.clone() }, text })
        };
        texts.into_iter().filter_map(written).collect()
    }
}

fn file(
    written: &Written,
    verdict: Verdict,
    line: UserLine,
    checked: Option<CheckedCall>,
) -> BugFile {
    let does = match verdict {
        Verdict::CompilerCrash => "the engine crashes",
        Verdict::CompilerTimeout => "the engine does not compile it in time",
        Verdict::CompileError => "the engine refuses it",
        Verdict::Hang => "it hangs",
        Verdict::Crash
        | Verdict::WrongResult
        | Verdict::Agrees
        | Verdict::Skipped
        | Verdict::InfrastructureFailure
        | Verdict::SanitizerError => "it traps",
    };
    let (run, flags) = (line.line(), line.flags);
    BugFile {
        name: TEXT_FILE.to_owned(),
        text: format!(";; {run}: {does}\n{}", written.text),
        verdict,
        flags,
        run,
        does: does.to_owned(),
        shows: format!("({does})"),
        checked,
        binaries: vec![Binary::new(BINARY_FILE, &written.module.bytes)],
    }
}
