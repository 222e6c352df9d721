//! `pathsmith culprits`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pathsmith_backend_c::{CBackend, COptions};
use pathsmith_core::backend::Backend;
use pathsmith_core::lang::Program;
use pathsmith_core::semantics::Dialect;
use pathsmith_oracles::c::{COracle, CTarget, Setting, Toolchain};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{Limits, Oracle, Signature, Triage};
use serde::Deserialize;

use crate::errors::{Failure, note};
use crate::output::{OutputArgs, written};
use crate::parallel::Progress;

/// Tell findings apart by the optimizations that they need
///
/// Takes the folder that `fuzz c` has put findings into, and finds for each of them the
/// optimizations of gcc that cure it when they are switched off, one at a time, or the pass of
/// clang that brings it up. Findings that have these in common are counted together; what crashes
/// a compiler is counted by what the compiler says of it. Findings in other kinds of targets are
/// passed over. Different sets are not always different bugs.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder with findings
    folder: PathBuf,

    #[command(flatten)]
    output: OutputArgs,
}

/// What is needed of a `finding.json`.
#[derive(Deserialize)]
struct Saved {
    program: Program,
    /// Each kind of target has its own.
    options: serde_json::Value,
    target: SavedTarget,
}

#[derive(Deserialize)]
struct SavedTarget {
    name: String,
    command: PathBuf,
    setting: String,
    flags: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let stop = Stop::new();
    let mut oracle = COracle::new(stop.clone())?;
    let mut by_cures: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut progress = Progress::new();
    let mut n_other = 0;
    for (name, path) in findings(&args.folder)? {
        progress.show(|| name.clone());
        let saved = read(&path)?;
        if saved.program.dialect != Some(Dialect::C) {
            n_other += 1;
            continue;
        }
        let key = match signature(&mut oracle, saved, &path, &stop)? {
            None => "not seen again".to_owned(),
            Some(found) if found.culprit.is_empty() => "none alone".to_owned(),
            Some(found) => found.culprit.join(" "),
        };
        by_cures.entry(key).or_default().push(name);
    }
    progress.clear();
    if n_other > 0 {
        note(&format!("{n_other} findings are not about C compilers"));
    }
    let mut sorted: Vec<_> = by_cures.into_iter().collect();
    sorted.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    args.output.write(|out| {
        for (cures, names) in &sorted {
            let example = names.first().map_or("", |name| name);
            written(writeln!(out, "{:>5}  {cures}\n       {example}", names.len()))?;
        }
        let n: usize = sorted.iter().map(|(_, names)| names.len()).sum();
        written(writeln!(out, "{n} findings, {} sets of cures", sorted.len()))
    })
}

/// The findings in a folder, in order, each with its file.
fn findings(folder: &Path) -> Result<Vec<(String, PathBuf)>, Failure> {
    let failed = |source| Failure::io(format!("cannot read {}", folder.display()), source);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path().join("finding.json");
        if path.is_file() {
            found.push((entry.file_name().to_string_lossy().into_owned(), path));
        }
    }
    found.sort();
    Ok(found)
}

fn wrong(path: &Path, why: &dyn std::error::Error) -> Failure {
    Failure::Input(format!("{}: {why}", path.display()))
}

fn read(path: &Path) -> Result<Saved, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| Failure::io(format!("cannot read {}", path.display()), source))?;
    serde_json::from_str(&text).map_err(|error| wrong(path, &error))
}

/// What a finding comes from; nothing where it is not seen again.
fn signature(
    oracle: &mut COracle,
    saved: Saved,
    path: &Path,
    stop: &Stop,
) -> Result<Option<Signature>, Failure> {
    let options: COptions =
        serde_json::from_value(saved.options).map_err(|error| wrong(path, &error))?;
    let source = CBackend.lower(&saved.program, &options).map_err(|error| wrong(path, &error))?;
    let SavedTarget { name, command, setting, flags } = saved.target;
    let toolchain = Toolchain::new(&name, &command, stop)?;
    let target = CTarget { toolchain, setting: Setting::named(&setting, &flags) };
    let limits = Limits::default();
    let report = oracle.run(&source, &target, &limits)?;
    if !report.verdict.is_finding() {
        return Ok(None);
    }
    Ok(Some(oracle.signature(&source, &target, &report, &limits)?))
}
