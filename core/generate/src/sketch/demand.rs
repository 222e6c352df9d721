//! What a path asks of each block.

use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::{Cfg, Path};

/// What a path asks of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Demand {
    /// How often the block is visited.
    pub(super) n_visits: usize,
    /// Where it leads at each visit; empty for the exit.
    pub(super) targets: Vec<BlockId>,
}

impl Demand {
    /// How often the block leads elsewhere than at the visit before.
    pub(super) fn n_changes(&self) -> usize {
        self.targets.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }
}

/// What `path` asks of each block of `cfg`; nothing, where there is none.
pub(super) fn demands(cfg: &Cfg, path: Option<&Path>) -> Vec<Demand> {
    let mut demands = vec![Demand::default(); cfg.n_blocks()];
    let Some(path) = path else { return demands };
    for block in path.blocks() {
        demands[block.index()].n_visits += 1;
    }
    for (from, to) in path.steps() {
        demands[from.index()].targets.push(to);
    }
    demands
}
