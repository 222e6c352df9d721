//! `pathsmith replay`

use std::path::PathBuf;

use pathsmith_campaign::report::counted;
use pathsmith_campaign::{Replay, ReplayOutcome, Replayed, Store, VersionCount};
use pathsmith_oracles::shown_line;
use serde_json::json;

use crate::errors::{Failure, note};
use crate::fuzz::env;
use crate::output::{OutputArgs, written};
use crate::parallel::Progress;
use crate::trust::TrustArgs;

/// Check which findings remain
///
/// Runs every finding of a campaign again, with the same flags, on the targets that are on this
/// machine now: all versions of the compiler, engine or virtual machine that showed it. Prints for
/// each finding what every version does: `fixed`, the verdict, or `not comparable` for a version that
/// does not take the flags or the program, or does not work. The exit code is 1 if a finding remains
/// in some version, and 5 if a target that works could not be run.
///
/// Examples:
///   pathsmith replay findings
///   pathsmith replay findings --targets gcc-12,gcc-13,/opt/gcc-15/bin/gcc
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The folder of a campaign
    folder: PathBuf,

    /// Which targets to use [default: those of the campaign and all that are found]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    targets: Vec<String>,

    /// One object of JSON for each finding
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    trust: TrustArgs,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let env = env()?;
    let store = Store::read(&args.folder)?;
    args.trust.check(&store)?;
    let mut progress = Progress::new();
    let replay = Replay::of_campaign(&store, &args.targets, &env, |name| {
        progress.show(|| name.to_owned());
    });
    progress.clear();
    let replay = replay?;
    args.output.write(|out| {
        for (name, replayed) in &replay.findings {
            let line = match args.json {
                true => json!({ "name": name, "replayed": replayed }).to_string(),
                false => described(name, replayed),
            };
            written(writeln!(out, "{line}"))?;
        }
        Ok(())
    })?;
    for (version, count) in replay.by_version() {
        let VersionCount { n_fixed, n_remaining, n_not_comparable, n_failures } = count;
        let remain = if n_remaining == 1 { "finding remains" } else { "findings remain" };
        let fixed = if n_fixed == 1 { "is" } else { "are" };
        let mut line = format!("{version}: {n_remaining} {remain}, {n_fixed} {fixed} fixed");
        for (n, what) in [(n_not_comparable, "not comparable"), (n_failures, "could not be run")] {
            if n > 0 {
                line += &format!(", {n} {what}");
            }
        }
        note(&line);
    }
    let n_without = replay.n_without_target();
    if n_without > 0 {
        let are = if n_without == 1 { "is in a target that is" } else { "are in targets that are" };
        note(&format!("{} {are} not on this machine", counted(n_without, "finding")));
    }
    if replay.has_failures() {
        let why = "some findings could not be run, as the output says";
        Err(Failure::Infrastructure(why.to_owned()))
    } else if replay.has_remaining() {
        Err(Failure::NegativeResult)
    } else {
        Ok(())
    }
}

fn described(name: &str, replayed: &[Replayed]) -> String {
    if replayed.is_empty() {
        return format!("{name}\n    no such target on this machine");
    }
    let mut text = name.to_owned();
    for known in replayed {
        let (outcome, why) = match &known.outcome {
            ReplayOutcome::DoesNotShow => ("fixed".to_owned(), ""),
            ReplayOutcome::Shows { verdict } => (verdict.to_string(), ""),
            ReplayOutcome::NotComparable { why } => ("not comparable".to_owned(), &why[..]),
            ReplayOutcome::InfrastructureFailure { why } => {
                ("infrastructure failure".to_owned(), &why[..])
            }
        };
        let (target, version) = (shown_line(&known.full_name()), shown_line(&known.version));
        text += &format!("\n    {outcome}: {target} ({version})");
        if !why.is_empty() {
            text += &format!(": {}", shown_line(why));
        }
    }
    text
}
