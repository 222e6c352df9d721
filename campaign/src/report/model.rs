//! What a report says, as data.

use std::cmp::Reverse;

use pathsmith_oracles::{Evidence, Verdict};
use serde::{Deserialize, Serialize};

use crate::bug_file::{Bug, BugFile};
use crate::finding::TargetInfo;
use crate::versions::Versions;

/// All that there is to say of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What made it: `pathsmith 0.1.0`.
    pub generator: String,
    /// The machine: `Linux, x86_64`.
    #[serde(default)]
    pub machine: String,
    /// What the campaign was about, in a few words.
    pub title: String,
    /// The seed of its cases.
    pub seed: u64,
    /// When it began, as people write it.
    pub started: String,
    /// The CPU time that all of it took.
    pub cpu_seconds: f64,
    /// What was counted and measured, in the order in which it is to be shown.
    pub figures: Vec<Figure>,
    /// What was tested.
    pub targets: Vec<TargetView>,
    /// What was found, by cluster; see [`Report::ranked`] for their order.
    pub clusters: Vec<Cluster>,
    /// Clusters that have a suspected cause in common, and so are probably one bug.
    pub bug_groups: Vec<BugGroupView>,
    /// What was seen once, and not again.
    pub flaky: Vec<Incident>,
    /// What looks like bugs of the generator itself: programs that a target refuses, or that a
    /// sanitizer objects to.
    pub own_bugs: Vec<Incident>,
}

/// Something that was counted or measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    /// What: `realizations checked`.
    pub label: String,
    /// How many or how much, as it is to be shown.
    pub value: String,
}

/// A compiler, engine or virtual machine that was tested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetView {
    /// Its name.
    pub name: String,
    /// Its version, as it says it.
    pub version: String,
    /// How many of its results were compared.
    pub n_checked: u64,
    /// The CPU time that it took.
    pub cpu_seconds: f64,
}

/// Findings that look like one bug.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    /// Its number in the campaign; links to it are made of this.
    pub id: u32,
    /// What its findings have in common: `gcc: wrong result: tree-slsr`.
    pub key: String,
    /// What is wrong.
    pub verdict: Verdict,
    /// The name of the target.
    pub target: String,
    /// Whose target it is, whatever its version: `gcc`, `wasmtime`, `java`.
    #[serde(default)]
    pub kind: String,
    /// Whether its findings were not triaged, and only have the target and the verdict in common.
    #[serde(default)]
    pub is_untriaged: bool,
    /// The parts of the target that it takes: optimizations without which it does not show.
    pub suspected_causes: Vec<String>,
    /// What else is known: the place of a crash, say.
    pub detail: Option<String>,
    /// Flags that hide it, each of them alone, the most specific first.
    #[serde(default)]
    pub suppressing_flags: Vec<String>,
    /// Ways of lowering that hide it, each of them alone, if no flag does.
    #[serde(default)]
    pub suppressing_lowerings: Vec<String>,
    /// The pass that it is bisected to.
    #[serde(default)]
    pub bisected_pass: Option<String>,
    /// What other versions make of its smallest finding, if that is known.
    #[serde(default)]
    pub versions: Option<Versions>,
    /// Its smallest finding, in full.
    pub front: Specimen,
    /// All of its findings.
    pub members: Vec<Member>,
}

/// Clusters that are probably one bug.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BugGroupView {
    /// Whose target it is.
    pub target: String,
    /// What all of them need; nothing where nothing is known.
    pub suspected_cause: Option<String>,
    /// How sure it is that they are one bug: `same bisected pass tree-slsr`.
    pub certainty: String,
    /// The numbers of the clusters.
    pub clusters: Vec<u32>,
    /// How many findings they have together.
    pub n_findings: usize,
}

/// A finding as one line of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Its name, which is that of its folder.
    pub name: String,
    /// The seed.
    pub seed: u64,
    /// The number of the case in its seed.
    pub case: u64,
    /// The name of the target's flags.
    pub setting: String,
    /// How many statements its program has; see [`n_statements`](super::n_statements).
    pub size: usize,
    /// The call that shows it.
    pub call: Option<String>,
    /// The expected output of the call.
    pub expected: Option<String>,
    /// The actual output.
    pub actual: Option<String>,
}

