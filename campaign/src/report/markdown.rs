//! Markdown: a bug report for every cluster, ready to be pasted into the bug tracker of its target,
//! and an index.

mod engines;
mod github;
mod plain_text;
mod text;

use std::collections::BTreeSet;
use std::fmt::Write;

use pathsmith_oracles::shown_line;

use self::text::{inline, plain, slug};
use super::model::{Cluster, Report};
use super::title::title;
use super::tracker::Tracker;
use super::words::{counted, duration, grouped};

/// How long a bug report may become, in bytes, before sources are left out of it. GitHub takes
/// 65,536 characters.
const MAX_LENGTH: usize = 60_000;

/// A file of Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// All documents of a report: the index, then for every cluster a bug report, and its program in
/// SYMLANG, to be attached.
pub fn documents(report: &Report) -> Vec<Document> {
    let mut documents = vec![Document { name: "index.md".to_owned(), text: index(report) }];
    for cluster in report.ranked() {
        documents.push(Document { name: file_name(cluster), text: bug(report, cluster) });
        let text = cluster.front.program.clone();
        documents.push(Document { name: attachment_name(cluster), text });
    }
    documents
}

/// The names of the documents that are there for single clusters: those of an earlier report are
/// stale if a later one does not have them.
pub fn names_of_bugs(report: &Report) -> BTreeSet<String> {
    let names = |cluster| [file_name(cluster), attachment_name(cluster)];
    report.clusters.iter().flat_map(names).collect()
}

/// The name of the bug report of a cluster.
pub fn file_name(cluster: &Cluster) -> String {
    format!("bug-{}-{}.md", cluster.id, slug(&cluster.key))
}

/// The name of its program in SYMLANG.
pub fn attachment_name(cluster: &Cluster) -> String {
    format!("bug-{}-{}.sym", cluster.id, slug(&cluster.key))
}

/// What was tested and what was found, with links to the bug reports.
pub fn index(report: &Report) -> String {
    let mut out = format!("# {}\n\n", plain(&report.title));
    let started = match report.started.is_empty() {
        true => String::new(),
        false => format!(", started {}", plain(&report.started)),
    };
    let _ = writeln!(
        out,
        "{}, seed {}{started}, {} of CPU time.\n",
        plain(&report.generator),
        report.seed,
        duration(report.cpu_seconds)
    );
    out.push_str("## Findings\n\n");
    if report.clusters.is_empty() {
        out.push_str("Nothing found yet.\n");
    } else {
        let (n, m) = (report.n_findings(), report.clusters.len());
        let _ = writeln!(out, "{} in {}.\n", counted(n, "finding"), counted(m, "cluster"));
        out.push_str("| no. | bug report | class | target | findings | smallest |\n");
        out.push_str("| ---: | --- | --- | --- | ---: | ---: |\n");
    }
    for cluster in report.ranked() {
        let _ = writeln!(
            out,
            "| {} | [{}]({}) | {} | {} | {} | {} |",
            cluster.id,
            plain(&title(cluster)),
            file_name(cluster),
            cluster.verdict,
            plain(&cluster.target),
            grouped(cluster.members.len()),
            grouped(cluster.front.size)
        );
    }
    let untriaged = report.clusters.iter().filter(|cluster| cluster.is_untriaged);
    let n_untriaged: usize = untriaged.map(|cluster| cluster.members.len()).sum();
    if n_untriaged > 0 {
        let n = counted(n_untriaged, "finding");
        let _ = writeln!(
            out,
            "\nNot triaged: {n}, put together by target and verdict alone; `pathsmith triage` says \
             which are one bug."
        );
    }
    // For a single cluster, it says nothing that the table does not.
    let bug_groups = if report.clusters.len() > 1 { &report.bug_groups[..] } else { &[] };
    if !bug_groups.is_empty() {
        let n = bug_groups.len();
        let _ =
            writeln!(out, "\nProbably {}, by the fewest suspected causes:\n", counted(n, "bug"));
    }
    for group in bug_groups {
        let cause = group.suspected_cause.as_deref().map_or("unknown".to_owned(), inline);
        let ids: Vec<String> = group.clusters.iter().map(u32::to_string).collect();
        let _ = writeln!(
            out,
            "- {}: {cause}, {} (no. {}; {})",
            plain(&group.target),
            counted(group.n_findings, "finding"),
            ids.join(", "),
            plain(&group.certainty)
        );
    }
    let asides = [("flaky", &report.flaky), ("possible pathsmith bugs", &report.own_bugs)];
    for (what, list) in asides.into_iter().filter(|(_, list)| !list.is_empty()) {
        let _ = writeln!(out, "\nNot counted, {what}: {}.", counted(list.len(), "case"));
    }
    if !report.figures.is_empty() {
        out.push_str("\n## Campaign\n\n");
    }
    for figure in &report.figures {
        let _ = writeln!(out, "- {}: {}", plain(&figure.label), plain(&figure.value));
    }
    if !report.targets.is_empty() {
        out.push_str("\n## Targets\n\n| target | version | results compared | CPU time |\n");
        out.push_str("| --- | --- | ---: | ---: |\n");
    }
    for target in &report.targets {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            plain(&target.name),
            plain(&target.version),
            grouped(target.n_checked as usize),
            duration(target.cpu_seconds)
        );
    }
    out
}

