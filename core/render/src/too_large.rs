//! Graphs that are too large for a picture.

use pathsmith_symlang::graph::{Cfg, LoopForest};
use thiserror::Error;

/// How many points a layout may have: blocks, and a point for each row that an edge passes. With more,
/// the order of rows alone could take seconds (measured: 40,000 points of random graphs take 2.3 s and 22 MB).
const MAX_POINTS: usize = 1 << 16;

/// How many edges may pass between two rows: the tracks of all are compared (measured: 2,000 edges
/// take 1 s and 250 MB, 4,000 take 8 s and 1 GB).
const MAX_WIDTH: usize = 2_000;

/// How many looks at blocks the search for loops may take: 16,384 blocks within 512 loops each.
const MAX_LOOKS: usize = 1 << 23;

/// Why a graph cannot be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TooLarge {
    /// The layout has too many points.
    #[error(
        "its layout needs more than {MAX_POINTS} points, one for each block and row that an edge passes"
    )]
    Points,
    /// Too many edges lie next to each other.
    #[error("more than {MAX_WIDTH} edges would pass between two of its rows")]
    Width,
    /// Loops are nested too deep for so many blocks.
    #[error("its loops nest too deep: all loops together have more than {MAX_LOOKS} blocks")]
    Loops,
}

/// The loops of a graph that is to be drawn.
pub(crate) fn loops(cfg: &Cfg) -> Result<LoopForest, TooLarge> {
    LoopForest::within(cfg, MAX_LOOKS).ok_or(TooLarge::Loops)
}

/// How many points a layout may still have.
#[derive(Debug)]
pub(crate) struct Room(usize);

impl Room {
    pub(crate) fn new() -> Self {
        Self(MAX_POINTS)
    }

    /// Takes room for some points, with some edges next to each other.
    pub(crate) fn take(&mut self, n_points: usize, width: usize) -> Result<(), TooLarge> {
        if width > MAX_WIDTH {
            return Err(TooLarge::Width);
        }
        self.0 = self.0.checked_sub(n_points).ok_or(TooLarge::Points)?;
        Ok(())
    }
}