/// A finding in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Specimen {
    /// Its name, which is that of its folder.
    pub name: String,
    /// The seed.
    pub seed: u64,
    /// The number of the case in its seed.
    pub case: u64,
    /// The target.
    pub target: TargetInfo,
    /// How its program was made, if it is a variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<VariantView>,
    /// The call that shows it: `f7(1, 2)`. Nothing if it is about compiling.
    pub call: Option<String>,
    /// The expected output of the call.
    pub expected: Option<String>,
    /// The actual output, if it returned.
    pub actual: Option<String>,
    /// The program, in SYMLANG.
    pub program: String,
    /// How many statements the program has.
    pub size: usize,
    /// How many it had before it was reduced, if it was.
    pub original_size: Option<usize>,
    /// The program as the target is given it, and the script that does so. What matters most is
    /// first.
    pub sources: Vec<Source>,
    /// The file that shows it without anything of pathsmith's, which is among the sources, and how
    /// it was checked; or why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bug: Option<Bug>,
    /// The graph of the function that is called, with the path of the call: an SVG from
    /// [`draw_call`](super::draw_call), which goes into the page as it is.
    pub graph: Option<String>,
    /// The commands that show it, to be run where its sources are.
    pub commands: Vec<String>,
    /// What the commands did.
    pub evidence: Vec<Evidence>,
}

/// How a variant was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantView {
    /// What it was made of: `case 7 as it was generated`.
    pub parent: String,
    /// The transforms that made it, in order.
    pub transforms: Vec<String>,
    /// Those that it takes to show the finding, in words, if that is known.
    pub needed: Option<String>,
}

/// A file of a finding, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its name.
    pub name: String,
    /// What it is written in.
    pub syntax: Syntax,
    /// What is in it.
    pub text: String,
}

/// What a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Syntax {
    /// Our own language.
    Symlang,
    /// C.
    C,
    /// The text form of WebAssembly.
    Wat,
    /// A listing of class files.
    Jasm,
    /// Commands.
    Sh,
}

/// Something that happened and is no finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Incident {
    /// Its verdict.
    pub verdict: Verdict,
    /// The target and its setting.
    pub target: String,
    /// The number of the case.
    pub case: u64,
    /// Why it is no finding, or what was said.
    pub why: String,
}

impl Report {
    /// The clusters in the order in which they are shown: the gravest verdicts first, then by the
    /// size of the smallest program. How often something was seen does not count.
    pub fn ranked(&self) -> Vec<&Cluster> {
        let mut clusters: Vec<&Cluster> = self.clusters.iter().collect();
        clusters.sort_by_key(|cluster| (cluster.rank(), cluster.id));
        clusters
    }

    /// How many findings there are in all clusters.
    pub fn n_findings(&self) -> usize {
        self.clusters.iter().map(|cluster| cluster.members.len()).sum()
    }

    /// The report as JSON, with everything that it holds.
    ///
    /// # Errors
    /// None that is known.
    pub fn to_json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Reads what [`to_json`](Self::to_json) returned.
    ///
    /// # Errors
    /// If it is something else.
    pub fn from_json(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }
}

impl Figure {
    /// A figure.
    pub fn new(label: impl Into<String>, value: impl Into<String>) -> Self {
        Self { label: label.into(), value: value.into() }
    }
}

impl Cluster {
    /// Where it stands among others: the gravest verdicts first, then the smallest programs.
    pub(super) fn rank(&self) -> (Reverse<Verdict>, usize) {
        (Reverse(self.verdict), self.front.size)
    }
}

impl Specimen {
    /// The file that shows it without anything of pathsmith's, if there is one.
    pub fn bug_file(&self) -> Option<&BugFile> {
        self.bug.as_ref().and_then(|bug| bug.file.as_ref())
    }

    /// Whether a source is that file.
    pub fn is_bug_file(&self, source: &Source) -> bool {
        self.bug_file().is_some_and(|file| file.name == source.name)
    }

    /// Whether the program was made smaller than it was found.
    pub fn is_reduced(&self) -> bool {
        self.original_size.is_some()
    }
}

impl Syntax {
    /// Its name, for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Symlang => "SYMLANG",
            Self::C => "C",
            Self::Wat => "WebAssembly text",
            Self::Jasm => "class file listing",
            Self::Sh => "shell",
        }
    }

    /// Its name after the fence of a code block in Markdown.
    pub const fn fence(self) -> &'static str {
        match self {
            Self::Symlang | Self::Jasm => "",
            Self::C => "c",
            Self::Wat => "wat",
            Self::Sh => "sh",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{cluster, report};
    use super::*;

    #[test]
    fn json_gives_back_the_report() {
        let report = report();
        assert_eq!(Report::from_json(&report.to_json().unwrap()).unwrap(), report);
    }

    #[test]
    fn clusters_are_ranked_by_verdict_and_size_and_not_by_count() {
        let mut report = report();
        let mut often = cluster(10, Verdict::WrongResult, "gcc", 50);
        often.members = vec![often.members[0].clone(); 1000];
        report.clusters = vec![
            cluster(11, Verdict::CompilerTimeout, "gcc", 1),
            often,
            cluster(12, Verdict::WrongResult, "clang", 4),
            cluster(13, Verdict::Crash, "java", 2),
        ];
        let ids: Vec<u32> = report.ranked().iter().map(|cluster| cluster.id).collect();
        assert_eq!(ids, [12, 10, 13, 11]);
        assert_eq!(report.n_findings(), 1003);
    }
}
