//! Node splitting: blocks are copied until every loop has one entry.
//!
//! One entry of a loop becomes its header. Edges that enter the loop elsewhere are redirected to a
//! copy of the loop without the header, which leads to the header where the loop does. The copy may
//! again contain loops with several entries, but smaller ones. The number of copies can explode, so
//! it is limited; dispatchers do the rest.

use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::{Cfg, CfgError, Loop, LoopForest};

/// How many copies a function of a given size gets, at most. The numbers are guesses.
fn max_copies(n_blocks: usize) -> usize {
    const MOST: usize = 1 << 8;
    (2 * n_blocks + 16).min(MOST)
}

/// A graph in which blocks may stand several times.
#[derive(Clone, Debug)]
pub(super) struct Split {
    pub(super) cfg: Cfg,
    /// The block that each node is a copy of. Their successors are in the same order.
    pub(super) origins: Vec<BlockId>,
}

impl Split {
    /// The graph as it is.
    pub(super) fn none(cfg: &Cfg) -> Self {
        Self { cfg: cfg.clone(), origins: cfg.blocks().collect() }
    }

    /// The graph with copies.
    pub(super) fn new(cfg: &Cfg) -> Result<Self, CfgError> {
        let mut split = Self::none(cfg);
        let most = cfg.n_blocks() + max_copies(cfg.n_blocks());
        loop {
            let forest = LoopForest::new(&split.cfg);
            let irreducible = forest.loops().iter().filter(|region| region.is_irreducible());
            let room = most.saturating_sub(split.origins.len());
            let found = irreducible
                .map(|region| (region, split.least_to_copy(region)))
                .find(|(_, copied)| copied.len() <= room);
            let Some((region, copied)) = found else { return Ok(split) };
            split.copy(region, &copied)?;
        }
    }

    /// What has to be copied if the entry becomes the header for which that is least.
    fn least_to_copy(&self, region: &Loop) -> Vec<BlockId> {
        let all = region.entries.iter().map(|header| self.to_copy(region, *header));
        all.min_by_key(Vec::len).unwrap_or_default()
    }

    /// What can be reached within a loop from its other entries without coming to the header.
    fn to_copy(&self, region: &Loop, header: BlockId) -> Vec<BlockId> {
        let mut copied: Vec<BlockId> =
            region.entries.iter().copied().filter(|entry| *entry != header).collect();
        let mut is_copied = vec![false; self.origins.len()];
        copied.iter().for_each(|block| is_copied[block.index()] = true);
        let mut at = 0;
        while let Some(block) = copied.get(at) {
            for &succ in self.cfg.succs(*block) {
                let is_inside = succ != header && region.blocks.binary_search(&succ).is_ok();
                if is_inside && !std::mem::replace(&mut is_copied[succ.index()], true) {
                    copied.push(succ);
                }
            }
            at += 1;
        }
        copied
    }

    /// Redirects edges from outside of the loop to copies.
    fn copy(&mut self, region: &Loop, copied: &[BlockId]) -> Result<(), CfgError> {
        let mut copy_of: Vec<Option<BlockId>> = vec![None; self.origins.len()];
        for (at, block) in copied.iter().enumerate() {
            copy_of[block.index()] = Some(BlockId::new(self.origins.len() + at));
        }
        let moved = |succ: &BlockId| copy_of[succ.index()].unwrap_or(*succ);
        let is_inside = |block: BlockId| region.blocks.binary_search(&block).is_ok();
        let mut succs: Vec<Vec<BlockId>> = Vec::with_capacity(self.origins.len() + copied.len());
        for block in self.cfg.blocks() {
            let old = self.cfg.succs(block).iter();
            succs.push(match is_inside(block) {
                true => old.copied().collect(),
                false => old.map(moved).collect(),
            });
        }
        for block in copied {
            succs.push(self.cfg.succs(*block).iter().map(moved).collect());
            self.origins.push(self.origins[block.index()]);
        }
        self.cfg = Cfg::new(&succs)?;
        Ok(())
    }
}
