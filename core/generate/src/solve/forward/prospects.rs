//! What can still become of a run, block by block.

use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::Cfg;

/// How many blocks a graph may have for its loops to be looked at; with more, every block counts as
/// leading to one.
const MAX_BLOCKS: usize = u64::BITS as usize;

/// What can still become of a run that reaches a block.
pub(super) struct Prospects {
    distances: Vec<Option<u32>>,
    leads_to_loop: Vec<bool>,
    /// For each goal, the blocks that lead to it.
    leads_to_goal: Vec<Vec<bool>>,
}

impl Prospects {
    pub(super) fn new(cfg: &Cfg, goals: &[BlockId]) -> Self {
        let distances = cfg.distance_to_exit();
        let leads_to_loop = match cfg.n_blocks() <= MAX_BLOCKS {
            true => leads_to_loop(cfg, &distances),
            false => vec![true; cfg.n_blocks()],
        };
        let leads_to_goal = goals.iter().map(|goal| leads_to(cfg, *goal)).collect();
        Self { distances, leads_to_loop, leads_to_goal }
    }

    /// The fewest steps from a block to the exit, if it can be reached.
    pub(super) fn distance(&self, block: BlockId) -> Option<usize> {
        self.distances[block.index()].map(|distance| distance as usize)
    }

    /// Whether a block leads to a goal, or is it.
    pub(super) fn leads_to_goal(&self, block: BlockId, nth: usize) -> bool {
        self.leads_to_goal[nth][block.index()]
    }

    /// Whether a block leads to a loop that has a way out.
    pub(super) fn leads_to_loop(&self, block: BlockId) -> bool {
        self.leads_to_loop[block.index()]
    }
}

/// The blocks that lead to `goal`, itself included.
fn leads_to(cfg: &Cfg, goal: BlockId) -> Vec<bool> {
    let mut leads = vec![false; cfg.n_blocks()];
    leads[goal.index()] = true;
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for block in (0..cfg.n_blocks()).rev().map(BlockId::new) {
            let does = cfg.succs(block).iter().any(|succ| leads[succ.index()]);
            if does && !leads[block.index()] {
                leads[block.index()] = true;
                has_changed = true;
            }
        }
    }
    leads
}

fn leads_to_loop(cfg: &Cfg, distances: &[Option<u32>]) -> Vec<bool> {
    // For each block, the set of blocks that can be reached from it and have a way out.
    let mut reachable = vec![0_u64; cfg.n_blocks()];
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for block in (0..cfg.n_blocks()).rev() {
            let succs = cfg.succs(BlockId::new(block)).iter().map(|succ| succ.index());
            let open = succs.filter(|succ| distances[*succ].is_some());
            let all = open.fold(0, |all, succ| all | 1 << succ | reachable[succ]);
            has_changed |= all != reachable[block];
            reachable[block] = all;
        }
    }
    let on_loops = reachable.iter().enumerate().fold(0, |all, (i, set)| all | (set & (1 << i)));
    reachable.iter().map(|set| set & on_loops != 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_seen_from_afar_and_traps_are_none() {
        // 0 leads to a loop (1, 2), past it to 3 and the exit, or to a trap (5).
        let succs: [&[usize]; 6] = [&[1, 3, 5], &[2], &[1, 3], &[4], &[], &[5]];
        let succs: Vec<Vec<BlockId>> =
            succs.iter().map(|list| list.iter().map(|b| BlockId::new(*b)).collect()).collect();
        let prospects = Prospects::new(&Cfg::new(&succs).unwrap(), &[BlockId::new(2)]);
        let leads = [0, 1, 2, 3, 4, 5].map(|b| prospects.leads_to_loop(BlockId::new(b)));
        assert_eq!(leads, [true, true, true, false, false, false]);
        let leads = [0, 1, 2, 3, 5].map(|b| prospects.leads_to_goal(BlockId::new(b), 0));
        assert_eq!(leads, [true, true, true, false, false]);
        assert_eq!(prospects.distance(BlockId::new(2)), Some(2));
        assert_eq!(prospects.distance(BlockId::new(5)), None);
    }
}
