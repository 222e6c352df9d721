//! Positions by name, so that a name is found without looking at all others.

use std::collections::BTreeMap;

use crate::ids::BlockId;
use crate::lang::Block;

/// The positions of what was declared, by name. If a name is declared twice, the first counts: that
/// it is there twice is found later, by a rule of the language.
#[derive(Default)]
pub(super) struct Names<'s>(BTreeMap<&'s str, usize>);

impl<'s> Names<'s> {
    pub(super) fn declare(&mut self, name: &'s str, at: usize) {
        self.0.entry(name).or_insert(at);
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.0.get(name).copied()
    }
}

/// The blocks of a function by name.
pub(super) struct Labels(Vec<(String, BlockId)>);

impl Labels {
    pub(super) fn new(blocks: &[Block]) -> Self {
        let names = blocks.iter().map(|block| block.name.clone());
        let mut labels: Vec<_> = names.zip((0..).map(BlockId::new)).collect();
        labels.sort_unstable();
        Self(labels)
    }

    pub(super) fn find(&self, name: &str) -> Option<BlockId> {
        let first = self.0.partition_point(|(known, _)| known.as_str() < name);
        self.0.get(first).filter(|(known, _)| known == name).map(|(_, block)| *block)
    }
}
