//! The report as one page of HTML that needs nothing else: its style and script are inside, and it
//! asks for nothing from anywhere. The script only makes it handier.

mod cluster;
mod code;
mod element;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use pathsmith_oracles::Verdict;

pub(crate) use self::element::Text;
use self::element::code_list;
use super::model::{BugGroupView, Cluster, Incident, Report};
use super::title::title;
use super::words::{counted, duration, grouped};

/// How many rows of a list the page shows; the JSON has all of them.
const MAX_ROWS: usize = 100;

/// How many parts of a target the table of clusters names for each.
const MAX_NAMES: usize = 3;

/// Colours, tables, and how code looks.
pub(crate) const PAGE_STYLE: &str = include_str!("page.css");

/// Nothing may be loaded, whatever a report holds.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      img-src data:; base-uri 'none'; form-action 'none'";

/// Renders a report as a page.
pub fn html(report: &Report) -> String {
    let title = Text(&report.title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"{}\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>{title}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the findings</a>\n",
        Text(&report.generator),
        PAGE_STYLE,
        include_str!("graph.css"),
    );
    put_header(&mut out, report);
    out.push_str("<main id=\"main\">\n");
    let ranked = report.ranked();
    if ranked.is_empty() {
        put_nothing(&mut out, report);
    } else {
        put_index(&mut out, report, &ranked);
        // For a single cluster, it says nothing that the list does not.
        if report.clusters.len() > 1 {
            put_bug_groups(&mut out, &report.bug_groups);
        }
        for cluster in &ranked {
            cluster::put_section(&mut out, cluster);
        }
    }
    put_incidents(&mut out, "flaky", "Flaky", FLAKY, &report.flaky);
    put_incidents(&mut out, "own", "Possible pathsmith bugs", OWN, &report.own_bugs);
    put_campaign(&mut out, report);
    let _ = write!(
        out,
        "</main>\n<footer><p>Made by {}. Seed {}. This page is complete in itself and loads \
         nothing.</p></footer>\n<script>\n{}</script>\n</body>\n</html>\n",
        Text(&report.generator),
        report.seed,
        include_str!("page.js"),
    );
    out
}

const FLAKY: &str = "Each of these showed once, and did not reproduce when it was run alone. They \
                     are not counted as findings.";
const OWN: &str = "Compile errors and sanitizer errors: bugs of the generator until shown \
                   otherwise. They are not counted as findings.";

fn put_header(out: &mut String, report: &Report) {
    let started = match report.started.is_empty() {
        true => String::new(),
        false => format!("<span>started {}</span> ", Text(&report.started)),
    };
    let _ = writeln!(
        out,
        "<header class=\"top\">\n<p class=\"kind\">Campaign report</p>\n<h1>{}</h1>\n\
         <p class=\"meta\"><span>seed <b>{}</b></span> {started}<span>{} of CPU time</span> \
         <span>{}</span></p>\n</header>",
        Text(&report.title),
        report.seed,
        duration(report.cpu_seconds),
        Text(&report.generator),
    );
}

fn put_nothing(out: &mut String, report: &Report) {
    let tested = match report.targets.is_empty() {
        true => "",
        false => " What was tested is listed below.",
    };
    let _ = writeln!(
        out,
        "<div class=\"empty\"><h2>Nothing found yet</h2><p>No finding has been confirmed.\
         {tested}</p></div>"
    );
}

/// What was done, on what.
fn put_campaign(out: &mut String, report: &Report) {
    out.push_str("<section class=\"overview\" aria-label=\"Campaign\">\n<h2>Campaign</h2>\n");
    if !report.clusters.is_empty() {
        put_classes(out, report);
    }
    if !report.figures.is_empty() {
        out.push_str("<dl class=\"strip\">\n");
        for figure in &report.figures {
            let (label, value) = (Text(&figure.label), Text(&figure.value));
            let _ = writeln!(out, "<div><dt>{label}</dt><dd>{value}</dd></div>");
        }
        out.push_str("</dl>\n");
    }
    put_targets(out, report);
    out.push_str("</section>\n");
}

