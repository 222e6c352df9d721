//! Control-flow graphs.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ids::BlockId;

/// A control-flow graph: what a function can do.
///
/// Every value of this type is well formed: block 0 is the entry and has no predecessor, exactly
/// one block (the exit) has no successor, the exit can be reached from the entry, and a block's
/// successors differ from each other. Blocks that cannot be reached, and blocks that cannot reach
/// the exit, are allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Vec<BlockId>>", into = "Vec<Vec<BlockId>>")]
pub struct Cfg {
    /// Block `b`'s successors are `targets[starts[b]..starts[b + 1]]`.
    starts: Vec<u32>,
    targets: Vec<BlockId>,
    exit: BlockId,
}

/// Why a list of successors is not a control-flow graph.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CfgError {
    /// There is no block at all.
    #[error("a graph needs at least one block")]
    Empty,
    /// An edge leads out of the graph.
    #[error("block {from} leads to block {to}, but the last block is {last}")]
    TargetOutOfRange {
        /// The edge's source.
        from: usize,
        /// The edge's target.
        to: usize,
        /// The last block there is.
        last: usize,
    },
    /// An edge is there twice.
    #[error("block {from} leads to block {to} more than once")]
    DuplicateEdge {
        /// The edge's source.
        from: usize,
        /// The edge's target.
        to: usize,
    },
    /// An edge leads to the entry.
    #[error("block {from} leads to block 0, but nothing may lead to the entry")]
    EntryHasPredecessor {
        /// The edge's source.
        from: usize,
    },
    /// Every block has a successor.
    #[error("no block is without successors, so there is no exit")]
    NoExit,
    /// There are several blocks without a successor.
    #[error("blocks {first} and {second} both have no successor, but there is one exit")]
    SeveralExits {
        /// One block without successors.
        first: usize,
        /// Another one.
        second: usize,
    },
    /// The exit cannot be reached from the entry.
    #[error("the exit, block {exit}, cannot be reached from the entry")]
    ExitUnreachable {
        /// The exit.
        exit: usize,
    },
}

impl Cfg {
    /// The graph in which block `b` leads to `succs[b]`.
    ///
    /// # Errors
    /// Where `succs` breaks one of the rules that every graph keeps.
    pub fn new<S: AsRef<[BlockId]>>(succs: &[S]) -> Result<Self, CfgError> {
        let last = succs.len().checked_sub(1).ok_or(CfgError::Empty)?;
        let mut starts = vec![0];
        let mut targets: Vec<BlockId> = Vec::new();
        let mut exit = None;
        for (from, block_succs) in succs.iter().enumerate() {
            let block_succs = block_succs.as_ref();
            for (i, to) in block_succs.iter().enumerate() {
                let to_index = to.index();
                if to_index > last {
                    return Err(CfgError::TargetOutOfRange { from, to: to_index, last });
                }
                if to_index == 0 {
                    return Err(CfgError::EntryHasPredecessor { from });
                }
                if block_succs[..i].contains(to) {
                    return Err(CfgError::DuplicateEdge { from, to: to_index });
                }
            }
            if block_succs.is_empty() {
                if let Some(first) = exit {
                    return Err(CfgError::SeveralExits { first, second: from });
                }
                exit = Some(from);
            }
            targets.extend_from_slice(block_succs);
            starts.push(targets.len() as u32);
        }
        let exit = exit.ok_or(CfgError::NoExit)?;
        let cfg = Self { starts, targets, exit: BlockId::new(exit) };
        if !cfg.reachable_from_entry()[exit] {
            return Err(CfgError::ExitUnreachable { exit });
        }
        Ok(cfg)
    }

    /// How many blocks there are, entry and exit included.
    pub fn n_blocks(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many edges there are.
    pub fn n_edges(&self) -> usize {
        self.targets.len()
    }

    /// All blocks, in order.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = BlockId> + use<> {
        (0..self.n_blocks()).map(BlockId::new)
    }

    /// The block where every path begins.
    pub fn entry(&self) -> BlockId {
        BlockId::new(0)
    }

    /// The block where every path ends.
    pub fn exit(&self) -> BlockId {
        self.exit
    }

    /// Where `block` can lead to.
    #[inline]
    pub fn succs(&self, block: BlockId) -> &[BlockId] {
        let start = self.starts[block.index()] as usize;
        let end = self.starts[block.index() + 1] as usize;
        &self.targets[start..end]
    }

    /// All edges, ordered by their source.
    pub fn edges(&self) -> impl Iterator<Item = (BlockId, BlockId)> {
        self.blocks().flat_map(|from| self.succs(from).iter().map(move |&to| (from, to)))
    }

    /// For every block, the blocks that lead to it, in order.
    pub fn preds(&self) -> Vec<Vec<BlockId>> {
        let mut preds = vec![Vec::new(); self.n_blocks()];
        for (from, to) in self.edges() {
            preds[to.index()].push(from);
        }
        preds
    }

