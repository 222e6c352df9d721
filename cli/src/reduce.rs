//! `pathsmith reduce`

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use pathsmith_campaign::{Finding, Job, Reduced, Saved, Store, StoreError, Time};
use pathsmith_oracles::c::ReducedSource;
use pathsmith_oracles::process::Stop;

use crate::errors::{Failure, note};
use crate::fuzz::stop_on_signals;
use crate::output::OutputArgs;
use crate::parallel::{Progress, n_jobs};
use crate::targets::{AnyCampaign, without_targets};

/// Make a finding as small as it gets
///
/// Takes the folder of a finding, or of a campaign, which stands for the smallest finding of each
/// of its clusters that is not reduced yet. Tries smaller programs, plainer spelling and fewer
/// flags. Each program is run by the interpreter first, which says what it has to give and rejects
/// what is undefined; only then is the target asked. What is left goes to the folder `reduced` in
/// the finding's. Reduction that is stopped with Ctrl-C goes on from there when it is asked for
/// again.
///
/// Examples:
///   pathsmith reduce findings/f168-gcc-12-O2-wrong-result
///   pathsmith reduce findings
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The folder of a finding, or of a campaign
    folder: PathBuf,

    /// How many threads to use [default: one for each core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,

    /// For C, reduce the source that is left with cvise or creduce, for at most this time [default
    /// if no time is given: 10m]
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "10m")]
    source_reduce: Option<Time>,

    /// Begin again with what was found, whatever was reduced before
    #[arg(long)]
    again: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let stop = stop_on_signals()?;
    let (mut store, ids) = findings_in(&args.folder)?;
    if ids.is_empty() {
        note("everything is reduced");
    }
    for id in ids {
        let saved = store.finding(id)?;
        reduce(&mut store, saved, args, &stop)?;
        if stop.is_raised() {
            note("stopped; the same command goes on");
            return Err(Failure::No);
        }
    }
    Ok(())
}

/// The store that a folder belongs to, and the findings in it that are meant.
fn findings_in(folder: &Path) -> Result<(Store, Vec<i64>), Failure> {
    match Store::open(folder) {
        Ok(store) => {
            let ids = store.unreduced()?;
            return Ok((store, ids));
        }
        Err(StoreError::None(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let path = folder
        .canonicalize()
        .map_err(|source| Failure::io(format!("cannot read {}", folder.display()), source))?;
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(StoreError::None(folder.to_owned()).into());
    };
    let store = Store::open(dir)?;
    let found = store.finding_named(&name.to_string_lossy())?;
    let saved = found.ok_or_else(|| {
        Failure::Usage(format!("the campaign in {} has no such finding", dir.display()))
    })?;
    Ok((store, vec![saved.id]))
}

fn reduce(store: &mut Store, saved: Saved, args: &Args, stop: &Stop) -> Result<(), Failure> {
    let Saved { id, kind, name, finding } = saved;
    let campaign = without_targets(kind, &store.header()?.config, stop)?;
    let begun = if args.again { None } else { store.reduction(id)? };
    let before = finding.size();
    let (finding, n_tests) = match begun {
        Some(begun) => (begun.finding, begun.n_tests),
        None => (finding, 0),
    };
    let mut progress = Progress::new();
    let mut result = Ok(());
    let mut last = None;
    let folder = store.dir().join(&name).join("reduced");
    let tell = |reduced: Reduced| {
        let reduction = reduced.reduction;
        progress.show(|| {
            let (size, n) = (reduction.finding.size(), reduction.n_tests);
            format!("{name}: {size} of {before} statements after {n} tests: {}", reduced.pass)
        });
        if result.is_ok() {
            result = store.save_reduction(id, &reduction);
        }
        last = Some(reduction);
    };
    campaign.reduce(Job { id, finding, n_tests }, n_jobs(args.jobs), tell)?;
    progress.clear();
    result?;
    match last {
        Some(last) if last.is_done => {
            last.finding.write(&folder)?;
            let (size, n) = (last.finding.size(), last.n_tests);
            note(&format!("{name}: {size} of {before} statements are left, after {n} tests"));
            note(&format!("{}", folder.display()));
            if let Some(time) = args.source_reduce {
                reduce_source(&campaign, &last.finding, &folder, time, args)?;
            }
        }
        Some(_) => {}
        None if stop.is_raised() => {}
        None => note(&format!("{name}: this version cannot run it again")),
    }
    Ok(())
}

/// The text of the target language itself, where there are tools for it.
fn reduce_source(
    campaign: &AnyCampaign,
    finding: &Finding,
    folder: &Path,
    time: Time,
    args: &Args,
) -> Result<(), Failure> {
    let Some(reduced) = campaign.reduce_source(finding, n_jobs(args.jobs), time.0)? else {
        note("there is no source to reduce: that takes C in one file, and cvise or creduce");
        return Ok(());
    };
    let ReducedSource { tool, text, script } = reduced;
    OutputArgs::to(folder.join("reduced.c")).write_text(&text)?;
    OutputArgs::to(folder.join("interesting.sh")).write_text(&script)?;
    note(&format!("{tool} has left {} lines in reduced.c", text.lines().count()));
    Ok(())
}
