//! The loops of a graph, nested, irreducible ones included.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::Cfg;
use crate::ids::BlockId;

/// All loops of a graph, outer loops before the loops inside them.
///
/// A loop is a strongly connected region. Its *entries* are the blocks through which control can
/// come in; what is still strongly connected when the edges to them are taken away are the loops
/// inside it. A loop with one entry is reducible (the entry is its header), one with several is
/// not. This is Steensgaard's nesting, which needs no dominators and treats both kinds alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopForest {
    loops: Vec<Loop>,
    innermost: Vec<Option<usize>>,
}

/// One loop of a [`LoopForest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The blocks of the loop, those of inner loops included, in order.
    pub blocks: Vec<BlockId>,
    /// The blocks through which the loop is entered, in order; never empty.
    pub entries: Vec<BlockId>,
    /// The position of the loop around this one.
    pub parent: Option<usize>,
    /// How many loops are around this one.
    pub depth: usize,
}

impl Loop {
    /// Whether control can come in at more than one block.
    pub fn is_irreducible(&self) -> bool {
        self.entries.len() > 1
    }
}

impl LoopForest {
    /// Finds the loops of `cfg`. This takes time and memory for each block as often as there are
    /// loops around it.
    pub fn new(cfg: &Cfg) -> Self {
        Self::search(cfg, usize::MAX).0
    }

    /// Finds the loops of `cfg`, unless that takes more than `limit` looks at blocks, each as often
    /// as there are loops around it, and once.
    pub fn within(cfg: &Cfg, limit: usize) -> Option<Self> {
        let (forest, is_complete) = Self::search(cfg, limit);
        is_complete.then_some(forest)
    }

    /// The loops, and whether they are all.
    fn search(cfg: &Cfg, limit: usize) -> (Self, bool) {
        let mut n_looks = 0_usize;
        let n_blocks = cfg.n_blocks();
        let preds = cfg.preds();
        let reachable = cfg.reachable_from_entry();
        let mut forest = Self { loops: Vec::new(), innermost: vec![None; n_blocks] };
        // A region still to be searched: its blocks, and the loop that it is the inside of.
        let mut regions: Vec<(Vec<BlockId>, Option<usize>)> = vec![(cfg.blocks().collect(), None)];
        let mut local = vec![None; n_blocks];
        while let Some((region, parent)) = regions.pop() {
            n_looks = n_looks.saturating_add(region.len());
            if n_looks > limit {
                return (forest, false);
            }
            let mut graph = DiGraph::<BlockId, (), u32>::with_capacity(region.len(), region.len());
            for &block in &region {
                local[block.index()] = Some(graph.add_node(block));
            }
            let cut: &[BlockId] = match parent {
                Some(parent) => &forest.loops[parent].entries,
                None => &[],
            };
            for &block in &region {
                for succ in cfg.succs(block).iter().filter(|succ| !cut.contains(succ)) {
                    if let (Some(from), Some(to)) = (local[block.index()], local[succ.index()]) {
                        graph.add_edge(from, to, ());
                    }
                }
            }
            for &block in &region {
                local[block.index()] = None;
            }
            let mut found: Vec<Vec<BlockId>> = kosaraju_scc(&graph)
                .into_iter()
                .filter(|scc| is_cyclic(&graph, scc))
                .map(|scc| scc.into_iter().map(|node| graph[node]).collect())
                .collect();
            for blocks in &mut found {
                blocks.sort_unstable();
            }
            found.sort_unstable();
            for blocks in found {
                let entries = entries_of(&blocks, &preds, &reachable);
                let depth = parent.map_or(0, |p| forest.loops[p].depth + 1);
                let this = forest.loops.len();
                for block in &blocks {
                    forest.innermost[block.index()] = Some(this);
                }
                regions.push((blocks.clone(), Some(this)));
                forest.loops.push(Loop { blocks, entries, parent, depth });
            }
        }
        (forest, true)
    }

