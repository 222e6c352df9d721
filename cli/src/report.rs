//! `pathsmith report`

use std::path::PathBuf;

use pathsmith_campaign::Store;
use pathsmith_campaign::registry::campaigns_without_targets;
use pathsmith_campaign::report::{Report, counted, html, markdown, remove_stale_reports};

use crate::errors::{Failure, note};
use crate::fuzz::env;
use crate::output::OutputArgs;

/// Write a report of a campaign's findings
///
/// Writes one self-contained HTML page, the same as JSON, and for each cluster of findings a bug
/// report for the bug tracker of its target, with the program in SYMLANG beside it. Bug reports of an
/// earlier run that are not there any more are removed. The campaign may still be running.
///
/// Examples:
///   pathsmith report findings
///   pathsmith report findings --out /tmp/report
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The folder of a campaign
    folder: PathBuf,

    /// The folder of the report [default: the folder `report` in that of the campaign]
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let store = Store::read(&args.folder)?;
    let campaigns = campaigns_without_targets(&store.header()?.config, &env()?)?;
    let report = Report::of_campaign(&store, &campaigns)?;
    let out = args.out.clone().unwrap_or_else(|| args.folder.join("report"));
    let json = report.to_json().map_err(|error| Failure::Input(error.to_string()))?;
    let mut files =
        vec![("index.html".to_owned(), html(&report)), ("report.json".to_owned(), json)];
    files.extend(markdown::documents(&report).into_iter().map(|file| (file.name, file.text)));
    let is_link = out.symlink_metadata().is_ok_and(|found| found.is_symlink());
    if args.out.is_none() && is_link {
        let out = out.display();
        return Err(Failure::Input(format!(
            "{out} is a symbolic link, and nothing is written through those; --out names a folder"
        )));
    }
    let failed = |source| Failure::io(format!("cannot write {}", out.display()), source);
    std::fs::create_dir_all(&out).map_err(failed)?;
    remove_stale_reports(&out, &report).map_err(failed)?;
    for (name, text) in files {
        OutputArgs::to(out.join(name)).write_text(&text)?;
    }
    let n = report.n_findings();
    let clusters = counted(report.clusters.len(), "cluster");
    note(&format!("{} in {clusters}", counted(n, "finding")));
    note(&format!("{}", out.join("index.html").display()));
    Ok(())
}
