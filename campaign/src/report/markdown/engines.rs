//! Bug reports for WebAssembly engines, by the templates of their trackers.

use std::fmt::Write;

use super::super::model::{Cluster, Report};
use super::super::parts::{actual, expected, session, shown, version_details};
use super::super::title::{setting_words, wasmtime_compiler};
use super::github::{heading, put_causes, put_end, put_test, put_versions};
use super::text::{block, inline, plain};

/// For the person who files the report: GitHub does not show it.
const SECURITY: &str = "<!-- Before you file this publicly, see the project's security policy: a \
                        miscompilation in a sandbox may be an escape. -->\n\n";

/// By wasmtime's template for bugs.
pub(super) fn wasmtime(report: &Report, cluster: &Cluster) -> String {
    let mut out = heading(cluster) + SECURITY;
    out.push_str("### Test Case\n\n");
    put_test(&mut out, cluster);
    let _ = write!(
        out,
        "\n### Steps to Reproduce\n\n{}\n### Expected Results\n\n{}\n\n### Actual \
         Results\n\n{}\n\n### Versions and Environment\n\nWasmtime version: {}\n\nCompiler: {}, \
         setting {}\n\nOperating system and architecture: {}\n",
        block("console", &session(&shown(cluster))),
        plain(&expected(cluster)),
        plain(&actual(cluster)),
        plain(&cluster.front.target.version),
        wasmtime_compiler(cluster),
        inline(&cluster.front.target.setting.to_string()),
        plain(&report.machine),
    );
    put_versions(&mut out, cluster);
    out.push_str("\n### Extra Info\n");
    put_causes(&mut out, cluster);
    put_end(&mut out, report, cluster);
    out
}

/// By wasmi's template for bugs.
pub(super) fn wasmi(report: &Report, cluster: &Cluster) -> String {
    let mut out = heading(cluster);
    let _ = write!(
        out,
        "**Describe the bug**\n\n{}\n\n**Expected behavior**\n\n{}\n\n**To Reproduce**\n\n{}, {}, {}\n\n",
        plain(&actual(cluster)),
        plain(&expected(cluster)),
        plain(version_details(cluster)),
        plain(&setting_words(cluster)),
        plain(&report.machine),
    );
    put_test(&mut out, cluster);
    let _ =
        write!(out, "\n{}\n**Additional context**\n", block("console", &session(&shown(cluster))),);
    put_causes(&mut out, cluster);
    put_versions(&mut out, cluster);
    put_end(&mut out, report, cluster);
    out
}

/// By the questions of V8's tracker. node is what runs it.
pub(super) fn v8(report: &Report, cluster: &Cluster) -> String {
    let mut out = heading(cluster) + SECURITY;
    let _ = write!(
        out,
        "Version: {}\n\nOS: {}\n\n### What steps will reproduce the problem?\n\n",
        plain(&cluster.front.target.version),
        plain(&report.machine),
    );
    put_test(&mut out, cluster);
    let _ = write!(
        out,
        "\n{}\n### What is the expected output?\n\n{}\n\n### What do you see instead?\n\n{}\n\n### \
         Additional information\n",
        block("console", &session(&shown(cluster))),
        plain(&expected(cluster)),
        plain(&actual(cluster)),
    );
    put_causes(&mut out, cluster);
    put_versions(&mut out, cluster);
    put_end(&mut out, report, cluster);
    out
}