/// How many clusters and findings there are of each verdict, by target.
fn put_classes(out: &mut String, report: &Report) {
    let targets: BTreeSet<&str> = report.clusters.iter().map(|c| &c.target[..]).collect();
    let mut cells: BTreeMap<(Verdict, &str), (usize, usize)> = BTreeMap::new();
    for cluster in &report.clusters {
        let cell = cells.entry((cluster.verdict, &cluster.target)).or_default();
        cell.0 += 1;
        cell.1 += cluster.members.len();
    }
    let total = |verdict: Verdict| {
        let of_verdict = report.clusters.iter().filter(|cluster| cluster.verdict == verdict);
        of_verdict.fold((0, 0), |(n, m), cluster| (n + 1, m + cluster.members.len()))
    };
    let heads: String =
        targets.iter().map(|name| format!("<th scope=\"col\">{}</th>", Text(name))).collect();
    let _ = writeln!(
        out,
        "<div class=\"part\">\n<h3>Findings by class</h3>\n<div class=\"scroll\"><table \
         class=\"classes\">\n<thead><tr><th scope=\"col\">class</th>{heads}<th \
         scope=\"col\">clusters</th><th scope=\"col\">findings</th></tr></thead>\n<tbody>",
    );
    for verdict in Verdict::ALL.into_iter().rev() {
        let (n_clusters, n_findings) = total(verdict);
        if n_clusters == 0 {
            continue;
        }
        let _ = write!(out, "<tr><th scope=\"row\">{}</th>", chip(verdict));
        for target in &targets {
            let shown = match cells.get(&(verdict, *target)) {
                Some(&(n, _)) => grouped(n),
                None => "<span class=\"none\">0</span>".to_owned(),
            };
            let _ = write!(out, "<td>{shown}</td>");
        }
        let _ =
            writeln!(out, "<td>{}</td><td>{}</td></tr>", grouped(n_clusters), grouped(n_findings));
    }
    out.push_str("</tbody>\n</table></div>\n</div>\n");
}

fn put_targets(out: &mut String, report: &Report) {
    if report.targets.is_empty() {
        return;
    }
    out.push_str(
        "<div class=\"part\">\n<h3>Targets</h3>\n<div class=\"scroll\"><table class=\"targets\">\n\
         <thead><tr><th scope=\"col\">target</th><th scope=\"col\">version</th><th \
         scope=\"col\">results compared</th><th scope=\"col\">CPU time</th></tr></thead>\n<tbody>\n",
    );
    for target in &report.targets {
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td>\
             <td>{}</td></tr>",
            Text(&target.name),
            Text(&target.version),
            grouped(target.n_checked as usize),
            duration(target.cpu_seconds),
        );
    }
    out.push_str("</tbody>\n</table></div>\n</div>\n");
}

/// The table of all clusters.
fn put_index(out: &mut String, report: &Report, ranked: &[&Cluster]) {
    let untriaged = ranked.iter().filter(|cluster| cluster.is_untriaged);
    let n_untriaged: usize = untriaged.map(|cluster| cluster.members.len()).sum();
    let not_triaged = match n_untriaged {
        0 => String::new(),
        n => format!(
            " {} not triaged, and put together by target and verdict alone: <code>pathsmith \
             triage</code> says which are one bug.",
            if n == 1 {
                "1 finding was".to_owned()
            } else {
                format!("{} were", counted(n, "finding"))
            }
        ),
    };
    let _ = write!(
        out,
        "<nav class=\"index\" aria-labelledby=\"clusters\">\n<h2 id=\"clusters\">Bugs</h2>\n\
         <p>{} in {}, which rank by verdict and by the size of the smallest program, not by how often \
         they were seen.{not_triaged}</p>\n\
         <div class=\"scroll\"><table class=\"stacked\">\n<thead><tr><th scope=\"col\">no.</th><th \
         scope=\"col\">bug</th><th scope=\"col\">class</th><th scope=\"col\">target</th><th \
         scope=\"col\">suspected cause</th><th scope=\"col\">findings</th><th \
         scope=\"col\">smallest</th></tr></thead>\n<tbody>\n",
        counted(report.n_findings(), "finding"),
        counted(ranked.len(), "cluster"),
    );
    for cluster in ranked {
        let Cluster { id, verdict, .. } = cluster;
        let _ = writeln!(
            out,
            "<tr data-cluster=\"{id}\"><td>{id}</td><td class=\"key\"><a href=\"#bug-{id}\">{}</a>\
             </td><td data-label=\"class\">{}</td><td data-label=\"target\">{}</td>\
             <td data-label=\"suspected cause\">{}</td><td data-label=\"findings\">{}</td>\
             <td data-label=\"smallest\" title=\"statements\">{}</td></tr>",
            Text(&title(cluster)),
            chip(*verdict),
            Text(&cluster.target),
            suspected_causes(cluster),
            grouped(cluster.members.len()),
            grouped(cluster.front.size),
        );
    }
    out.push_str("</tbody>\n</table></div>\n</nav>\n");
}

