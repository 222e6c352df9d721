//! The search for a file of plain C that shows a finding.
//!
//! Forms are tried from the shortest to the one that is closest to what was tested, with plain
//! levels of optimization before the flags that were tested. The first that shows the finding is
//! reduced once more, now with the file itself as the test, and then checked: nothing is written
//! that the target does not get wrong twice, or that another compiler or a sanitizer objects to.

mod forms;

use std::time::Duration;

use pathsmith_backend::{Backend, ProgramOptions};
use pathsmith_backend_c::{Arrangement, CBackend, COptions, PlainMain, plain_c};
use pathsmith_oracles::c::{
    BUG_FILE, COracle, CSetting, CTarget, Toolchain, Witnesses, words_for_floats,
};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{
    Limits, OracleError, Report, TargetSpec, Verdict, shell_command, shell_quoted,
};
use pathsmith_reduce::Reducer;
use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::Program;

use self::forms::{Checked, Form, cells_left, forms, main_for};
use crate::bug_file::{Bug, BugFile, CheckedCall, Scrutiny};
use crate::discover::Env;

/// How long a program may run, in seconds. A guess: these programs take milliseconds.
const RUN_TIME: u64 = 2;
/// How long it may run while a program that hangs is made smaller: most of what is tried hangs too. A
/// guess; what is left is run for [`RUN_TIME`] again.
const HANG_TIME: Duration = Duration::from_millis(300);
/// How long it may run where it is known to be right, on a busy machine.
const PATIENCE: u64 = 20;
/// How many files are checked before the search is given up.
const MAX_REJECTED: usize = 3;
/// How many programs are tried to make a file smaller. A guess: small programs take some hundred.
const MAX_TESTS: usize = 1500;
/// Flags with which GCC's instructions for reporting bugs want wrong code to be tried, because they
/// define what the standard leaves undefined.
const FORGIVING: [&str; 3] =
    ["-fwrapv", "-fno-strict-aliasing", "-fno-aggressive-loop-optimizations"];
/// How many warnings are kept.
const MAX_WARNINGS: usize = 5;
/// How many cells one probe looks at: its exit status says which of them differs.
const CELLS_PER_PROBE: usize = 200;

/// What is to be shown, and by what.
pub(crate) struct BugSearch<'a> {
    pub(crate) oracle: &'a mut COracle,
    pub(crate) target: CTarget,
    /// How the program was lowered when it showed the finding.
    pub(crate) options: COptions,
    /// The function and the realization that show it; nothing if it is about compiling.
    pub(crate) call: Option<(FuncId, usize)>,
    /// Flags that suppress the finding.
    pub(crate) suppressing: Option<Vec<String>>,
    pub(crate) verdict: Verdict,
    pub(crate) limits: Limits,
    /// How long a program may run, if not as long as the limits say.
    pub(crate) hang_time: Option<Duration>,
    pub(crate) stop: Stop,
    pub(crate) is_over: &'a (dyn Fn() -> bool + Sync),
}

/// A file to be tried.
#[derive(Clone, Debug)]
struct Candidate {
    program: Program,
    form: Form,
    setting: CSetting,
}

impl Candidate {
    /// The call whose result `main` checks, if it checks one result.
    fn checked_call(&self) -> Option<CheckedCall> {
        let mut realizations = self.program.functions.iter().flat_map(|it| &it.realizations);
        let (first, others) = (realizations.next()?, realizations.next());
        let is_one = self.form.checked == Checked::Result && others.is_none();
        // The function that `main` calls is always called so.
        is_one.then(|| CheckedCall::new("f", first))
    }
}

