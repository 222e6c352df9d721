//! Markdown: a bug report for every cluster, ready to be pasted into a bug tracker, and an index.

mod text;

use std::fmt::Write;

use self::text::{block, inline, plain, slug};
use super::model::{Cluster, Report, Source, Specimen, Syntax};
use super::words::{
    actual, counted, duration, ending, expected, grouped, happened, size, soundness,
};

/// How long a bug report may become, in bytes, before sources are left out of it. GitHub takes
/// 65,536 characters.
const MAX_LENGTH: usize = 60_000;
/// How many lines of what a command wrote are shown.
const MAX_LINES: usize = 40;

/// A file of Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// All documents of a report: the index, then a bug report for every cluster.
pub fn documents(report: &Report) -> Vec<Document> {
    let bugs = report.ranked().into_iter();
    let index = Document { name: "index.md".to_owned(), text: index(report) };
    let bug = |cluster| Document { name: file_name(cluster), text: bug(report, cluster) };
    std::iter::once(index).chain(bugs.map(bug)).collect()
}

/// The name of the bug report of a cluster.
pub fn file_name(cluster: &Cluster) -> String {
    format!("bug-{}-{}.md", cluster.id, slug(&cluster.key))
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
    out.push_str("\n## Findings\n\n");
    if report.clusters.is_empty() {
        out.push_str("Nothing found yet.\n");
    } else {
        let (n, m) = (report.n_findings(), report.clusters.len());
        let _ = writeln!(out, "{} in {}.\n", counted(n, "finding"), counted(m, "cluster"));
        out.push_str("| no. | cluster | class | target | findings | smallest |\n");
        out.push_str("| ---: | --- | --- | --- | ---: | ---: |\n");
    }
    for cluster in report.ranked() {
        let _ = writeln!(
            out,
            "| {} | [{}]({}) | {} | {} | {} | {} |",
            cluster.id,
            plain(&cluster.key),
            file_name(cluster),
            cluster.verdict,
            plain(&cluster.target),
            grouped(cluster.members.len()),
            grouped(cluster.front.size)
        );
    }
    if !report.bug_groups.is_empty() {
        let n = report.bug_groups.len();
        let _ =
            writeln!(out, "\nProbably {}, by the fewest suspected causes:\n", counted(n, "bug"));
    }
    for group in &report.bug_groups {
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
    out
}

/// A cluster as a bug report.
pub fn bug(report: &Report, cluster: &Cluster) -> String {
    let front = &cluster.front;
    let mut out = format!("# {}\n\n{}\n\n", plain(&cluster.key), summary(cluster));
    put_facts(&mut out, cluster);
    let _ = write!(
        out,
        "\n## Expected and actual\n\n- Expected: {}\n- Actual: {}\n\n{}\n",
        value(front.expected.is_some(), expected(cluster)),
        value(front.actual.is_some(), actual(cluster)),
        soundness(front)
    );
    put_reproduction(&mut out, front);
    let origin = origin(report, cluster);
    put_sources(&mut out, front, MAX_LENGTH.saturating_sub(origin.len()));
    out + &origin
}

/// One sentence.
fn summary(cluster: &Cluster) -> String {
    let front = &cluster.front;
    let target =
        format!("{} {}", plain(&front.target.name), inline(&front.target.setting.to_string()));
    let call = front.call.as_deref().map(inline);
    match (call, &front.expected, &front.actual) {
        (Some(call), Some(expected), Some(actual)) => {
            let (expected, actual) = (inline(expected), inline(actual));
            format!("With {target}, {call} returns {actual}; expected {expected}.")
        }
        (Some(call), Some(expected), None) => {
            let (happens, expected) = (happened(cluster.verdict), inline(expected));
            format!("With {target}, {call} {happens}; expected {expected}.")
        }
        (Some(call), None, _) => format!("With {target}, {call} {}.", happened(cluster.verdict)),
        (None, ..) => format!("With {target}, {}.", happened(cluster.verdict)),
    }
}

fn put_facts(out: &mut String, cluster: &Cluster) {
    let front = &cluster.front;
    let list = |words: &[String]| words.iter().map(|w| inline(w)).collect::<Vec<_>>().join(", ");
    let flags = match front.target.flags.is_empty() {
        true => String::new(),
        false => inline(&front.target.flags.join(" ")),
    };
    let facts = [
        ("Version", plain(&front.target.version)),
        ("Flags", flags),
        ("Suspected cause", list(&cluster.suspected_causes)),
        ("Detail", cluster.detail.as_deref().map_or_else(String::new, plain)),
        ("Size", size(front)),
    ];
    for (label, text) in facts.into_iter().filter(|(_, text)| !text.is_empty()) {
        let _ = writeln!(out, "- {label}: {text}");
    }
}

fn value(is_value: bool, text: &str) -> String {
    if is_value { inline(text) } else { plain(text) }
}

fn put_reproduction(out: &mut String, front: &Specimen) {
    if !front.commands.is_empty() {
        let _ = write!(
            out,
            "\n## Reproduce\n\nWith the files below, which are in the folder {} of the findings:\n\n{}",
            inline(&front.name),
            block("sh", &front.commands.join("\n"))
        );
    }
    if front.evidence.is_empty() {
        return;
    }
    let mut seen = String::new();
    for evidence in &front.evidence {
        let _ = writeln!(seen, "$ {}", evidence.command.join(" "));
        if !evidence.message.is_empty() {
            let n_lines = evidence.message.lines().count();
            for line in evidence.message.lines().take(MAX_LINES) {
                let _ = writeln!(seen, "{line}");
            }
            if n_lines > MAX_LINES {
                let _ = writeln!(seen, "({} more)", counted(n_lines - MAX_LINES, "line"));
            }
        }
        if let Some(ending) = ending(evidence) {
            let _ = writeln!(seen, "({ending})");
        }
    }
    let _ = write!(out, "\nWhat was seen:\n\n{}", block("", &seen));
}

/// The program as the target gets it, then in SYMLANG, as far as there is room.
fn put_sources(out: &mut String, front: &Specimen, room: usize) {
    let symlang = Source {
        name: "program.sym".to_owned(),
        syntax: Syntax::Symlang,
        text: front.program.clone(),
    };
    // A script says more than the commands only if they start it.
    let is_needed = |source: &&Source| {
        let is_named = || front.commands.iter().any(|command| command.contains(&source.name));
        source.syntax != Syntax::Sh || is_named()
    };
    let sources = front.sources.iter().filter(is_needed);
    out.push_str("\n## Program\n");
    for source in sources.chain([&symlang]) {
        let name = inline(&source.name);
        let about = match source.syntax {
            Syntax::Symlang => format!("{name}, the same in SYMLANG, the language of pathsmith:"),
            _ => format!("{name}:"),
        };
        let code = block(source.syntax.fence(), &source.text);
        let _ = match out.len() + about.len() + code.len() < room {
            true => write!(out, "\n{about}\n\n{code}"),
            false => writeln!(
                out,
                "\n{name} ({}) is too long to stand here; it is in the folder of the finding.",
                counted(source.text.lines().count(), "line")
            ),
        };
    }
}

/// The origin of the bug report.
fn origin(report: &Report, cluster: &Cluster) -> String {
    let front = &cluster.front;
    let alike = match cluster.members.len() {
        0 | 1 => "It was seen in one program.".to_owned(),
        n => format!("{} look alike; this is the smallest of them.", counted(n, "finding")),
    };
    format!(
        "\n## Origin\n\nFound by {}, a generator of programs with known outputs: seed {}, case \
         {}, finding {}. {alike}\n",
        plain(&report.generator),
        front.seed,
        front.case,
        inline(&front.name)
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
        let gcc = "bug-3-gcc-wrong-result-tree-slsr.md";
        assert_eq!(names, ["index.md", gcc, "bug-9-java-crash-tree-slsr.md"]);
        for name in &names[1..] {
            assert!(documents[0].text.contains(&format!("({name})")), "no link to {name}");
        }
    }

    #[test]
    fn what_the_target_does_is_said_in_a_sentence() {
        let mut bug = cluster(1, Verdict::WrongResult, "gcc", 5);
        let wrong = "With gcc `-O3`, `f7(5)` returns `2395484009`; expected `1198163047`.";
        assert_eq!(summary(&bug), wrong);
        bug.front.actual = None;
        bug.verdict = Verdict::Hang;
        let endless = "With gcc `-O3`, `f7(5)` hangs; expected `1198163047`.";
        assert_eq!(summary(&bug), endless);
        (bug.front.call, bug.front.expected) = (None, None);
        bug.verdict = Verdict::CompilerCrash;
        assert_eq!(summary(&bug), "With gcc `-O3`, the compiler crashes.");
    }

    #[test]
    fn bug_reports_fit_into_a_tracker() {
        let report = report();
        let mut bug = report.clusters[0].clone();
        bug.front.sources[0].text = "x = 1;\n".repeat(100_000);
        bug.front.evidence[1].message = "line\n".repeat(100_000);
        let text = super::bug(&report, &bug);
        assert!(text.len() < 65_536, "{} bytes", text.len());
        assert!(text.contains("`test.c` (100,000 lines) is too long"));
        assert!(text.contains("fn f7"), "what fits is there");
    }

    #[test]
    fn an_empty_campaign_says_so() {
        let text = index(&Report { clusters: Vec::new(), ..report() });
        assert!(text.contains("Nothing found yet.") && text.contains("gcc 12.2.0"));
    }
}
