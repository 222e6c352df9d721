//! Clusters that are probably one bug.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use pathsmith_oracles::Signature;

use crate::lowering_causes::lowering_of;
use crate::outline::Outline;

/// What is known of a cluster.
#[derive(Clone, Debug)]
pub struct ClusterFacts {
    /// The signature of its smallest finding.
    pub signature: Signature,
    /// The outline of that finding's program, reduced if it is.
    pub outline: Outline,
}

/// Clusters that have something in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BugGroup {
    /// Whose target it is.
    pub target: String,
    /// What all of them need; nothing where nothing is known.
    pub suspected_cause: Option<String>,
    /// How sure it is that they are one bug.
    pub certainty: Certainty,
    /// The positions of the clusters.
    pub clusters: Vec<usize>,
}

/// How sure it is that clusters are one bug, the surest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// There is only one.
    OneCluster,
    /// The target says that it crashed in the same place.
    SameCrash,
    /// All are bisected to this pass.
    SameBisectedPass(String),
    /// This flag suppresses all of them.
    SharesSuppressingFlag(String),
    /// Lowered in this way, none of them shows.
    SharesSuppressingLowering(String),
    /// Their programs look alike; nothing else is known.
    OnlySimilar,
}

impl fmt::Display for Certainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneCluster => f.write_str("one cluster"),
            Self::SameCrash => f.write_str("same crash location"),
            Self::SameBisectedPass(pass) => write!(f, "same bisected pass {pass}"),
            Self::SharesSuppressingFlag(flag) => write!(f, "shares suppressing flag {flag}"),
            Self::SharesSuppressingLowering(option) => {
                write!(f, "shares suppressing lowering {option}")
            }
            Self::OnlySimilar => f.write_str("only similar"),
        }
    }
}

/// Something that a cluster may have in common with others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cause {
    name: String,
    kind: CauseKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CauseKind {
    Crash,
    Pass,
    Flag,
    Lowering,
}

/// The causes of a signature, each with how much it says.
fn causes(signature: &Signature) -> BTreeMap<Cause, u32> {
    let mut causes = BTreeMap::new();
    if signature.is_crash_report {
        for place in &signature.suspected_causes {
            causes.insert(Cause { name: place.clone(), kind: CauseKind::Crash }, 2);
        }
        return causes;
    }
    let pass = signature.bisected_pass.as_deref();
    for known in &signature.suppressing_flags {
        let name = optimization(&known.flag);
        // That it is the bisected pass speaks for a flag, and that it disables much against it.
        let is_pass = pass.is_some_and(|pass| pass == name || pass == format!("tree-{name}"));
        let weight = if known.is_broad { 1 } else { 3 } + 2 * u32::from(is_pass);
        causes.insert(Cause { name, kind: CauseKind::Flag }, weight);
    }
    for known in &signature.suppressing_lowerings {
        let weight = if known.is_broad { 1 } else { 3 };
        let name = lowering_of(&known.flag);
        let known = causes.entry(Cause { name, kind: CauseKind::Lowering }).or_insert(weight);
        *known = weight.max(*known);
    }
    if let Some(pass) = pass {
        causes.entry(Cause { name: pass.to_owned(), kind: CauseKind::Pass }).or_insert(2);
    }
    causes
}

/// What a flag disables: `tree-slsr` of `-fno-tree-slsr`, `UseAVX` of `-XX:UseAVX=0`.
fn optimization(flag: &str) -> String {
    let last = flag.split_whitespace().last().unwrap_or(flag);
    let name = ["-fno-", "-XX:-", "-XX:", "--no-"]
        .iter()
        .find_map(|start| last.strip_prefix(start))
        .unwrap_or(last);
    match (name.split_once('='), last.starts_with("-opt-disable=")) {
        (Some((_, pass)), true) => pass.to_owned(),
        (Some((name, _)), false) => name.to_owned(),
        (None, _) => name.to_owned(),
    }
}

/// The fewest suspected causes that account for all clusters, as far as a greedy choice finds them;
/// then clusters without any, by what their programs look like.
///
/// Disabling the optimization that is wrong hides a finding, and so does disabling any that comes
/// before it and makes its mistake possible. Those differ from program to program, so one bug makes
/// several clusters; the one that is wrong is among the suspected causes of them all.
pub fn bug_groups(clusters: &[ClusterFacts]) -> Vec<BugGroup> {
    let known: Vec<BTreeMap<Cause, u32>> =
        clusters.iter().map(|cluster| causes(&cluster.signature)).collect();
    let mut left: BTreeSet<usize> = (0..clusters.len()).collect();
    let mut groups = Vec::new();
    loop {
        let mut by_cause: BTreeMap<(&str, &Cause), (u32, Vec<usize>)> = BTreeMap::new();
        for &at in &left {
            for (cause, weight) in &known[at] {
                let target = &clusters[at].signature.target[..];
                let (all, found) = by_cause.entry((target, cause)).or_default();
                *all += weight;
                found.push(at);
            }
        }
        // Of several, the first by name, so that the answer is the same each time.
        let best = by_cause.into_iter().rev().max_by_key(|(_, (weight, _))| *weight);
        let Some(((target, cause), (_, found))) = best else { break };
        left.retain(|at| !found.contains(at));
        groups.push(BugGroup {
            target: target.to_owned(),
            suspected_cause: Some(cause.name.clone()),
            certainty: certainty(cause, &found, clusters),
            clusters: found,
        });
    }
    while let Some(first) = left.pop_first() {
        let ClusterFacts { signature, outline } = &clusters[first];
        let is_like = |at: &usize| {
            let other = &clusters[*at];
            other.signature.target == signature.target
                && other.signature.verdict == signature.verdict
                && other.outline.is_similar(outline)
        };
        let similar: Vec<usize> = left.iter().copied().filter(is_like).collect();
        left.retain(|at| !similar.contains(at));
        let certainty = match similar.is_empty() {
            true => Certainty::OneCluster,
            false => Certainty::OnlySimilar,
        };
        let found: Vec<usize> = std::iter::once(first).chain(similar).collect();
        let target = signature.target.clone();
        groups.push(BugGroup { target, suspected_cause: None, certainty, clusters: found });
    }
    groups
}