impl BugSearch<'_> {
    /// Looks for a file that shows the finding.
    ///
    /// # Errors
    /// If an oracle cannot work.
    pub(crate) fn run(mut self, program: &Program) -> Result<Bug, OracleError> {
        self.limits.run_time = self.limits.run_time.min(RUN_TIME);
        let is_run = !self.verdict.is_about_compiling();
        let program = self.with_one_call(program);
        let all = forms(&program, &self.options, is_run);
        let mut witnesses = None;
        let mut objections = Vec::new();
        for settings in self.setting_groups() {
            for form in &all {
                for setting in &settings {
                    if (self.is_over)() {
                        return Ok(Bug::none("stopped before a file was found"));
                    }
                    let (program, form) = (program.clone(), form.clone());
                    let candidate = Candidate { program, form, setting: setting.clone() };
                    let Some(found) = self.that_shows(candidate)? else { continue };
                    let witnesses = match &witnesses {
                        Some(known) => known,
                        None => witnesses.insert(Witnesses::at_hand(&self.target, &self.stop)?),
                    };
                    let hangs = self.verdict(&found)? == Some(Verdict::Hang);
                    self.hang_time = hangs.then_some(HANG_TIME);
                    let reduced = self.reduced(found.clone())?;
                    self.hang_time = None;
                    for candidate in [&reduced, &found] {
                        match self.checked(candidate, witnesses)? {
                            Ok(bug) => return Ok(bug),
                            Err(why) => objections.push(why),
                        }
                    }
                    if objections.len() >= 2 * MAX_REJECTED {
                        break;
                    }
                }
            }
        }
        Ok(Bug::none(match objections.first() {
            None => "no form in plain C shows it".to_owned(),
            Some(why) => format!("no form in plain C passed the checks: {why}"),
        }))
    }

    /// The program with the call that shows the finding alone, and what it takes.
    fn with_one_call(&self, program: &Program) -> Program {
        let mut program = program.clone();
        if let Some((id, at)) = self.call {
            for (other, function) in program.functions.iter_mut().enumerate() {
                let is_meant = other == id.index();
                let known = std::mem::take(&mut function.realizations);
                function.realizations =
                    known.into_iter().skip(at).take(usize::from(is_meant)).collect();
            }
        }
        program
    }

    /// Plain levels, the usual ones first, and then what was tested.
    fn setting_groups(&self) -> Vec<Vec<CSetting>> {
        let own = self.target.setting.clone();
        let usual = vec![CSetting::level("-O2"), CSetting::level("-O3")];
        match usual.iter().any(|level| level.flags == own.flags) {
            true => vec![usual],
            false => vec![usual, vec![own]],
        }
    }

    fn text(&self, candidate: &Candidate) -> Option<String> {
        let Candidate { program, form, .. } = candidate;
        let main = main_for(program, &form.checked)?;
        plain_c(program, &form.plain(main, self.target.toolchain.compiler)).ok()
    }

    fn run_text(&mut self, text: &str, setting: &CSetting) -> Result<Report, OracleError> {
        let target = CTarget { setting: setting.clone(), ..self.target.clone() };
        let is_run = !self.verdict.is_about_compiling();
        let run_time = self.hang_time.unwrap_or(Duration::from_secs(self.limits.run_time));
        self.oracle.run_plain_for(text, &target, is_run, &self.limits, run_time)
    }

    fn is_shown(&self, verdict: Verdict) -> bool {
        match self.verdict.is_about_compiling() {
            true => verdict == self.verdict,
            false => match verdict {
                Verdict::Hang | Verdict::Crash | Verdict::WrongResult => true,
                Verdict::Agrees | Verdict::Skipped | Verdict::InfrastructureFailure => false,
                Verdict::CompileError | Verdict::SanitizerError => false,
                Verdict::CompilerTimeout | Verdict::CompilerCrash => false,
            },
        }
    }

    /// What the target does with a candidate, if it can be written.
    fn verdict(&mut self, candidate: &Candidate) -> Result<Option<Verdict>, OracleError> {
        let Some(text) = self.text(candidate) else { return Ok(None) };
        Ok(Some(self.run_text(&text, &candidate.setting)?.verdict))
    }

    fn shows(&mut self, candidate: &Candidate) -> Result<bool, OracleError> {
        Ok(self.verdict(candidate)?.is_some_and(|verdict| self.is_shown(verdict)))
    }

    /// Whether a flag that suppresses the finding does so here.
    fn is_suppressed(&mut self, candidate: &Candidate) -> Result<bool, OracleError> {
        let Some(flags) = self.suppressing.clone() else { return Ok(false) };
        let Some(text) = self.text(candidate) else { return Ok(false) };
        let flags = [&candidate.setting.flags[..], &flags].concat();
        let setting = candidate.setting.with_flags(flags);
        Ok(self.run_text(&text, &setting)?.verdict == Verdict::Agrees)
    }

    /// The candidate if it shows the finding, or the same with a look at the cell of memory in which
    /// it shows.
    fn that_shows(&mut self, candidate: Candidate) -> Result<Option<Candidate>, OracleError> {
        if self.shows(&candidate)? {
            return Ok(Some(candidate));
        }
        let Some((id, cells)) = cells_left(&candidate.program) else { return Ok(None) };
        if self.verdict.is_about_compiling() || candidate.form.checked != Checked::Result {
            return Ok(None);
        }
        for some in cells.chunks(CELLS_PER_PROBE) {
            let main = PlainMain::FirstDifference(id, 0, some.to_vec());
            let plain = candidate.form.plain(main, self.target.toolchain.compiler);
            let Ok(text) = plain_c(&candidate.program, &plain) else { continue };
            let report = self.run_text(&text, &candidate.setting)?;
            let status = report.evidence.last().and_then(|last| last.status);
            let at = status.and_then(|status| usize::try_from(status).ok()?.checked_sub(1));
            let Some(cell) = at.and_then(|at| some.get(at)) else { continue };
            let global = candidate.program.global(cell.global).name.clone();
            let checked = Checked::Cell { global, element: cell.element };
            let form = Form { checked, ..candidate.form.clone() };
            let candidate = Candidate { form, ..candidate.clone() };
            if self.shows(&candidate)? {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
    }

    /// As small as it gets with the file as the test.
    fn reduced(&mut self, found: Candidate) -> Result<Candidate, OracleError> {
        let has_suppressing = self.is_suppressed(&found)?;
        let mut best = found;
        let mut reducer = Reducer::new(best.program.clone());
        for _ in 0..MAX_TESTS {
            let proposed = reducer.propose(1);
            let Some(next) = proposed.into_iter().next() else { break };
            if (self.is_over)() {
                break;
            }
            let lowering = best.form.lowering.fitted(&best.program, &next.program);
            let form = Form { lowering, ..best.form.clone() };
            let candidate = Candidate { program: next.program, form, ..best.clone() };
            let is_kept = self.is_kept(&candidate, has_suppressing)?;
            reducer.answer(is_kept.then_some(0));
            if is_kept {
                best = candidate;
            }
        }
        // What is small may do with less.
        let is_run = !self.verdict.is_about_compiling();
        for form in forms(&best.program, &best.form.lowering, is_run) {
            let form = Form { checked: best.form.checked.clone(), ..form };
            let simpler = Candidate { form, ..best.clone() };
            if simpler.form == best.form {
                break;
            }
            if self.is_kept(&simpler, has_suppressing)? {
                best = simpler;
                break;
            }
        }
        let form = Form { arrangement: Arrangement::ForReaders, ..best.form.clone() };
        let joined = Candidate { form, ..best.clone() };
        let is_other = self.text(&joined) != self.text(&best);
        Ok(if is_other && self.is_kept(&joined, has_suppressing)? { joined } else { best })
    }

    /// Whether a smaller candidate shows the finding and nothing else: otherwise reduction could slip
    /// from one bug to another.
    fn is_kept(
        &mut self,
        candidate: &Candidate,
        has_suppressing: bool,
    ) -> Result<bool, OracleError> {
        Ok(self.shows(candidate)? && (!has_suppressing || self.is_suppressed(candidate)?))
    }

    /// The file, if the target gets it wrong twice and nothing else does; or why not.
    fn checked(
        &mut self,
        candidate: &Candidate,
        witnesses: &Witnesses,
    ) -> Result<Result<Bug, String>, OracleError> {
        let Some(text) = self.text(candidate) else {
            return Ok(Err("it cannot be lowered".to_owned()));
        };
        let mut verdict = Verdict::Agrees;
        for _ in 0..2 {
            verdict = self.run_text(&text, &candidate.setting)?.verdict;
            if !self.is_shown(verdict) {
                return Ok(Err("it does not show every time".to_owned()));
            }
        }
        let is_run = !self.verdict.is_about_compiling();
        let limits = Limits { run_time: PATIENCE, ..self.limits.clone() };
        if let Some(why) = witnesses.objection(self.oracle, &text, is_run, &limits)? {
            return Ok(Err(why));
        }
        let is_clean = is_run && !witnesses.sanitizers.is_empty();
        let scrutiny = Some(self.scrutiny(&text, &candidate.setting, is_clean)?);
        let flags = [&self.target.toolchain.launch.flags[..], &candidate.setting.flags].concat();
        let (run, (does, shows)) = (self.line(&text, verdict, &flags), outcome(verdict));
        let text = format!("// {run}: {does}\n{text}");
        let (name, does, shows) = (BUG_FILE.to_owned(), does.to_owned(), shows.to_owned());
        let checked = (verdict == Verdict::WrongResult).then(|| candidate.checked_call()).flatten();
        let binaries = Vec::new();
        let file = BugFile { name, text, verdict, flags, run, does, shows, checked, binaries };
        Ok(Ok(Bug { file: Some(file), note: witnesses.describe(is_run), scrutiny }))
    }

    /// What makes maintainers doubt a file, each run once.
    fn scrutiny(
        &mut self,
        text: &str,
        setting: &CSetting,
        is_clean: bool,
    ) -> Result<Scrutiny, OracleError> {
        let with = |added: &[&str]| {
            let added = added.iter().map(|&flag| flag.to_owned());
            setting.with_flags(setting.flags.iter().cloned().chain(added).collect())
        };
        let warned = CTarget { setting: with(&["-Wall", "-Wextra"]), ..self.target.clone() };
        let report = self.oracle.run_plain(text, &warned, false, &self.limits)?;
        let said = report.evidence.first().map(|first| first.message.clone()).unwrap_or_default();
        let warnings = said.lines().filter(|line| line.contains("warning:"));
        let mut scrutiny = Scrutiny {
            warnings: warnings.take(MAX_WARNINGS).map(str::to_owned).collect(),
            is_clean,
            ..Scrutiny::default()
        };
        let is_run = !self.verdict.is_about_compiling();
        for flag in FORGIVING.iter().filter(|_| is_run) {
            // Not every compiler knows all of them.
            match self.run_text(text, &with(&[flag]))?.verdict {
                Verdict::Agrees => scrutiny.hiding.push((*flag).to_owned()),
                verdict if self.is_shown(verdict) => scrutiny.showing.push((*flag).to_owned()),
                _ => {}
            }
        }
        Ok(scrutiny)
    }

    /// The line that shows it.
    fn line(&self, text: &str, verdict: Verdict, flags: &[String]) -> String {
        let needed = words_for_floats(self.target.toolchain.compiler, [text]);
        let file = needed.into_iter().fold(BUG_FILE.to_owned(), |file, word| file + " " + word);
        let Toolchain { command, launch, .. } = &self.target.toolchain;
        let compiler = command.file_name().unwrap_or(command.as_os_str()).to_string_lossy();
        let compiler =
            shell_command([compiler.as_ref()].into_iter().chain(flags.iter().map(|it| &it[..])));
        match verdict.is_about_compiling() {
            true => format!("{compiler} -c {file}"),
            false => {
                let runner: String =
                    launch.runner.iter().map(|it| shell_quoted(it) + " ").collect();
                format!("{compiler} {file} && {runner}./a.out")
            }
        }
    }
}

/// What the compiler or the program does, and what is seen of it.
const fn outcome(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::CompilerCrash => ("the compiler crashes", "(the compiler crashes)"),
        Verdict::CompilerTimeout => ("the compiler does not terminate", "(does not terminate)"),
        Verdict::Hang => ("it hangs", "(hangs)"),
        Verdict::Crash => ("it crashes", "(crashes)"),
        Verdict::WrongResult
        | Verdict::Agrees
        | Verdict::Skipped
        | Verdict::InfrastructureFailure
        | Verdict::CompileError
        | Verdict::SanitizerError => ("it aborts", "Aborted"),
    }
}

