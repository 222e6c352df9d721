//! `pathsmith triage`

use std::path::PathBuf;

use pathsmith_campaign::{Family, Store, families};
use pathsmith_oracles::Signature;

use crate::errors::{Failure, note};
use crate::fuzz::stop_on_signals;
use crate::output::{OutputArgs, written};
use crate::parallel::Progress;
use crate::targets::without_targets;

/// Tell findings apart by what they need
///
/// Takes the folder of a campaign and finds for each finding that has none yet its signature: the
/// optimizations that hide it when they are disabled, the pass, the tier of the virtual
/// machine, or the place of a crash. Findings with one signature are one cluster; all clusters are
/// listed, the largest first, each with its smallest finding. One bug can make several clusters,
/// because what hides it differs from program to program; the fewest suspected causes that account for all
/// clusters are listed below them.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder of a campaign
    folder: PathBuf,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let stop = stop_on_signals()?;
    let mut store = Store::open(&args.folder)?;
    let config = store.header()?.config;
    let mut progress = Progress::new();
    let mut n_gone = 0;
    let mut n_ours = 0;
    for id in store.unsigned()? {
        let saved = store.finding(id)?;
        if !saved.finding.verdict.is_finding() {
            n_ours += 1;
            continue;
        }
        progress.show(|| saved.name.clone());
        let campaign = without_targets(saved.kind, &config, &stop)?;
        match campaign.signature(&saved.finding)? {
            Some(signature) => store.sign(id, &signature)?,
            None => n_gone += 1,
        }
    }
    progress.clear();
    if n_gone > 0 {
        note(&format!("{n_gone} findings are not seen any more"));
    }
    if n_ours > 0 {
        note(&format!("{n_ours} findings are bugs of pathsmith's own"));
    }
    let mut clusters = store.clusters()?;
    clusters.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
    let mut fronts = Vec::new();
    for (_, members) in &clusters {
        fronts.extend(members.first().map(|id| store.finding(*id)).transpose()?);
    }
    let signatures: Vec<Signature> =
        fronts.iter().filter_map(|front| front.finding.signature.clone()).collect();
    args.output.write(|out| {
        for ((key, members), front) in std::iter::zip(&clusters, &fronts) {
            written(writeln!(out, "{:>5}  {key}\n       {}", members.len(), front.name))?;
        }
        let count = |family: &Family| -> usize {
            family.clusters.iter().map(|at| clusters[*at].1.len()).sum()
        };
        for family in families(&signatures) {
            let Family { target, suspected_cause, clusters } = &family;
            let cause = suspected_cause.as_deref().unwrap_or("unknown");
            let (n, n_clusters) = (count(&family), clusters.len());
            let line = format!("{target}: {cause}: {n} findings in {n_clusters} clusters");
            written(writeln!(out, "{line}"))?;
        }
        let n: usize = clusters.iter().map(|(_, members)| members.len()).sum();
        written(writeln!(out, "{n} findings, {} clusters", clusters.len()))
    })
}