fn certainty(cause: &Cause, found: &[usize], clusters: &[ClusterFacts]) -> Certainty {
    if found.len() == 1 {
        return Certainty::OneCluster;
    }
    let passes: BTreeSet<Option<&str>> =
        found.iter().map(|at| clusters[*at].signature.bisected_pass.as_deref()).collect();
    match (cause.kind, passes.len(), passes.first()) {
        (CauseKind::Crash, ..) => Certainty::SameCrash,
        (CauseKind::Pass, ..) => Certainty::SameBisectedPass(cause.name.clone()),
        (CauseKind::Flag, 1, Some(Some(pass))) => Certainty::SameBisectedPass((*pass).to_owned()),
        (CauseKind::Flag, ..) => Certainty::SharesSuppressingFlag(cause.name.clone()),
        (CauseKind::Lowering, ..) => Certainty::SharesSuppressingLowering(cause.name.clone()),
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_oracles::{SuppressingFlag, Verdict};

    use super::*;

    fn cluster(target: &str, flags: &[&str], pass: Option<&str>) -> ClusterFacts {
        let mut signature = Signature::new(Verdict::WrongResult, target, vec!["-O2".to_owned()]);
        let flag = |&flag: &&str| SuppressingFlag {
            flag: flag.to_owned(),
            is_broad: flag == "-fno-tree-ter",
        };
        signature.suppressing_flags = flags.iter().map(flag).collect();
        signature.bisected_pass = pass.map(str::to_owned);
        ClusterFacts { signature, outline: Outline::default() }
    }

    fn described(clusters: &[ClusterFacts]) -> Vec<(String, Option<String>, String, Vec<usize>)> {
        let groups = bug_groups(clusters).into_iter();
        let described = |group: BugGroup| {
            (group.target, group.suspected_cause, group.certainty.to_string(), group.clusters)
        };
        groups.map(described).collect()
    }

    fn group(
        target: &str,
        cause: Option<&str>,
        certainty: &str,
        clusters: &[usize],
    ) -> (String, Option<String>, String, Vec<usize>) {
        let cause = cause.map(str::to_owned);
        (target.to_owned(), cause, certainty.to_owned(), clusters.to_vec())
    }

    #[test]
    fn what_most_clusters_need_comes_first() {
        let clusters = [
            cluster("gcc", &["-fno-tree-slsr", "-fno-tree-ter"], Some("tree-slsr")),
            cluster("gcc", &["-fno-tree-loop-im", "-fno-tree-ter"], Some("rtl-expand")),
            cluster("gcc", &["-fno-inline", "-fno-tree-slsr"], Some("tree-slsr")),
            cluster("java", &["-XX:-UseSuperWord"], None),
            cluster("java", &["-XX:-UseSuperWord", "-XX:UseAVX=0"], None),
        ];
        let expected = [
            group("gcc", Some("tree-slsr"), "same bisected pass tree-slsr", &[0, 2]),
            group("java", Some("UseSuperWord"), "shares suppressing flag UseSuperWord", &[3, 4]),
            group("gcc", Some("tree-loop-im"), "one cluster", &[1]),
        ];
        assert_eq!(described(&clusters), expected);
    }

    #[test]
    fn what_has_no_cause_is_joined_if_it_looks_alike() {
        let mut clusters = [(); 3].map(|()| cluster("wasmi", &[], None));
        clusters[1].outline = Outline::of(
            &pathsmith_symlang::lang::text::parse(
                "test",
                "dialect c;\n\nfn f(a: i32) -> u32 {\nentry:\n    a = a * 3 + 1;\n    return checksum;\n}\n",
            )
            .unwrap(),
            &[],
        );
        let expected = [
            group("wasmi", None, "only similar", &[0, 2]),
            group("wasmi", None, "one cluster", &[1]),
        ];
        assert_eq!(described(&clusters), expected);
    }

    #[test]
    fn flags_are_named_by_what_they_disable() {
        for (flag, name) in [
            ("-fno-tree-slsr", "tree-slsr"),
            ("-XX:-UseSuperWord", "UseSuperWord"),
            ("-XX:UseAVX=0", "UseAVX"),
            ("--no-turbo-jt", "turbo-jt"),
            ("-mllvm -opt-disable=gvn", "gvn"),
            ("-mllvm -disable-lsr", "-disable-lsr"),
        ] {
            assert_eq!(optimization(flag), name);
        }
    }
}
