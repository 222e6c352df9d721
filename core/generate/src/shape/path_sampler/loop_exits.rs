//! What a walk has to know about loops.

use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::{Cfg, LoopForest};

/// The loops of a graph, with quick answers to what is in which, and to how to get out.
///
/// A loop is strongly connected, so either all of its blocks can reach the exit or none can, and
/// a loop inside another leaves out some of its blocks (the entries, at least). So wherever a walk
/// is in a loop that can reach the exit, it can leave this loop without leaving the one around it.
#[derive(Debug)]
pub(super) struct LoopExits {
    forest: LoopForest,
    /// Numbers for loops such that those inside a loop follow it at once: for each loop its own
    /// number, and the first number after the loops inside it.
    spans: Vec<(u32, u32)>,
    /// For each block the number of the innermost loop around it, or [`NONE`].
    numbers: Vec<u32>,
    /// Block `b` leaves the loop of depth `d` around it after `leave[leave_starts[b] + d]` steps.
    leave_starts: Vec<u32>,
    leave: Vec<u32>,
    loop_ahead: Vec<bool>,
}

const NONE: u32 = u32::MAX;

impl LoopExits {
    /// Finds the loops of `cfg`, whose blocks have the given distances to the exit.
    pub(super) fn new(cfg: &Cfg, distances: &[Option<u32>]) -> Self {
        let forest = LoopForest::new(cfg);
        let preds = cfg.preds();
        let spans = spans(&forest);
        let mut numbers = Vec::with_capacity(cfg.n_blocks());
        let mut leave_starts = Vec::with_capacity(cfg.n_blocks());
        let mut n_leave = 0;
        for block in cfg.blocks() {
            leave_starts.push(n_leave as u32);
            let innermost = forest.innermost(block);
            numbers.push(innermost.map_or(NONE, |this| spans[this].0));
            n_leave += innermost.map_or(0, |this| forest.loops()[this].depth + 1);
        }
        let loop_ahead = vec![false; cfg.n_blocks()];
        let leave = vec![NONE; n_leave];
        let mut exits = Self { forest, spans, numbers, leave_starts, leave, loop_ahead };
        exits.find_ways_out(cfg, &preds, distances);
        exits.look_ahead(cfg, &preds, distances);
        exits
    }

    pub(super) fn forest(&self) -> &LoopForest {
        &self.forest
    }

    /// Whether `block` is in loop `this`, directly or in a loop inside it.
    #[inline]
    pub(super) fn contains(&self, this: usize, block: BlockId) -> bool {
        let (first, end) = self.spans[this];
        (first..end).contains(&self.numbers[block.index()])
    }

    /// Whether a step to `block` leaves loop `this`, but not the loop around it.
    pub(super) fn leaves(&self, this: usize, block: BlockId) -> bool {
        let parent = self.forest.loops()[this].parent;
        !self.contains(this, block) && parent.is_none_or(|parent| self.contains(parent, block))
    }

    /// How many steps to make in loop `this`, from `block` in it, until a step can leave it.
    pub(super) fn distance_to_leave(&self, this: usize, block: BlockId) -> u32 {
        self.leave[self.leave_at(this, block)]
    }

