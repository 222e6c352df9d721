//! `pathsmith report`

use std::path::PathBuf;

use pathsmith_campaign::report::{
    Cluster, Figure, Incident, Member, Report, Specimen, TargetView, html, markdown,
};
use pathsmith_campaign::{FuzzConfig, Stats, Store};
use pathsmith_oracles::process::Stop;

use crate::errors::{Failure, note};
use crate::output::OutputArgs;
use crate::targets::without_targets;

/// Make a page of what a campaign has found
///
/// Writes one self-contained page of HTML, the same as JSON, and for each cluster of findings a
/// text in Markdown that can be pasted into a bug tracker. The campaign may still be running.
///
/// Examples:
///   pathsmith report findings
///   pathsmith report findings --out /tmp/report
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The folder of a campaign
    folder: PathBuf,

    /// Where the report goes [default: the folder `report` in that of the campaign]
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let store = Store::read(&args.folder)?;
    let report = of_store(&store)?;
    let out = args.out.clone().unwrap_or_else(|| args.folder.join("report"));
    let json = report.to_json().map_err(|error| Failure::Input(error.to_string()))?;
    let mut files =
        vec![("index.html".to_owned(), html(&report)), ("report.json".to_owned(), json)];
    files.extend(markdown::documents(&report).into_iter().map(|file| (file.name, file.text)));
    std::fs::create_dir_all(&out)
        .map_err(|source| Failure::io(format!("cannot write {}", out.display()), source))?;
    for (name, text) in files {
        OutputArgs::to(out.join(name)).write_text(&text)?;
    }
    let n = report.n_findings();
    note(&format!("{n} findings in {} clusters", report.clusters.len()));
    note(&format!("{}", out.join("index.html").display()));
    Ok(())
}

fn of_store(store: &Store) -> Result<Report, Failure> {
    let header = store.header()?;
    let config = &header.config;
    let mut stats = Stats::default();
    for kind in &config.campaign.kinds {
        stats.add(&store.progress(*kind)?.1);
    }
    let incident = |flaky: pathsmith_campaign::Flaky| Incident {
        verdict: flaky.verdict,
        target: flaky.target,
        case: flaky.number,
        why: flaky.why,
    };
    Ok(Report {
        generator: format!("pathsmith {}", header.version),
        title: title(&header.versions),
        seed: config.campaign.seed,
        begun: store.begun()?,
        cpu_seconds: stats.cpu().as_secs_f64(),
        figures: figures(&stats),
        targets: targets(&stats, &header.versions),
        clusters: clusters(store, config)?,
        flaky: store.flaky()?.into_iter().map(incident).collect(),
        own_bugs: own_bugs(store)?,
    })
}

fn title(versions: &[String]) -> String {
    match versions {
        [] => "a campaign".to_owned(),
        [one] => one.clone(),
        [first, others @ ..] => format!("{first} and {} more", others.len()),
    }
}

fn figures(stats: &Stats) -> Vec<Figure> {
    let number = |label: &str, n: u64| Figure::new(label, n.to_string());
    let all = stats.cpu().as_secs_f64().max(1e-9);
    let share = |label: &str, part: std::time::Duration| {
        Figure::new(label, format!("{:.1} %", part.as_secs_f64() / all * 100.0))
    };
    let mut figures = vec![
        number("cases", stats.n_cases),
        number("functions", stats.n_functions),
        number("realizations checked", stats.n_checked),
        number("compilations", stats.spent.n_compilations),
        Figure::new("processor time", format!("{:.0} s", stats.cpu().as_secs_f64())),
        share("compiling", stats.spent.compile),
        share("running", stats.spent.run),
        share("generating", stats.generate),
    ];
    if stats.n_could_not_run > 0 {
        figures.push(number("runs that could not take place", stats.n_could_not_run));
    }
    figures
}

/// Each target, with the version that begins with its name, if there is one.
fn targets(stats: &Stats, versions: &[String]) -> Vec<TargetView> {
    let version_of = |name: &str| {
        let first = name.split(' ').next().unwrap_or(name);
        let family = first.split('-').next().unwrap_or(first);
        let known = versions.iter().find(|version| version.contains(first));
        known.or_else(|| versions.iter().find(|version| version.contains(family))).cloned()
    };
    let view = |(name, target): (&String, &pathsmith_campaign::TargetStats)| TargetView {
        name: name.clone(),
        version: version_of(name).unwrap_or_default(),
        n_checked: target.n_checked,
        cpu_seconds: target.cpu.as_secs_f64(),
    };
    stats.targets.iter().map(view).collect()
}

fn clusters(store: &Store, config: &FuzzConfig) -> Result<Vec<Cluster>, Failure> {
    let mut clusters = Vec::new();
    for (at, (key, ids)) in store.clusters()?.into_iter().enumerate() {
        let Some(first) = ids.first() else { continue };
        let front = store.finding(*first)?;
        let signature = front.finding.signature.clone();
        let mut members = Vec::new();
        for id in &ids {
            let saved = store.finding(*id)?;
            members.push(Member::new(&saved.name, &saved.finding));
        }
        clusters.push(Cluster {
            id: at as u32 + 1,
            key,
            verdict: front.finding.verdict,
            target: front.finding.target.name.clone(),
            culprit: signature.as_ref().map_or_else(Vec::new, |known| known.culprit.clone()),
            detail: signature.and_then(|known| known.detail),
            front: specimen(store, config, *first)?,
            members,
        });
    }
    Ok(clusters)
}

/// A finding as it is reduced, if it is.
fn specimen(store: &Store, config: &FuzzConfig, id: i64) -> Result<Specimen, Failure> {
    let saved = store.finding(id)?;
    let campaign = without_targets(saved.kind, config, &Stop::new())?;
    let before = saved.finding.size();
    let reduced = store.reduction(id)?.filter(|reduction| reduction.is_done);
    let (mut finding, original_size) = match reduced {
        Some(reduction) => (reduction.finding, Some(before)),
        None => (saved.finding, None),
    };
    campaign.add_files(&mut finding);
    Ok(Specimen { original_size, ..Specimen::new(&saved.name, &finding) })
}

/// Findings that speak against pathsmith.
fn own_bugs(store: &Store) -> Result<Vec<Incident>, Failure> {
    let mut found = Vec::new();
    for id in store.unsigned()? {
        let finding = store.finding(id)?.finding;
        if !finding.verdict.is_finding() {
            found.push(Incident {
                verdict: finding.verdict,
                target: finding.target.full_name(),
                case: finding.number,
                why: finding.evidence.last().map_or(String::new(), |last| last.message.clone()),
            });
        }
    }
    Ok(found)
}
