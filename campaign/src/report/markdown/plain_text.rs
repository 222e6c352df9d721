//! Bug reports for trackers that show plain text: GCC's Bugzilla and OpenJDK's bug system.

use std::fmt::Write;

use pathsmith_oracles::{Verdict, shown_line, shown_lines};

use super::super::explorer::link;
use super::super::model::{Cluster, Report};
use super::super::parts::{
    actual, causes, expected, session, shown, soundness, test_files, version_details,
    version_lines, version_summary,
};
use super::super::title::title;
use super::super::words::counted;
use super::{MAX_LENGTH, origin};
use crate::versions::{Replayed, version_number};

/// For GCC's Bugzilla: the fields of the form, then the comment.
pub(super) fn gcc(report: &Report, cluster: &Cluster) -> String {
    let number: Vec<String> =
        version_number(&cluster.front.target.version).iter().map(u64::to_string).collect();
    let mut out = format!(
        "Summary: {}\nProduct: gcc\nComponent: {}\nVersion: {}\nKeywords: {}\n",
        shown_line(&title(cluster)),
        component(cluster),
        number.join("."),
        keywords(cluster.verdict),
    );
    put_known_versions(&mut out, cluster);
    out.push('\n');
    for source in test_files(&cluster.front) {
        let text = shown_lines(&source.text);
        let name = shown_line(&source.name);
        let _ = match out.len() + text.len() < MAX_LENGTH * 3 / 4 {
            true => write!(out, "$ cat {name}\n{text}"),
            false => writeln!(out, "{}", too_long(&name, &text)),
        };
    }
    let _ = writeln!(out, "{}", shown_lines(&session(&shown(cluster))));
    if let Some(link) = link(cluster) {
        let _ = writeln!(out, "Compiler Explorer: {link}\n");
    }
    let _ = writeln!(
        out,
        "Expected: {}\nActual: {}\n",
        shown_line(&expected(cluster)),
        shown_line(&actual(cluster))
    );
    put_facts(&mut out, cluster);
    let (version, compiler) = (&cluster.front.target.version, &cluster.front.target.command);
    let _ = match version_details(cluster) {
        // Nobody has asked it for more.
        details if details == version => writeln!(out, "Version: {}\n", shown_line(version)),
        details => {
            let (compiler, details) = (shown_line(compiler), shown_lines(details));
            writeln!(out, "$ {compiler} -v\n{}\n", details.trim_end())
        }
    };
    put_end(&mut out, report, cluster);
    out
}

/// The fields of the form about versions and the machine.
fn put_known_versions(out: &mut String, cluster: &Cluster) {
    let numbers = |is_meant: fn(&Replayed) -> bool| {
        let known = cluster.versions.iter().flat_map(|versions| &versions.versions);
        let mut numbers: Vec<String> =
            known.filter(|known| is_meant(known)).map(Replayed::short_version).collect();
        numbers.dedup();
        shown_line(&numbers.join(", "))
    };
    for (field, versions) in [
        ("Known to work", numbers(Replayed::is_fixed)),
        ("Known to fail", numbers(Replayed::remains)),
    ] {
        if !versions.is_empty() {
            let _ = writeln!(out, "{field}: {versions}");
        }
    }
    let mut details = version_details(cluster).lines();
    if let Some(machine) = details.find_map(|line| line.strip_prefix("Target: ")) {
        let _ = writeln!(out, "Target: {}", shown_line(machine));
    }
}

fn component(cluster: &Cluster) -> &'static str {
    let pass = cluster.bisected_pass.as_deref().unwrap_or_default();
    match pass.split('-').next() {
        Some("tree") => "tree-optimization",
        Some("rtl") => "rtl-optimization",
        Some("ipa") => "ipa",
        _ => "middle-end",
    }
}

const fn keywords(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::CompilerCrash => "ice-on-valid-code",
        Verdict::CompilerTimeout => "compile-time-hog",
        Verdict::CompileError => "rejects-valid",
        Verdict::WrongResult
        | Verdict::Crash
        | Verdict::Hang
        | Verdict::Agrees
        | Verdict::Skipped
        | Verdict::InfrastructureFailure
        | Verdict::SanitizerError => "wrong-code",
    }
}

/// For OpenJDK: the fields of the form that bugs are submitted with.
pub(super) fn openjdk(report: &Report, cluster: &Cluster) -> String {
    let regression = cluster.versions.as_ref().and_then(|versions| versions.last_good());
    let regression = regression.map_or_else(String::new, |good: &Replayed| {
        let version = good.short_version();
        format!("REGRESSION : Last worked in version {version} (of those at hand)\n\n")
    });
    let mut out = format!(
        "Synopsis: {}\nComponent: hotspot, compiler\n\nADDITIONAL SYSTEM INFORMATION :\n{}\n{}\n\nA \
         DESCRIPTION OF THE PROBLEM :\n{}. Expected: {}. The classes below were generated, and have \
         no source in Java.\n\n{regression}STEPS TO FOLLOW TO REPRODUCE THE PROBLEM :\n{}\n\
         EXPECTED VERSUS ACTUAL BEHAVIOR :\nEXPECTED -\n{}\nACTUAL -\n{}\n\n",
        shown_line(&title(cluster)),
        shown_line(&report.machine),
        shown_lines(version_details(cluster)),
        shown_line(&actual(cluster)),
        shown_line(&expected(cluster)),
        shown_lines(&session(&shown(cluster))),
        shown_line(&expected(cluster)),
        shown_line(&actual(cluster)),
    );
    out.push_str("---------- BEGIN SOURCE ----------\n");
    for source in test_files(&cluster.front) {
        let (name, text) = (shown_line(&source.name), shown_lines(&source.text));
        let _ = match out.len() + text.len() < MAX_LENGTH * 3 / 4 {
            true => writeln!(out, "// {name}\n{}", text.trim_end()),
            false => writeln!(out, "{}", too_long(&name, &text)),
        };
    }
    out.push_str("---------- END SOURCE ----------\n\n");
    if let [first, ..] = &cluster.suppressing_flags[..] {
        let _ = writeln!(out, "CUSTOMER SUBMITTED WORKAROUND :\n{}\n", shown_line(first));
    }
    out.push_str("FREQUENCY : always\n\n");
    put_facts(&mut out, cluster);
    put_end(&mut out, report, cluster);
    out
}

fn too_long(name: &str, text: &str) -> String {
    let lines = counted(text.lines().count(), "line");
    format!("{name} ({lines}) is too long to stand here, and is attached.")
}

/// The cause, and the versions at hand.
fn put_facts(out: &mut String, cluster: &Cluster) {
    for fact in causes(cluster, shown_line) {
        let _ = writeln!(out, "{fact}");
    }
    let Some(versions) = &cluster.versions else {
        out.push('\n');
        return;
    };
    out.push_str("\nVersions:\n");
    for (version, result) in version_lines(versions) {
        let _ = writeln!(out, "  {}: {}", shown_line(&version), shown_line(&result));
    }
    if let Some(summary) = version_summary(versions) {
        let _ = writeln!(out, "{summary}");
    }
    out.push('\n');
}

/// That the test is right, and where it comes from.
fn put_end(out: &mut String, report: &Report, cluster: &Cluster) {
    let (sound, origin) = (soundness(cluster), origin(report, cluster));
    let _ = writeln!(out, "{}\n\n{}", shown_line(&sound), shown_line(&origin));
}