/// A cluster as a bug report, as its tracker wants it.
pub fn bug(report: &Report, cluster: &Cluster) -> String {
    let name = shown_line(&cluster.front.name);
    let not_reduced = match cluster.front.is_reduced() {
        true => String::new(),
        false => format!("Not reduced: run `pathsmith reduce DIR/{name}`, and report that.\n\n"),
    };
    not_reduced + &text_of_bug(report, cluster)
}

fn text_of_bug(report: &Report, cluster: &Cluster) -> String {
    match Tracker::of(cluster) {
        Tracker::Gcc => plain_text::gcc(report, cluster),
        Tracker::OpenJdk => plain_text::openjdk(report, cluster),
        Tracker::Llvm | Tracker::Other => github::bug(report, cluster),
        Tracker::Wasmtime => engines::wasmtime(report, cluster),
        Tracker::Wasmi => engines::wasmi(report, cluster),
        Tracker::V8 => engines::v8(report, cluster),
    }
}

/// The origin of the bug report.
fn origin(report: &Report, cluster: &Cluster) -> String {
    let front = &cluster.front;
    let alike = match cluster.members.len() {
        0 | 1 => String::new(),
        n => format!(" {} look alike; this is the smallest of them.", counted(n, "finding")),
    };
    let not_triaged = match cluster.is_untriaged {
        true => " They were not triaged, and may be several bugs.",
        false => "",
    };
    format!(
        "Found by {}, which generates programs together with their expected outputs (seed {}, case \
         {}).{alike}{not_triaged} {} has the same program in pathsmith's own language.",
        report.generator,
        front.seed,
        front.case,
        attachment_name(cluster)
    )
}

#[cfg(test)]
mod tests {
    use pathsmith_oracles::Verdict;

    use super::super::sample::{cluster, report};
    use super::*;

    #[test]
    fn there_is_a_document_for_each_cluster_and_an_index() {
        let mut report = report();
        report.clusters.push(cluster(9, Verdict::Crash, "java", 3));
        let documents = documents(&report);
        let names: Vec<&str> = documents.iter().map(|document| &document.name[..]).collect();
        let gcc = "bug-3-gcc-wrong-result-tree-slsr";
        let java = "bug-9-java-crash-tree-slsr";
        let bugs = [gcc, java].map(|name| [format!("{name}.md"), format!("{name}.sym")]).concat();
        assert_eq!(names[0], "index.md");
        assert_eq!(names[1..], bugs);
        for name in [gcc, java] {
            assert!(documents[0].text.contains(&format!("({name}.md)")), "no link to {name}");
        }
        assert_eq!(names_of_bugs(&report), bugs.into_iter().collect());
    }

    #[test]
    fn bug_reports_fit_into_a_tracker() {
        for kind in ["gcc", "clang", "wasmtime", "wasmi", "node", "java", "mine"] {
            let report = report();
            let mut bug = report.clusters[0].clone();
            bug.kind = kind.to_owned();
            bug.front.sources[0].text = "x = 1;\n".repeat(100_000);
            bug.front.evidence[1].message = "line\n".repeat(100_000);
            let text = super::bug(&report, &bug);
            assert!(text.len() < 65_536, "{kind}: {} bytes", text.len());
            assert!(text.contains("100,000 lines"), "{kind}: {text}");
        }
    }

    /// It would be hundreds of lines with a harness in them.
    #[test]
    fn what_is_not_reduced_says_so_first() {
        let report = report();
        let mut bug = report.clusters[0].clone();
        assert!(!super::bug(&report, &bug).contains("Not reduced"));
        assert!(super::bug(&report, &bug).contains("$ /usr/bin/gcc-12 -v\nTarget: x86_64"));
        (bug.front.original_size, bug.versions) = (None, None);
        let text = super::bug(&report, &bug);
        let command = format!("Not reduced: run `pathsmith reduce DIR/{}`", bug.front.name);
        assert!(text.starts_with(&command), "{text}");
        let version = &bug.front.target.version;
        assert!(!text.contains(" -v\n") && text.contains(&format!("Version: {version}")), "{text}");
    }

    #[test]
    fn symlang_is_attached_and_not_in_the_text() {
        for kind in ["gcc", "clang", "wasmtime", "wasmi", "node", "java", "mine"] {
            let report = report();
            let bug = Cluster { kind: kind.to_owned(), ..report.clusters[0].clone() };
            let text = super::bug(&report, &bug);
            assert!(!text.contains("realize") && text.contains(&attachment_name(&bug)), "{text}");
        }
        let attached = &documents(&report())[2];
        assert!(attached.name.ends_with(".sym") && attached.text.contains("realize"));
    }

    #[test]
    fn an_empty_campaign_says_so() {
        let text = index(&Report { clusters: Vec::new(), ..report() });
        assert!(text.contains("Nothing found yet.") && text.contains("gcc 12.2.0"));
    }
}
