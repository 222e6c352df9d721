//! How the blocks of a graph nest: the analysis behind structured control flow.
//!
//! After Ramsey, "Beyond Relooper": the dominator tree becomes the nesting of statements. A block
//! that a single forward edge leads to can stand where that edge leaves; one that several lead to
//! stands behind the block that dominates it; one that an edge leads back to heads a loop.

use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::{Cfg, Dominators};

/// The dominator tree of a graph, and what its edges are in it.
#[derive(Clone, Debug)]
pub struct Nesting {
    dominators: Dominators,
    children: Vec<Vec<BlockId>>,
    is_header: Vec<bool>,
    n_forward: Vec<usize>,
}

impl Nesting {
    /// Looks at all blocks that can be reached.
    pub fn new(cfg: &Cfg) -> Self {
        let (n_blocks, dominators) = (cfg.n_blocks(), Dominators::new(cfg));
        let mut children = vec![Vec::new(); n_blocks];
        let (mut is_header, mut n_forward) = (vec![false; n_blocks], vec![0; n_blocks]);
        for &block in dominators.order() {
            if let Some(above) = dominators.immediate(block) {
                children[above.index()].push(block);
            }
            for &succ in cfg.succs(block) {
                match dominators.dominates(succ, block) {
                    true => is_header[succ.index()] = true,
                    false => n_forward[succ.index()] += 1,
                }
            }
        }
        Self { dominators, children, is_header, n_forward }
    }

    /// The dominators.
    pub fn dominators(&self) -> &Dominators {
        &self.dominators
    }

    /// The blocks that `block` dominates immediately, in reverse postorder.
    pub fn children(&self, block: BlockId) -> &[BlockId] {
        &self.children[block.index()]
    }

    /// Whether an edge closes a loop that its target heads. In an irreducible graph there are
    /// loops that no such edge closes.
    pub fn is_back_edge(&self, from: BlockId, to: BlockId) -> bool {
        self.dominators.dominates(to, from)
    }

    /// Whether a back edge leads to the block.
    pub fn is_header(&self, block: BlockId) -> bool {
        self.is_header[block.index()]
    }

    /// Whether several edges other than back edges lead to the block.
    pub fn is_merge(&self, block: BlockId) -> bool {
        self.n_forward[block.index()] > 1
    }

    /// For each block that heads a loop, which blocks the loop has.
    pub fn loops(&self, cfg: &Cfg) -> Vec<Option<Vec<bool>>> {
        let preds = cfg.preds();
        let is_reachable = |block: &BlockId| self.dominators.position(*block).is_some();
        let mut loops: Vec<Option<Vec<bool>>> = vec![None; cfg.n_blocks()];
        for (from, header) in cfg.edges() {
            if !self.is_back_edge(from, header) {
                continue;
            }
            let members = loops[header.index()].get_or_insert_with(|| {
                let mut members = vec![false; cfg.n_blocks()];
                members[header.index()] = true;
                members
            });
            let mut stack = vec![from];
            while let Some(block) = stack.pop() {
                if !std::mem::replace(&mut members[block.index()], true) {
                    stack.extend(preds[block.index()].iter().filter(|pred| is_reachable(pred)));
                }
            }
        }
        loops
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cfg(succs: &[&[usize]]) -> Cfg {
        let succs: Vec<Vec<BlockId>> =
            succs.iter().map(|list| list.iter().map(|&b| BlockId::new(b)).collect()).collect();
        Cfg::new(&succs).unwrap()
    }

    fn all(n_blocks: usize, is: impl Fn(BlockId) -> bool) -> Vec<usize> {
        (0..n_blocks).filter(|block| is(BlockId::new(*block))).collect()
    }

    #[test]
    fn a_diamond_in_a_loop() {
        // 1 heads the loop of 2, 3 and 4; 5 is the exit.
        let cfg = cfg(&[&[1], &[2, 3], &[4], &[4], &[1, 5], &[]]);
        let nesting = Nesting::new(&cfg);
        assert_eq!(all(6, |block| nesting.is_header(block)), [1]);
        assert_eq!(all(6, |block| nesting.is_merge(block)), [4]);
        let children = nesting.children(BlockId::new(1));
        assert_eq!(children, [2, 3, 4].map(BlockId::new));
        assert!(nesting.is_back_edge(BlockId::new(4), BlockId::new(1)));
        let loops = nesting.loops(&cfg);
        assert_eq!(all(6, |block| loops[block.index()].is_some()), [1]);
        assert_eq!(loops[1], Some(vec![false, true, true, true, true, false]));
    }

    #[test]
    fn a_loop_with_two_entries_has_no_header() {
        let cfg = cfg(&[&[1, 2], &[2], &[1, 3], &[]]);
        let nesting = Nesting::new(&cfg);
        assert_eq!(all(4, |block| nesting.is_header(block)), []);
        assert_eq!(all(4, |block| nesting.is_merge(block)), [1, 2]);
        assert_eq!(nesting.loops(&cfg), [None, None, None, None]);
    }

    #[test]
    fn what_cannot_be_reached_leads_nowhere() {
        // Block 1 leads to 2, but nothing leads to 1.
        let nesting = Nesting::new(&cfg(&[&[2], &[2], &[]]));
        assert!(!nesting.is_merge(BlockId::new(2)));
        assert_eq!(nesting.children(BlockId::new(0)), [BlockId::new(2)]);
    }
}
