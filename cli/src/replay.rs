//! `pathsmith replay`

use std::path::PathBuf;

use pathsmith_campaign::{Replay, Replayed, Store, VersionCount};
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
/// each finding what every version does: `fixed`, or the verdict. The exit code is 1 if a finding
/// remains in some version, and 5 if a target did not work.
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
    for (version, VersionCount { n_fixed, n_remaining, n_unclear }) in replay.by_version() {
        let unclear = match n_unclear {
            0 => String::new(),
            n => format!(", of {n} it says nothing"),
        };
        note(&format!("{version}: {n_remaining} findings remain, {n_fixed} are fixed{unclear}"));
    }
    let n_without = replay.n_without_target();
    if n_without > 0 {
        note(&format!("{n_without} findings are in targets that are not on this machine"));
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
        let Replayed { target, version, verdict } = known;
        let verdict = match known.is_fixed() {
            true => "fixed".to_owned(),
            false => verdict.to_string(),
        };
        let (target, version) = (shown_line(target), shown_line(version));
        text += &format!("\n    {verdict}: {target} ({version})");
    }
    text
}
