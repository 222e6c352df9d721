//! `pathsmith bisect`

use std::path::PathBuf;

use pathsmith_campaign::{Bisected, ReplayOutcome, Replayed, Step, bisect_finding, finding_in};
use pathsmith_oracles::shown_line;

use crate::errors::{Failure, note};
use crate::fuzz::env;
use crate::output::{OutputArgs, written};
use crate::trust::TrustArgs;

/// Find the first version of a target that shows a finding
///
/// Takes the folder of a finding, and compilers (engines, virtual machines) in the order of their
/// versions. Checks that the first of them does not show the finding and that the last does, bisects
/// those in between, and prints the first that shows it. A version that is not comparable, because it
/// does not take the flags of the finding or does not work, is skipped, as by `git bisect skip`. What
/// is run is the reduced program, if there is one. Without a list, all versions that are installed are
/// compared.
///
/// The exit code is 0 if the first bad version is found, 1 if versions that had to be skipped leave
/// several that may be it, 2 if the first version is not good or the last not bad, and 5 if a version
/// that works could not be run.
///
/// Examples:
///   pathsmith bisect findings/f168-gcc-12-O2-wrong-result gcc-10 gcc-11 gcc-12
///   pathsmith bisect findings/f168-gcc-12-O2-wrong-result --good gcc-10 --bad gcc-12 gcc-11
///   pathsmith bisect findings/f168-gcc-12-O2-wrong-result /opt/gcc-*/bin/gcc
///   pathsmith bisect findings/f168-gcc-12-O2-wrong-result
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The folder of a finding
    folder: PathBuf,

    /// Commands in the order of their versions, the oldest first
    #[arg(value_name = "COMMAND")]
    commands: Vec<String>,

    /// A command that does not show the finding: it comes before all others
    #[arg(long, value_name = "COMMAND")]
    good: Option<String>,

    /// A command that shows the finding: it comes after all others
    #[arg(long, value_name = "COMMAND")]
    bad: Option<String>,

    #[command(flatten)]
    trust: TrustArgs,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let env = env()?;
    let (store, saved) = finding_in(&args.folder)?;
    args.trust.check(&store)?;
    if !saved.finding.verdict.is_finding() {
        let verdict = saved.finding.verdict;
        return Err(Failure::Usage(format!("there is nothing to bisect: {verdict}")));
    }
    let commands: Vec<String> =
        args.good.iter().chain(&args.commands).chain(&args.bad).cloned().collect();
    let on_step = |step: &Step| note(&described(&step.replayed));
    let Bisected { last_good, first_bad, skipped, .. } =
        bisect_finding(&store, &saved, &commands, &env, on_step)?;
    args.output.write(|out| {
        if skipped.is_empty() {
            written(writeln!(out, "first bad: {}", named(&first_bad)))?;
        } else {
            written(writeln!(out, "the first bad one is one of these:"))?;
            for known in skipped.iter().chain([&first_bad]) {
                written(writeln!(out, "    {}", described(known)))?;
            }
        }
        written(writeln!(out, "last good: {}", named(&last_good)))
    })?;
    if skipped.is_empty() { Ok(()) } else { Err(Failure::NegativeResult) }
}

fn named(known: &Replayed) -> String {
    format!("{} ({})", shown_line(&known.full_name()), shown_line(&known.version))
}

fn described(known: &Replayed) -> String {
    let name = named(known);
    match &known.outcome {
        ReplayOutcome::DoesNotShow => format!("good: {name}"),
        ReplayOutcome::Shows { verdict } => format!("bad: {name}: {verdict}"),
        ReplayOutcome::NotComparable { why } => {
            format!("not comparable: {name}: {}", shown_line(why))
        }
        ReplayOutcome::InfrastructureFailure { why } => {
            format!("infrastructure failure: {name}: {}", shown_line(why))
        }
    }
}