/// The fewest suspected causes that account for all clusters.
fn put_bug_groups(out: &mut String, bug_groups: &[BugGroupView]) {
    if bug_groups.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "<section class=\"bug-groups\" aria-labelledby=\"bug-groups\">\n<h2 id=\"bug-groups\">Probably \
         {}</h2>\n<p>Disabling the wrong part of the target hides a finding, and so does disabling \
         whatever enables its mistake, so one bug makes several clusters. These are the fewest suspected \
         causes that account for all of them.</p>\n<div class=\"scroll\"><table \
         class=\"stacked\">\n<thead><tr><th \
         scope=\"col\">suspected cause</th><th scope=\"col\">target</th><th \
         scope=\"col\">clusters</th><th scope=\"col\">findings</th><th scope=\"col\">how \
         sure</th></tr></thead>\n<tbody>",
        counted(bug_groups.len(), "bug"),
    );
    for BugGroupView { target, suspected_cause, certainty, clusters, n_findings } in bug_groups {
        let links: Vec<String> =
            clusters.iter().map(|id| format!("<a href=\"#bug-{id}\">{id}</a>")).collect();
        let _ = writeln!(
            out,
            "<tr><td class=\"key\">{}</td><td data-label=\"target\">{}</td><td \
             data-label=\"clusters\">{}</td><td data-label=\"findings\">{}</td><td \
             data-label=\"how sure\">{}</td></tr>",
            code_list(suspected_cause.as_slice()),
            Text(target),
            links.join(", "),
            grouped(*n_findings),
            Text(certainty),
        );
    }
    out.push_str("</tbody>\n</table></div>\n</section>\n");
}

/// The first few of what a cluster takes.
fn suspected_causes(cluster: &Cluster) -> String {
    let names = &cluster.suspected_causes;
    let (first, others) = names.split_at(names.len().min(MAX_NAMES));
    match others.len() {
        0 => code_list(first),
        n => format!("{} and {n} more", code_list(first)),
    }
}

fn put_incidents(out: &mut String, id: &str, title: &str, about: &str, list: &[Incident]) {
    if list.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "<section class=\"incidents\" id=\"{id}\">\n<h2>{title}</h2>\n<p>{about}</p>\n<details>\
         <summary>{}</summary>\n<div class=\"scroll\"><table>\n<thead><tr><th \
         scope=\"col\">case</th><th scope=\"col\">target</th><th scope=\"col\">verdict</th><th \
         scope=\"col\">what is known</th></tr></thead>\n<tbody>",
        counted(list.len(), "case"),
    );
    for Incident { verdict, target, case, why } in list.iter().take(MAX_ROWS) {
        let _ = writeln!(
            out,
            "<tr><td>{case}</td><td>{}</td><td>{verdict}</td><td>{}</td></tr>",
            Text(target),
            Text(why),
        );
    }
    let _ = writeln!(out, "</tbody>\n</table></div>\n{}</details>\n</section>", rest(list.len()));
}

/// What is said below a list of which not all is shown.
fn rest(n: usize) -> String {
    match n.checked_sub(MAX_ROWS) {
        None | Some(0) => String::new(),
        Some(hidden) => format!(
            "<p class=\"rest\">The first {MAX_ROWS} of {} are listed; the JSON report has the \
             other {}.</p>\n",
            grouped(n),
            grouped(hidden)
        ),
    }
}

/// A verdict, set off from the text around it.
fn chip(verdict: Verdict) -> String {
    format!("<span class=\"chip {}\">{verdict}</span>", verdict.name())
}

#[cfg(test)]
mod tests;
