//! How a path visits each block of a graph.

use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::{Cfg, Path};

/// How a path visits each block of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathProfile {
    blocks: Vec<BlockProfile>,
}

/// How a path visits a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BlockProfile {
    /// How often the block is visited.
    pub(super) n_visits: usize,
    /// The successor at each visit; empty for the exit.
    pub(super) targets: Vec<BlockId>,
}

impl PathProfile {
    /// The profile of `path` through `cfg`; without a path, no block is visited.
    pub(super) fn new(cfg: &Cfg, path: Option<&Path>) -> Self {
        let mut blocks = vec![BlockProfile::default(); cfg.n_blocks()];
        if let Some(path) = path {
            for block in path.blocks() {
                blocks[block.index()].n_visits += 1;
            }
            for (from, to) in path.steps() {
                blocks[from.index()].targets.push(to);
            }
        }
        Self { blocks }
    }

    /// The profile of one block.
    pub(super) fn of(&self, block: BlockId) -> &BlockProfile {
        &self.blocks[block.index()]
    }
}

impl BlockProfile {
    /// How often the successor differs from that of the visit before.
    pub(super) fn n_changes(&self) -> usize {
        self.targets.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }
}