    /// All loops, outer ones first.
    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }

    /// The position of the innermost loop around `block`.
    pub fn innermost(&self, block: BlockId) -> Option<usize> {
        self.innermost[block.index()]
    }

    /// Whether `block` is in loop `this`, directly or in a loop inside it.
    pub fn contains(&self, this: usize, block: BlockId) -> bool {
        let mut inner = self.innermost(block);
        while let Some(found) = inner {
            if found == this {
                return true;
            }
            inner = self.loops[found].parent;
        }
        false
    }

    /// Whether every loop has one entry.
    pub fn is_reducible(&self) -> bool {
        !self.loops.iter().any(Loop::is_irreducible)
    }
}

fn is_cyclic(graph: &DiGraph<BlockId, (), u32>, scc: &[NodeIndex<u32>]) -> bool {
    scc.len() > 1 || graph.contains_edge(scc[0], scc[0])
}

/// The blocks at which control comes into `blocks`. Where it never does, because the whole region
/// is unreachable, the first block stands in.
fn entries_of(blocks: &[BlockId], preds: &[Vec<BlockId>], reachable: &[bool]) -> Vec<BlockId> {
    let outside = |pred: &BlockId| reachable[pred.index()] && blocks.binary_search(pred).is_err();
    let entries: Vec<BlockId> =
        blocks.iter().copied().filter(|block| preds[block.index()].iter().any(outside)).collect();
    if entries.is_empty() { vec![blocks[0]] } else { entries }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Renders each loop as `depth: entries | blocks`.
    fn check(succs: &[&[usize]], expected: &[&str]) {
        let succs: Vec<Vec<BlockId>> =
            succs.iter().map(|list| list.iter().map(|&b| BlockId::new(b)).collect()).collect();
        let forest = LoopForest::new(&Cfg::new(&succs).unwrap());
        let numbers = |blocks: &[BlockId]| {
            blocks.iter().map(|b| b.index().to_string()).collect::<Vec<_>>().join(" ")
        };
        let actual: Vec<String> = forest
            .loops()
            .iter()
            .map(|l| format!("{}: {} | {}", l.depth, numbers(&l.entries), numbers(&l.blocks)))
            .collect();
        assert_eq!(actual, expected);
    }

    #[test]
    fn straight_line_has_no_loop() {
        check(&[&[1], &[2], &[]], &[]);
    }

    #[test]
    fn self_loop() {
        check(&[&[1], &[1, 2], &[]], &["0: 1 | 1"]);
    }

    #[test]
    fn reducible_nest() {
        // 1 is the outer header, 2 the inner one.
        check(&[&[1], &[2, 5], &[3], &[2, 4], &[1], &[]], &["0: 1 | 1 2 3 4", "1: 2 | 2 3"]);
    }

    #[test]
    fn two_entries_make_it_irreducible() {
        check(&[&[1, 2], &[2], &[1, 3], &[]], &["0: 1 2 | 1 2"]);
    }

    #[test]
    fn a_deep_nest_is_given_up_at_the_limit() {
        // Loop k is around all loops after it: its last block leads back to block k.
        let n = 100;
        let mut succs: Vec<Vec<BlockId>> = (0..n).map(|b| vec![BlockId::new(b + 1)]).collect();
        succs.extend((1..n).rev().map(|b| vec![BlockId::new(2 * n - b), BlockId::new(b)]));
        succs.push(Vec::new());
        let cfg = Cfg::new(&succs).unwrap();
        let all = LoopForest::new(&cfg);
        assert_eq!(all.loops().len(), n - 1);
        let n_looks = cfg.n_blocks() + all.loops().iter().map(|it| it.blocks.len()).sum::<usize>();
        assert_eq!(LoopForest::within(&cfg, n_looks), Some(all));
        assert_eq!(LoopForest::within(&cfg, n_looks - 1), None);
    }

    #[test]
    fn unreachable_loop_has_an_entry_all_the_same() {
        check(&[&[3], &[2], &[1], &[]], &["0: 1 | 1 2"]);
    }
}
