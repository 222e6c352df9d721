//! Bug reports for issues on GitHub, in Markdown: that for LLVM and for targets that we know nothing
//! of, and the parts that the others share.

use std::fmt::Write;

use super::super::explorer::link;
use super::super::model::{Cluster, Report};
use super::super::parts::{
    actual, causes, expected, session, shown, soundness, test_files, version_details,
    version_lines, version_summary,
};
use super::super::title::title;
use super::super::words::counted;
use super::text::{block, copyable, inline, plain};
use super::{MAX_LENGTH, origin};

/// A cluster as an issue.
pub(super) fn bug(report: &Report, cluster: &Cluster) -> String {
    let mut out = heading(cluster);
    put_test(&mut out, cluster);
    if let Some(link) = link(cluster) {
        let _ = writeln!(out, "\nCompiler Explorer: {link}");
    }
    let _ = write!(out, "\n{}", block("console", &session(&shown(cluster))));
    let _ = writeln!(out, "\n- Expected: {}", plain(&expected(cluster)));
    let _ = writeln!(out, "- Actual: {}", plain(&actual(cluster)));
    put_causes(&mut out, cluster);
    put_versions(&mut out, cluster);
    put_end(&mut out, report, cluster);
    out
}

pub(super) fn heading(cluster: &Cluster) -> String {
    format!("# {}\n\n", copyable(&title(cluster)))
}

/// The test, as far as there is room.
pub(super) fn put_test(out: &mut String, cluster: &Cluster) {
    let tests = test_files(&cluster.front);
    for (at, source) in tests.iter().enumerate() {
        let name = inline(&source.name);
        let code = block(source.syntax.fence(), &source.text);
        let between = if at > 0 { "\n" } else { "" };
        let _ = match out.len() + code.len() < MAX_LENGTH * 3 / 4 {
            true => write!(out, "{between}{name}:\n\n{code}"),
            false => writeln!(
                out,
                "{between}{name} ({}) is too long to stand here, and is attached.",
                counted(source.text.lines().count(), "line")
            ),
        };
    }
}

pub(super) fn put_causes(out: &mut String, cluster: &Cluster) {
    let facts = causes(cluster, inline);
    if !facts.is_empty() {
        let _ = writeln!(out, "\n{}", facts.join(" "));
    }
}

/// The versions at hand as a table, and what the target says of itself.
pub(super) fn put_versions(out: &mut String, cluster: &Cluster) {
    if let Some(versions) = &cluster.versions {
        out.push_str("\n| version | result |\n| --- | --- |\n");
        for (version, result) in version_lines(versions) {
            let _ = writeln!(out, "| {} | {} |", plain(&version), plain(&result));
        }
        if let Some(summary) = version_summary(versions) {
            let _ = writeln!(out, "\n{summary}");
        }
    }
    // Some targets say no more than the version, which stands above.
    let details = version_details(cluster);
    if !out.contains(&plain(details.trim())) {
        let _ = write!(out, "\n{}", block("", details));
    }
}

/// That the test is right, and where it comes from.
pub(super) fn put_end(out: &mut String, report: &Report, cluster: &Cluster) {
    let (sound, origin) = (soundness(cluster), origin(report, cluster));
    let _ = writeln!(out, "\n{}\n\n{}", plain(&sound), plain(&origin));
}
