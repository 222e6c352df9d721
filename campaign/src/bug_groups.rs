//! Clusters that are probably one bug.

use std::collections::{BTreeMap, BTreeSet};

use pathsmith_oracles::Signature;

/// Clusters that have a suspected cause in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BugGroup {
    /// Whose target it is.
    pub target: String,
    /// What all of them need; nothing where nothing is known.
    pub suspected_cause: Option<String>,
    /// The positions of the clusters.
    pub clusters: Vec<usize>,
}

/// The fewest suspected causes that account for all clusters, as far as a greedy choice finds them.
///
/// Disabling the optimization that is wrong hides a finding, and so does disabling any that comes
/// before it and makes its mistake possible. Those differ from program to program, so one bug makes
/// several clusters; the one that is wrong is among the suspected causes of them all.
pub fn bug_groups(signatures: &[Signature]) -> Vec<BugGroup> {
    let mut left: BTreeSet<usize> = (0..signatures.len()).collect();
    let mut bug_groups = Vec::new();
    loop {
        let mut by_cause: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
        for &at in &left {
            let Signature { target, suspected_causes, .. } = &signatures[at];
            for word in suspected_causes.iter().collect::<BTreeSet<_>>() {
                by_cause.entry((target, word)).or_default().push(at);
            }
        }
        // Of several, the first by name, so that the answer is the same each time.
        let best = by_cause.into_iter().rev().max_by_key(|(_, clusters)| clusters.len());
        let Some(((target, cause), clusters)) = best else { break };
        left.retain(|at| !clusters.contains(at));
        let (target, suspected_cause) = (target.to_owned(), Some(cause.to_owned()));
        bug_groups.push(BugGroup { target, suspected_cause, clusters });
    }
    for at in left {
        let target = signatures[at].target.clone();
        bug_groups.push(BugGroup { target, suspected_cause: None, clusters: vec![at] });
    }
    bug_groups
}

#[cfg(test)]
mod tests {
    use pathsmith_oracles::Verdict;

    use super::*;

    fn signature(target: &str, causes: &[&str]) -> Signature {
        let causes = causes.iter().map(|&word| word.to_owned()).collect();
        Signature::new(Verdict::WrongResult, target, causes)
    }

    #[test]
    fn what_most_clusters_need_comes_first() {
        let signatures = [
            signature("gcc", &["tree-slsr", "tree-ter"]),
            signature("gcc", &["loop-im", "tree-vect"]),
            signature("gcc", &["inline", "tree-slsr"]),
            signature("java", &["tree-slsr"]),
            signature("wasmi", &[]),
        ];
        let found = bug_groups(&signatures);
        let described: Vec<(&str, Option<&str>, &[usize])> = found
            .iter()
            .map(|group| (&group.target[..], group.suspected_cause.as_deref(), &group.clusters[..]))
            .collect();
        assert_eq!(
            described,
            [
                ("gcc", Some("tree-slsr"), &[0, 2][..]),
                ("gcc", Some("loop-im"), &[1]),
                ("java", Some("tree-slsr"), &[3]),
                ("wasmi", None, &[4]),
            ]
        );
    }
}