/// Looks for a file of plain C that shows that a compiler gets a program wrong: at a plain level of
/// optimization, or else with `flags`.
///
/// # Errors
/// If the compiler cannot be used, or the oracle cannot work.
pub(crate) fn bug_of_c_program(
    program: &Program,
    compiler: &str,
    flags: &[String],
    env: &Env,
) -> Result<Bug, OracleError> {
    let stop = &env.stop;
    let is_over = &|| stop.is_raised();
    let toolchain = Toolchain::new(&TargetSpec::new(compiler, compiler), stop)?;
    let level = CSetting::level("-O2");
    let setting = if flags.is_empty() { level } else { level.with_flags(flags.to_vec()) };
    if let Some(why) = setting.problem_with(&toolchain, stop)? {
        return Err(OracleError::Target { name: compiler.to_owned(), why });
    }
    let target = CTarget { toolchain, setting };
    let mut oracle = COracle::new(stop.clone())?;
    // A compiler that crashes or hangs does so with the program as it is.
    let options = COptions::default();
    let verdict = match CBackend.lower(program, &options) {
        Ok(source) => oracle.run_whole(&source, &target, &Limits::default())?.verdict,
        Err(error) => return Ok(Bug::none(error.to_string())),
    };
    let verdict = if verdict.is_about_compiling() { verdict } else { Verdict::WrongResult };
    let mut calls: Vec<Option<(FuncId, usize)>> = program
        .functions_with_ids()
        .flat_map(|(id, function)| (0..function.realizations.len()).map(move |at| Some((id, at))))
        .collect();
    if verdict.is_about_compiling() {
        calls = vec![None];
    }
    let mut last = Bug::none("the program has no realization");
    // If no flags are asked for, other levels will do.
    let others =
        ["-O1", "-Os"].iter().filter(|_| flags.is_empty()).map(|level| CSetting::level(level));
    let settings = std::iter::once(target.setting.clone()).chain(others);
    let tries = settings.flat_map(|setting| calls.iter().map(move |call| (setting.clone(), *call)));
    for (setting, call) in tries {
        let search = BugSearch {
            oracle: &mut oracle,
            target: CTarget { setting, ..target.clone() },
            options: options.clone(),
            call,
            suppressing: None,
            verdict,
            limits: Limits::default(),
            hang_time: None,
            stop: stop.clone(),
            is_over,
        };
        last = search.run(program)?;
        if last.file.is_some() || is_over() {
            break;
        }
    }
    Ok(last)
}
