//! Bisecting the passes of clang: `-opt-bisect-limit`.

use std::collections::BTreeMap;

use super::trials::{Compiled, Trials};
use crate::oracle::{OracleError, StepError};
use crate::search::turning_point;
use crate::signature::TrialOutcome;
use crate::verdict::Verdict;

/// A pass over a part of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PassRun {
    /// The pass.
    pub(super) name: String,
    /// Its number in its file, and what it runs on.
    pub(super) place: String,
}

/// The pass over a part of the program that the finding is bisected to: it shows if clang stops
/// optimizing after it, and does not if clang stops before.
///
/// Each file is counted alone. All of the passes of all of the files, one after the other, are what
/// is searched.
pub(super) fn bisected_pass_run(
    trials: &mut Trials<'_>,
    flags: &[String],
) -> Result<Option<PassRun>, OracleError> {
    let mut runs: Vec<(usize, PassRun)> = Vec::new();
    for file in 0..trials.source.files.len() {
        let listed = listed(trials, file, flags)?;
        runs.extend(listed.into_iter().map(|run| (file, run)));
    }
    if trials.found == Verdict::CompilerTimeout {
        // The last line is about the pass that hangs.
        return Ok(runs.pop().map(|(_, run)| run));
    }
    let n_of = |runs: &[(usize, PassRun)], file| runs.iter().filter(|run| run.0 == file).count();
    let mut objects: BTreeMap<(usize, usize), Vec<u8>> = BTreeMap::new();
    let found = turning_point(runs.len(), |n_kept| {
        if !trials.budget.take() {
            return Ok(TrialOutcome::Unclear);
        }
        let mut all = Vec::new();
        for file in 0..trials.source.files.len() {
            let limit = n_of(&runs[..n_kept], file);
            if !objects.contains_key(&(file, limit)) {
                let files = std::slice::from_ref(&trials.source.files[file]);
                match trials.compile_files(files, &limited(flags, &limit.to_string()))? {
                    Compiled::Objects(compiled) => {
                        objects.extend(compiled.into_iter().map(|object| ((file, limit), object)));
                    }
                    Compiled::Not(verdict) => return Ok(TrialOutcome::of(verdict, trials.found)),
                }
            }
            all.extend(objects.get(&(file, limit)).cloned());
        }
        trials.run(flags, all)
    })?;
    Ok(found.and_then(|n_kept| runs.get(n_kept.checked_sub(1)?)).map(|(_, run)| run.clone()))
}

/// Passes that clang has had flags for since long ago, by the names that versions give them.
const OLD_FLAGS: [(&[&str], &[&str]); 10] = [
    (&["LoopVectorizePass", "loop-vectorize"], &["-fno-vectorize"]),
    (&["SLPVectorizerPass", "slp-vectorizer"], &["-fno-slp-vectorize"]),
    (&["LoopUnrollPass", "LoopFullUnrollPass", "loop-unroll"], &["-fno-unroll-loops"]),
    (&["LoopIdiomRecognizePass", "loop-idiom"], &["-mllvm", "-disable-loop-idiom-all"]),
    (&["Loop Strength Reduction", "loop-reduce"], &["-mllvm", "-disable-lsr"]),
    (&["Machine code sinking"], &["-mllvm", "-disable-machine-sink"]),
    (&["Machine Common Subexpression Elimination"], &["-mllvm", "-disable-machine-cse"]),
    (&["Machine Loop Invariant Code Motion"], &["-mllvm", "-disable-machine-licm"]),
    (&["CodeGen Prepare", "CodeGenPrepare"], &["-mllvm", "-disable-cgp"]),
    (&["Early Machine Loop Invariant Code Motion"], &["-mllvm", "-disable-early-licm"]),
];

/// Passes without which most others have nothing to do. A guess.
const BROAD: [&str; 7] =
    ["early-cse", "inline", "instcombine", "loop-rotate", "loop-simplify", "simplifycfg", "sroa"];

