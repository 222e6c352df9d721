//! What random graphs look like.

use thiserror::Error;

use pathsmith_symlang::knobs::KnobError;

use pathsmith_symlang::graph::MAX_BLOCKS;

/// How deep inserted loops may nest at most.
pub(super) const MAX_NESTING: u32 = 64;
/// How many successors a block may have at most.
pub(super) const MAX_SWITCH_WIDTH: u32 = 1024;

pathsmith_symlang::knobs! {
    /// What random graphs look like. The defaults are a small function: uniform walks through 20,000
    /// such graphs had 13.2 visits on average, 7 at the median, 27 at the 90th percentile and 99 at
    /// the 99th.
    pub struct GraphOptions {
        /// Blocks besides the entry, the exit and what loops add.
        blocks: u32 = 15, in 1..=MAX_BLOCKS;
        /// Share of blocks with two successors, before edges to the exit are added.
        branch_share: share = 0.7;
        /// Share of blocks with three successors or more, before edges to the exit are added.
        switch_share: share = 0.0;
        /// Most successors of such a block.
        switch_width: u32 = 5, in 3..=MAX_SWITCH_WIDTH;
        /// Share of reachable blocks that get an edge to the exit. At least one block does, and only
        /// blocks with room for one more successor do.
        exit_edges: share = 0.24;
        /// Share of edges that lead on to later blocks. The others lead anywhere.
        forward: share = 0.0;
        /// Blocks that are replaced by a reducible loop. Each replacement adds `loop_blocks + 1`
        /// blocks.
        loops: u32 = 0;
        /// Blocks of an inserted loop besides its header and its latch.
        loop_blocks: u32 = 3, in 1..=MAX_BLOCKS;
        /// How deep inserted loops may nest: with 1, none is inserted into another.
        nesting: u32 = 2, in 0..=MAX_NESTING;
        /// Whether loops with several entries may occur.
        irreducible: bool = true;
    }
}

/// Why [`GraphOptions`] describe no graph.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum OptionsError {
    /// A number or share is out of its bounds.
    #[error(transparent)]
    Knob(#[from] KnobError),
    /// The shares of blocks by their number of successors exceed the whole.
    #[error("`branch_share` and `switch_share` add up to {sum}, but together they are at most 1")]
    ShareSum {
        /// What they add up to.
        sum: f64,
    },
    /// There are not enough blocks to replace.
    #[error(
        "`loops` is {loops}, but `blocks`, `loop_blocks` and `nesting` leave room for {room} only"
    )]
    TooManyLoops {
        /// How many loops are asked for.
        loops: u32,
        /// How many fit.
        room: u64,
    },
    /// The graph as a whole gets too large.
    #[error("the graph would have {total} blocks, loops included, but {MAX_BLOCKS} is the most")]
    TooManyBlocks {
        /// How many blocks there would be.
        total: u64,
    },
}

impl GraphOptions {
    /// How many blocks a graph of these options has: `blocks`, the entry and the exit, and
    /// `loop_blocks + 1` for every loop.
    pub fn total_blocks(&self) -> u64 {
        u64::from(self.blocks) + 2 + u64::from(self.loops) * (u64::from(self.loop_blocks) + 1)
    }

    /// Checks that the options describe graphs.
    ///
    /// # Errors
    /// The first option that does not make sense.
    pub fn validate(&self) -> Result<(), OptionsError> {
        self.check_knobs()?;
        let sum = self.branch_share + self.switch_share;
        // Leaves room for rounding, as in 0.7 + 0.3.
        if sum > 1.0 + 1e-9 {
            return Err(OptionsError::ShareSum { sum });
        }
        let room = self.room_for_loops();
        if u64::from(self.loops) > room {
            return Err(OptionsError::TooManyLoops { loops: self.loops, room });
        }
        let total = self.total_blocks();
        if total > u64::from(MAX_BLOCKS) {
            return Err(OptionsError::TooManyBlocks { total });
        }
        Ok(())
    }

    /// How many blocks there are to replace when every loop is filled with loops.
    pub(super) fn room_for_loops(&self) -> u64 {
        let mut level = u64::from(self.blocks);
        let mut room = 0_u64;
        for _ in 0..self.nesting {
            room = room.saturating_add(level);
            level = level.saturating_mul(u64::from(self.loop_blocks));
        }
        room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_is_wrong() {
        let check = |change: fn(&mut GraphOptions), expected: &str| {
            let mut options = GraphOptions::default();
            change(&mut options);
            assert_eq!(options.validate().unwrap_err().to_string(), expected);
        };
        check(|o| o.blocks = 0, "`blocks` is 0, but has to be between 1 and 16384");
        check(
            |o| o.blocks = MAX_BLOCKS,
            "the graph would have 16386 blocks, loops included, but 16384 is the most",
        );
        check(|o| o.exit_edges = f64::NAN, "`exit_edges` is NaN, but a share lies between 0 and 1");
        check(
            |o| o.branch_share = -0.5,
            "`branch_share` is -0.5, but a share lies between 0 and 1",
        );
        check(
            |o| o.switch_share = 0.5,
            "`branch_share` and `switch_share` add up to 1.2, but together they are at most 1",
        );
        check(|o| o.switch_width = 2, "`switch_width` is 2, but has to be between 3 and 1024");
        check(
            |o| o.loops = 61,
            "`loops` is 61, but `blocks`, `loop_blocks` and `nesting` leave room for 60 only",
        );
    }

    #[test]
    fn options_are_read_with_defaults_and_without_strangers() {
        let options: GraphOptions = serde_json::from_str(r#"{"blocks": 3}"#).unwrap();
        assert_eq!(options, GraphOptions { blocks: 3, ..GraphOptions::default() });
        assert!(serde_json::from_str::<GraphOptions>(r#"{"block": 3}"#).is_err());
    }
}