    /// For every block, whether the entry can reach it.
    pub fn reachable_from_entry(&self) -> Vec<bool> {
        let mut seen = vec![false; self.n_blocks()];
        seen[0] = true;
        let mut stack = vec![self.entry()];
        while let Some(block) = stack.pop() {
            for &succ in self.succs(block) {
                if !seen[succ.index()] {
                    seen[succ.index()] = true;
                    stack.push(succ);
                }
            }
        }
        seen
    }

    /// For every block, the length of the shortest way to the exit, or `None` where there is none.
    pub fn distance_to_exit(&self) -> Vec<Option<u32>> {
        let preds = self.preds();
        let mut distance = vec![None; self.n_blocks()];
        distance[self.exit.index()] = Some(0);
        let mut queue = std::collections::VecDeque::from([(self.exit, 0)]);
        while let Some((block, d)) = queue.pop_front() {
            for &pred in &preds[block.index()] {
                if distance[pred.index()].is_none() {
                    distance[pred.index()] = Some(d + 1);
                    queue.push_back((pred, d + 1));
                }
            }
        }
        distance
    }

    /// Whether some way from the entry to the exit comes to a block twice. That is less work than
    /// to find all loops, as [`LoopForest`](super::LoopForest) does.
    pub fn has_loop_on_some_way(&self) -> bool {
        let (reached, distances) = (self.reachable_from_entry(), self.distance_to_exit());
        let is_on_some_way =
            |block: BlockId| reached[block.index()] && distances[block.index()].is_some();
        let mut n_preds = vec![0_usize; self.n_blocks()];
        for (from, to) in self.edges() {
            n_preds[to.index()] += usize::from(is_on_some_way(from));
        }
        // What nothing leads to is taken away, until only loops and what follows them are left.
        let mut n_left = self.blocks().filter(|block| is_on_some_way(*block)).count();
        let mut free = vec![self.entry()];
        while let Some(block) = free.pop() {
            n_left -= 1;
            for &succ in self.succs(block) {
                n_preds[succ.index()] -= 1;
                if n_preds[succ.index()] == 0 && is_on_some_way(succ) {
                    free.push(succ);
                }
            }
        }
        n_left > 0
    }
}

impl TryFrom<Vec<Vec<BlockId>>> for Cfg {
    type Error = CfgError;

    fn try_from(succs: Vec<Vec<BlockId>>) -> Result<Self, CfgError> {
        Self::new(&succs)
    }
}

impl From<Cfg> for Vec<Vec<BlockId>> {
    fn from(cfg: Cfg) -> Self {
        cfg.blocks().map(|block| cfg.succs(block).to_vec()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cfg(succs: &[&[usize]]) -> Result<Cfg, CfgError> {
        let succs: Vec<Vec<BlockId>> =
            succs.iter().map(|list| list.iter().map(|&b| BlockId::new(b)).collect()).collect();
        Cfg::new(&succs)
    }

    #[test]
    fn keeps_what_it_is_given() {
        let cfg = cfg(&[&[1], &[2, 3], &[4], &[1], &[]]).unwrap();
        assert_eq!(cfg.n_blocks(), 5);
        assert_eq!(cfg.exit(), BlockId::new(4));
        assert_eq!(cfg.succs(BlockId::new(1)), [BlockId::new(2), BlockId::new(3)]);
        assert_eq!(cfg.preds()[1], [BlockId::new(0), BlockId::new(3)]);
        assert_eq!(cfg.distance_to_exit(), [Some(3), Some(2), Some(1), Some(3), Some(0)]);
    }

    #[test]
    fn a_single_block_is_entry_and_exit() {
        let cfg = cfg(&[&[]]).unwrap();
        assert_eq!(cfg.entry(), cfg.exit());
    }

    #[test]
    fn a_loop_that_no_way_to_the_exit_leads_through_does_not_count() {
        assert!(!cfg(&[&[1, 2], &[1], &[]]).unwrap().has_loop_on_some_way());
        assert!(cfg(&[&[1], &[1, 2], &[]]).unwrap().has_loop_on_some_way());
    }

    #[test]
    fn names_what_is_wrong() {
        assert_eq!(cfg(&[]), Err(CfgError::Empty));
        assert_eq!(cfg(&[&[7], &[]]), Err(CfgError::TargetOutOfRange { from: 0, to: 7, last: 1 }));
        assert_eq!(cfg(&[&[1, 1], &[]]), Err(CfgError::DuplicateEdge { from: 0, to: 1 }));
        assert_eq!(cfg(&[&[1], &[0, 2], &[]]), Err(CfgError::EntryHasPredecessor { from: 1 }));
        assert_eq!(cfg(&[&[1], &[1]]), Err(CfgError::NoExit));
        assert_eq!(cfg(&[&[1, 2], &[], &[]]), Err(CfgError::SeveralExits { first: 1, second: 2 }));
        assert_eq!(cfg(&[&[1], &[1], &[]]), Err(CfgError::ExitUnreachable { exit: 2 }));
    }
}