/// The words that may disable a pass, most of which a given clang does not know, and whether that
/// disables much.
pub(super) fn disabling_flags(pass: &str) -> Vec<(Vec<String>, bool)> {
    let old = OLD_FLAGS.iter().find(|(names, _)| names.contains(&pass));
    let old = old.map(|(_, words)| words.iter().map(|&word| word.to_owned()).collect());
    // clang 21 and later can disable any pass by its name.
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let new = pass
        .chars()
        .all(is_name)
        .then(|| vec!["-mllvm".to_owned(), format!("-opt-disable={pass}")]);
    old.into_iter().chain(new).map(|words| (words, BROAD.contains(&pass))).collect()
}

fn limited(flags: &[String], limit: &str) -> Vec<String> {
    let limit = ["-mllvm".to_owned(), format!("-opt-bisect-limit={limit}")];
    [flags, &limit].concat()
}

/// The passes that clang says it runs on a file.
fn listed(
    trials: &mut Trials<'_>,
    file: usize,
    flags: &[String],
) -> Result<Vec<PassRun>, OracleError> {
    if !trials.budget.take() {
        return Ok(Vec::new());
    }
    let dir = trials.oracle.fresh_folder()?;
    let file = &trials.source.files[file];
    super::write_files(dir.path(), [file])?;
    let toolchain = &trials.target.toolchain;
    let command = toolchain
        .line(dir.path())
        .args(limited(flags, "-1"))
        .args(toolchain.compiler.own_flags())
        .args(["-c", &file.name]);
    let limits = trials.loud_limits();
    match trials.oracle.run_command(&command, limits.compile_time, true, &limits) {
        Ok(ended) => Ok(passes_run(&String::from_utf8_lossy(&ended.stderr))),
        Err(StepError::Verdict(_)) => Ok(Vec::new()),
        Err(StepError::Oracle(error)) => Err(error),
    }
}

/// Reads lines such as `BISECT: running pass (17) EarlyCSEPass on f12`.
fn passes_run(said: &str) -> Vec<PassRun> {
    let of_line = |line: &str| {
        let rest = line.strip_prefix("BISECT: running pass (")?;
        let (number, rest) = rest.split_once(") ")?;
        number.parse::<u32>().ok()?;
        // Names have no ` on `, but may have spaces.
        let (name, part) = rest.split_once(" on ").unwrap_or((rest, ""));
        let place = format!("pass {number}, {name} on {part}");
        Some(PassRun { name: name.trim().to_owned(), place })
    };
    said.lines().filter_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_disabled_by_flags_of_their_own_or_by_name() {
        let words = |pass| {
            let flags = disabling_flags(pass).into_iter();
            flags.map(|(words, is_broad)| (words.join(" "), is_broad)).collect::<Vec<_>>()
        };
        assert_eq!(words("LoopVectorizePass"), [("-fno-vectorize".to_owned(), false)]);
        assert_eq!(words("sroa"), [("-mllvm -opt-disable=sroa".to_owned(), true)]);
        assert_eq!(words("loop-vectorize").len(), 2);
        assert_eq!(words("X86 DAG->DAG Instruction Selection"), []);
    }

    #[test]
    fn passes_are_read_off_what_clang_says() {
        let said = "BISECT: running pass (1) Annotation2MetadataPass on [module]\n\
            warning: something else\n\
            BISECT: running pass (2) EarlyCSEPass on f12\n\
            BISECT: NOT running pass (3) SROAPass on f12\n\
            BISECT: running pass (4) X86 DAG->DAG Instruction Selection on function (f12)\n";
        let runs = passes_run(said);
        let names: Vec<&str> = runs.iter().map(|run| &run.name[..]).collect();
        let expected =
            ["Annotation2MetadataPass", "EarlyCSEPass", "X86 DAG->DAG Instruction Selection"];
        assert_eq!(names, expected);
        assert_eq!(runs[1].place, "pass 2, EarlyCSEPass on f12");
    }
}