    /// The loops around `block` that have at least `depth` loops around them, innermost first.
    pub(super) fn loops_around(
        &self,
        block: BlockId,
        depth: usize,
    ) -> impl Iterator<Item = usize> + use<'_> {
        let loops = self.forest.loops();
        std::iter::successors(self.forest.innermost(block), |&this| loops[this].parent)
            .take_while(move |&this| loops[this].depth >= depth)
    }

    /// Whether `block` is in, or can reach, a loop that can reach the exit.
    pub(super) fn is_loop_ahead(&self, block: BlockId) -> bool {
        self.loop_ahead[block.index()]
    }

    fn leave_at(&self, this: usize, block: BlockId) -> usize {
        self.leave_starts[block.index()] as usize + self.forest.loops()[this].depth
    }

    /// Searches each loop backwards from where it can be left.
    fn find_ways_out(&mut self, cfg: &Cfg, preds: &[Vec<BlockId>], distances: &[Option<u32>]) {
        for this in 0..self.forest.loops().len() {
            let can_leave = |&block: &BlockId| {
                let leaving =
                    |&succ: &BlockId| distances[succ.index()].is_some() && self.leaves(this, succ);
                cfg.succs(block).iter().any(leaving)
            };
            let blocks = &self.forest.loops()[this].blocks;
            let mut level: Vec<BlockId> = blocks.iter().copied().filter(can_leave).collect();
            for distance in 0.. {
                let mut next = Vec::new();
                for block in level {
                    let at = self.leave_at(this, block);
                    if self.leave[at] == NONE {
                        self.leave[at] = distance;
                        let preds = preds[block.index()].iter().copied();
                        next.extend(preds.filter(|&pred| self.contains(this, pred)));
                    }
                }
                if next.is_empty() {
                    break;
                }
                level = next;
            }
        }
    }

    /// Searches the graph backwards from loops that can reach the exit.
    fn look_ahead(&mut self, cfg: &Cfg, preds: &[Vec<BlockId>], distances: &[Option<u32>]) {
        let mut stack: Vec<BlockId> = cfg
            .blocks()
            .filter(|block| {
                self.numbers[block.index()] != NONE && distances[block.index()].is_some()
            })
            .collect();
        while let Some(block) = stack.pop() {
            if !self.loop_ahead[block.index()] {
                self.loop_ahead[block.index()] = true;
                stack.extend_from_slice(&preds[block.index()]);
            }
        }
    }
}

/// Numbers the loops of `forest` in preorder.
fn spans(forest: &LoopForest) -> Vec<(u32, u32)> {
    let loops = forest.loops();
    let mut sizes = vec![1; loops.len()];
    // Outer loops come first, so that going backwards meets the inner ones before them.
    for (this, found) in loops.iter().enumerate().rev() {
        if let Some(parent) = found.parent {
            sizes[parent] += sizes[this];
        }
    }
    // For each loop, the next number to give to a loop in it.
    let mut next = Vec::with_capacity(loops.len());
    let mut next_outermost = 0;
    let mut spans = Vec::with_capacity(loops.len());
    for (found, size) in loops.iter().zip(sizes) {
        let number = match found.parent {
            Some(parent) => &mut next[parent],
            None => &mut next_outermost,
        };
        let first = *number;
        *number += size;
        spans.push((first, first + size));
        next.push(first + 1);
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_is_where() {
        // Two nested loops (1 2 3 4 around 2 3) beside a third (5), and a trap (7).
        let succs: Vec<Vec<BlockId>> =
            [&[1][..], &[2, 5], &[3], &[2, 4, 7], &[1], &[5, 6], &[], &[7]]
                .iter()
                .map(|list| list.iter().map(|&b| BlockId::new(b)).collect())
                .collect();
        let cfg = Cfg::new(&succs).unwrap();
        let exits = LoopExits::new(&cfg, &cfg.distance_to_exit());
        let n_loops = exits.forest().loops().len();
        assert_eq!(n_loops, 4);
        for this in 0..n_loops {
            for block in cfg.blocks() {
                assert_eq!(exits.contains(this, block), exits.forest().contains(this, block));
            }
        }
        let outer = exits.forest().innermost(BlockId::new(1)).unwrap();
        let inner = exits.forest().innermost(BlockId::new(2)).unwrap();
        let ways = |this, blocks: &[usize]| -> Vec<u32> {
            blocks.iter().map(|&b| exits.distance_to_leave(this, BlockId::new(b))).collect()
        };
        assert_eq!(ways(outer, &[1, 2, 3, 4]), [0, 3, 2, 1]);
        assert_eq!(ways(inner, &[2, 3]), [1, 0]);
        let ahead: Vec<bool> = cfg.blocks().map(|block| exits.is_loop_ahead(block)).collect();
        assert_eq!(ahead, [true, true, true, true, true, true, false, false]);
    }
}
