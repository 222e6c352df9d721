//! `pathsmith triage`

use std::path::PathBuf;

use pathsmith_campaign::{Clusters, Signed, Store, add_versions, sign_findings};
use pathsmith_oracles::shown_line;

use crate::errors::{Failure, note};
use crate::fuzz::env;
use crate::output::{OutputArgs, written};
use crate::parallel::Progress;
use crate::trust::TrustArgs;

/// Deduplicate findings by what triggers them
///
/// Takes the folder of a campaign and finds the signature of each finding that has none yet: the
/// optimizations that hide it when they are disabled, the pass it bisects to, the tier of the
/// virtual machine, or the location of a crash. Findings with one signature are one cluster; all
/// clusters are listed, the largest first, each with its smallest finding. One bug can make several
/// clusters, because what hides it differs from program to program; the fewest suspected causes
/// that account for all clusters are listed below them, with how sure it is that they are one bug.
/// What suppresses a finding is added to the campaign's known.toml. The smallest finding of each
/// cluster is run on all versions of its target that are installed, which `pathsmith report` lists.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder of a campaign
    folder: PathBuf,

    #[command(flatten)]
    trust: TrustArgs,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let env = env()?;
    // It is only read until it is trusted.
    args.trust.check(&Store::read(&args.folder)?)?;
    let mut store = Store::open(&args.folder)?;
    let mut progress = Progress::new();
    let signed = sign_findings(&mut store, &env, |name| progress.show(|| name.to_owned()));
    let versions = add_versions(&mut store, &env, |name| {
        progress.show(|| format!("{name}: other versions"));
    });
    progress.clear();
    let Signed { n_gone, n_own } = signed?;
    if n_gone > 0 {
        note(&format!("{n_gone} findings do not show any more"));
    }
    if n_own > 0 {
        note(&format!("{n_own} findings are possible pathsmith bugs"));
    }
    versions?;
    let all = Clusters::of_campaign(&store)?;
    args.output.write(|out| {
        for cluster in &all.clusters {
            let (n, smallest) = (cluster.n_findings, &cluster.smallest);
            let key = shown_line(&cluster.key);
            written(writeln!(out, "{n:>5}  {key}\n       {smallest}"))?;
            if cluster.n_further > 0 {
                let n = cluster.n_further;
                written(writeln!(
                    out,
                    "       {n} failures of these functions with other settings"
                ))?;
            }
        }
        for (group, n) in &all.bug_groups {
            let cause = shown_line(group.suspected_cause.as_deref().unwrap_or("unknown"));
            let (target, n_clusters) = (shown_line(&group.target), group.clusters.len());
            let sure = &group.certainty;
            written(writeln!(
                out,
                "{target}: {cause}: {n} findings in {n_clusters} clusters ({sure})"
            ))?;
        }
        for (name, n) in &all.known {
            let name = shown_line(name);
            written(writeln!(out, "known bug `{name}`: {n} failures"))?;
        }
        written(writeln!(out, "{} findings, {} clusters", all.n_findings(), all.clusters.len()))
    })
}
