//! Which blocks every path to a block goes through.

use super::Cfg;
use crate::ids::BlockId;

/// The dominator tree of a graph, and an order in which blocks come after those that dominate
/// them.
///
/// Blocks that the entry cannot reach are in neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dominators {
    order: Vec<BlockId>,
    position: Vec<Option<usize>>,
    /// By position in the order.
    idom: Vec<usize>,
}

impl Dominators {
    /// Finds the dominators of `cfg`, after Cooper, Harvey and Kennedy: "A Simple, Fast Dominance
    /// Algorithm".
    pub fn new(cfg: &Cfg) -> Self {
        let order = reverse_postorder(cfg);
        let mut position = vec![None; cfg.n_blocks()];
        for (i, block) in order.iter().enumerate() {
            position[block.index()] = Some(i);
        }
        let preds = cfg.preds();
        let mut idom: Vec<Option<usize>> = vec![None; order.len()];
        idom[0] = Some(0);
        let mut changed = true;
        while changed {
            changed = false;
            for (i, block) in order.iter().enumerate().skip(1) {
                let known = preds[block.index()]
                    .iter()
                    .filter_map(|pred| position[pred.index()])
                    .filter(|&pred| idom[pred].is_some());
                let common = known.reduce(|a, b| common_dominator(&idom, a, b));
                if idom[i] != common {
                    idom[i] = common;
                    changed = true;
                }
            }
        }
        // What is in the order has been reached, so it has a dominator.
        let idom = idom.into_iter().map(|dominator| dominator.unwrap_or(0)).collect();
        Self { order, position, idom }
    }

    /// The blocks that can be reached, in reverse postorder: the entry first, and an edge to an
    /// earlier block closes a loop.
    pub fn order(&self) -> &[BlockId] {
        &self.order
    }

    /// The position of `block` in the order.
    pub fn position(&self, block: BlockId) -> Option<usize> {
        self.position[block.index()]
    }

    /// The last block before `block` that every path to it goes through.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        match self.position(block)? {
            0 => None,
            i => Some(self.order[self.idom[i]]),
        }
    }

    /// Whether every path to `block` goes through `dominator`, which may be the block itself.
    pub fn dominates(&self, dominator: BlockId, block: BlockId) -> bool {
        let (Some(dominator), Some(mut block)) = (self.position(dominator), self.position(block))
        else {
            return false;
        };
        while block > dominator {
            block = self.idom[block];
        }
        block == dominator
    }
}

fn common_dominator(idom: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        let later = if a > b { &mut a } else { &mut b };
        *later = idom[*later].unwrap_or(0);
    }
    a
}

fn reverse_postorder(cfg: &Cfg) -> Vec<BlockId> {
    let mut seen = vec![false; cfg.n_blocks()];
    let mut order = Vec::with_capacity(cfg.n_blocks());
    // Each entry is a block and how many of its successors have been visited.
    let mut stack = vec![(cfg.entry(), 0)];
    seen[cfg.entry().index()] = true;
    while let Some((block, n_visited)) = stack.last_mut() {
        // From the last one, so that the first one comes first in the end.
        let succs = cfg.succs(*block);
        match succs.len().checked_sub(*n_visited + 1) {
            Some(next) => {
                *n_visited += 1;
                let succ = succs[next];
                if !seen[succ.index()] {
                    seen[succ.index()] = true;
                    stack.push((succ, 0));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_loop_with_two_entries() {
        let succs: [&[usize]; 5] = [&[1, 2], &[2], &[1, 3], &[4], &[]];
        let succs: Vec<Vec<BlockId>> =
            succs.iter().map(|list| list.iter().map(|&b| BlockId::new(b)).collect()).collect();
        let dominators = Dominators::new(&Cfg::new(&succs).unwrap());
        let immediate = |b| dominators.immediate(BlockId::new(b)).map(BlockId::index);
        assert_eq!([0, 1, 2, 3, 4].map(immediate), [None, Some(0), Some(0), Some(2), Some(3)]);
        let numbers: Vec<usize> = dominators.order().iter().map(|b| b.index()).collect();
        assert_eq!(numbers, [0, 2, 1, 3, 4]);
    }
}
