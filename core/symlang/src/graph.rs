//! Graphs and paths: what a program can do, and what it does do.
//!
//! A [`Cfg`] is a control-flow graph that keeps a few rules, and a [`Path`] a walk from its entry
//! to its exit. [`LoopForest`] finds the loops of a graph, [`Dominators`] what every path goes
//! through.

mod cfg;
mod dominators;
mod loops;
mod path;

pub use cfg::{Cfg, CfgError};
pub use dominators::Dominators;
pub use loops::{Loop, LoopForest};
pub use path::{Path, PathError};

/// The most blocks that a graph has, drawn or read.
pub const MAX_BLOCKS: u32 = 1 << 14;
