//! Clusters that are probably one bug.

use std::collections::{BTreeMap, BTreeSet};

use pathsmith_oracles::Signature;

/// Clusters that have a culprit in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// Whose target it is.
    pub target: String,
    /// What all of them need; nothing where nothing is known.
    pub culprit: Option<String>,
    /// The positions of the clusters.
    pub clusters: Vec<usize>,
}

/// The fewest culprits that account for all clusters, as far as a greedy choice finds them.
///
/// What cures a finding is the optimization that is wrong, and also all that come before it and
/// make its mistake possible. Those differ from program to program, so one bug makes several
/// clusters; the one that is wrong is among the cures of them all.
pub fn families(signatures: &[Signature]) -> Vec<Family> {
    let mut left: BTreeSet<usize> = (0..signatures.len()).collect();
    let mut families = Vec::new();
    loop {
        let mut by_culprit: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
        for &at in &left {
            let Signature { target, culprit, .. } = &signatures[at];
            for word in culprit.iter().collect::<BTreeSet<_>>() {
                by_culprit.entry((target, word)).or_default().push(at);
            }
        }
        // Of several, the first by name, so that the answer is the same each time.
        let best = by_culprit.into_iter().rev().max_by_key(|(_, clusters)| clusters.len());
        let Some(((target, culprit), clusters)) = best else { break };
        left.retain(|at| !clusters.contains(at));
        let (target, culprit) = (target.to_owned(), Some(culprit.to_owned()));
        families.push(Family { target, culprit, clusters });
    }
    for at in left {
        let target = signatures[at].target.clone();
        families.push(Family { target, culprit: None, clusters: vec![at] });
    }
    families
}

#[cfg(test)]
mod tests {
    use pathsmith_oracles::Verdict;

    use super::*;

    fn signature(target: &str, culprit: &[&str]) -> Signature {
        Signature {
            verdict: Verdict::WrongOutput,
            target: target.to_owned(),
            culprit: culprit.iter().map(|&word| word.to_owned()).collect(),
            detail: None,
        }
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
        let found = families(&signatures);
        let described: Vec<(&str, Option<&str>, &[usize])> = found
            .iter()
            .map(|family| (&family.target[..], family.culprit.as_deref(), &family.clusters[..]))
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
