//! `pathsmith replay`

use std::collections::BTreeMap;
use std::path::PathBuf;

use pathsmith_campaign::{Replayed, Store};
use pathsmith_oracles::Verdict;
use serde_json::json;

use crate::errors::{Failure, note};
use crate::fuzz::stop_on_signals;
use crate::output::{OutputArgs, written};
use crate::parallel::Progress;
use crate::targets::{Asked, campaigns};

/// See which findings remain
///
/// Runs every finding of a campaign again, with the same flags, on the targets that are on this
/// machine now: all versions of the compiler, engine or virtual machine that showed it. Says for
/// each what every version makes of it: `fixed`, or what is wrong. The exit code is 1 where a
/// finding remains in some version.
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
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let stop = stop_on_signals()?;
    let store = Store::read(&args.folder)?;
    let header = store.header()?;
    let mut available = Vec::new();
    // Those that are found, and those that the campaign was told of.
    let mut lists = vec![args.targets.clone()];
    if args.targets.is_empty() {
        lists.push(header.targets.clone());
        lists.dedup();
    }
    for targets in lists {
        let asked = Asked { targets, sanitize: false };
        available.extend(campaigns(&asked, &header.config, &stop)?);
    }
    let mut progress = Progress::new();
    let mut lines = Vec::new();
    let mut by_version: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut n_unseen = 0;
    for id in store.ids()? {
        let saved = store.finding(id)?;
        if !saved.finding.verdict.is_finding() {
            continue;
        }
        progress.show(|| saved.name.clone());
        let mut replayed: Vec<Replayed> = Vec::new();
        for campaign in available.iter().filter(|campaign| campaign.name() == saved.kind) {
            for other in campaign.replay(&saved.finding)? {
                if !replayed.contains(&other) {
                    replayed.push(other);
                }
            }
        }
        n_unseen += usize::from(replayed.is_empty());
        for Replayed { version, verdict, .. } in &replayed {
            let (n_fixed, n_left) = by_version.entry(version.clone()).or_default();
            let counter = if *verdict == Verdict::Agrees { n_fixed } else { n_left };
            *counter += 1;
        }
        lines.push(match args.json {
            true => json!({ "name": saved.name, "replayed": replayed }).to_string(),
            false => described(&saved.name, &replayed),
        });
    }
    progress.clear();
    args.output.write(|out| lines.iter().try_for_each(|line| written(writeln!(out, "{line}"))))?;
    for (version, (n_fixed, n_left)) in &by_version {
        note(&format!("{version}: {n_left} findings remain, {n_fixed} are fixed"));
    }
    if n_unseen > 0 {
        note(&format!("{n_unseen} findings are in targets that are not on this machine"));
    }
    let remains = by_version.values().any(|(_, n_left)| *n_left > 0);
    if remains { Err(Failure::No) } else { Ok(()) }
}

fn described(name: &str, replayed: &[Replayed]) -> String {
    if replayed.is_empty() {
        return format!("{name}\n    no such target on this machine");
    }
    let mut text = name.to_owned();
    for Replayed { target, version, verdict } in replayed {
        let verdict = match verdict {
            Verdict::Agrees => "fixed".to_owned(),
            other => other.to_string(),
        };
        text += &format!("\n    {verdict}: {target} ({version})");
    }
    text
}
