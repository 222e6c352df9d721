//! Execution paths.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Cfg;
use crate::ids::BlockId;

/// A walk through a graph from its entry to its exit: what a function does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Path(Vec<BlockId>);

/// Why a list of blocks is not a path of a graph.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PathError {
    /// The path is empty.
    #[error("the path is empty, but it has to begin at the entry")]
    Empty,
    /// The path begins elsewhere.
    #[error("the path begins at block {0}, not at the entry")]
    BeginsElsewhere(usize),
    /// The path ends elsewhere.
    #[error("the path ends at block {0}, not at the exit")]
    EndsElsewhere(usize),
    /// A step has no edge.
    #[error("step {step} goes from block {from} to block {to}, but no edge does")]
    NoEdge {
        /// The position of `from` in the path.
        step: usize,
        /// Where the step begins.
        from: usize,
        /// Where it ends.
        to: usize,
    },
    /// A block of the path does not exist.
    #[error("step {step} is at block {block}, which does not exist")]
    NoBlock {
        /// The position of `block` in the path.
        step: usize,
        /// The block that is not there.
        block: usize,
    },
}

impl PathError {
    /// What is wrong, with the blocks called as `name` says.
    pub fn describe<'a>(&self, name: impl Fn(usize) -> &'a str) -> String {
        match self {
            Self::Empty | Self::NoBlock { .. } => self.to_string(),
            Self::BeginsElsewhere(block) => {
                format!("the path begins at `{}`, not at the entry, `{}`", name(*block), name(0))
            }
            Self::EndsElsewhere(block) => {
                format!("the path ends at `{}`, which does not return", name(*block))
            }
            Self::NoEdge { step, from, to } => format!(
                "step {step} goes from `{}` to `{}`, but no edge does",
                name(*from),
                name(*to)
            ),
        }
    }
}

impl Path {
    /// The walk along `blocks`, which [`check`](Self::check) can hold against a graph.
    pub fn new(blocks: Vec<BlockId>) -> Self {
        Self(blocks)
    }

    /// The blocks that are visited, in order.
    pub fn blocks(&self) -> &[BlockId] {
        &self.0
    }

    /// How many block visits there are, entry and exit included.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no visit at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The steps from one visit to the next.
    pub fn steps(&self) -> impl Iterator<Item = (BlockId, BlockId)> {
        self.0.windows(2).map(|pair| (pair[0], pair[1]))
    }

    /// Checks that this is a walk of `cfg` from its entry to its exit.
    ///
    /// # Errors
    /// The first thing that keeps it from being one.
    pub fn check(&self, cfg: &Cfg) -> Result<(), PathError> {
        self.check_prefix(cfg)?;
        match self.0.last() {
            Some(last) if *last != cfg.exit() => Err(PathError::EndsElsewhere(last.index())),
            _ => Ok(()),
        }
    }

    /// Checks that this is a walk of `cfg` from its entry to some block.
    ///
    /// # Errors
    /// The first thing that keeps it from being one.
    pub fn check_prefix(&self, cfg: &Cfg) -> Result<(), PathError> {
        let Some(&first) = self.0.first() else { return Err(PathError::Empty) };
        if let Some(step) = self.0.iter().position(|block| block.index() >= cfg.n_blocks()) {
            return Err(PathError::NoBlock { step, block: self.0[step].index() });
        }
        if first != cfg.entry() {
            return Err(PathError::BeginsElsewhere(first.index()));
        }
        for (step, (from, to)) in self.steps().enumerate() {
            if !cfg.succs(from).contains(&to) {
                return Err(PathError::NoEdge { step, from: from.index(), to: to.index() });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(blocks: &[usize]) -> Path {
        Path::new(blocks.iter().map(|&b| BlockId::new(b)).collect())
    }

    #[test]
    fn names_what_is_wrong() {
        let succs: Vec<Vec<BlockId>> = [&[1][..], &[2, 3], &[4], &[1], &[]]
            .iter()
            .map(|list| list.iter().map(|&b| BlockId::new(b)).collect())
            .collect();
        let cfg = Cfg::new(&succs).unwrap();
        let check = |blocks: &[usize]| path(blocks).check(&cfg);
        assert_eq!(check(&[0, 1, 3, 1, 2, 4]), Ok(()));
        assert_eq!(check(&[]), Err(PathError::Empty));
        assert_eq!(check(&[1, 2, 4]), Err(PathError::BeginsElsewhere(1)));
        assert_eq!(check(&[0, 1, 2]), Err(PathError::EndsElsewhere(2)));
        assert_eq!(check(&[0, 1, 4]), Err(PathError::NoEdge { step: 1, from: 1, to: 4 }));
        assert_eq!(check(&[0, 9, 4]), Err(PathError::NoBlock { step: 1, block: 9 }));
    }
}
