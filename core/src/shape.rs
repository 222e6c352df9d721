//! Graphs and paths: what a program can do, and what it does do.

mod cfg;
mod draw;
mod loops;
mod path;
mod random;

pub use cfg::{Cfg, CfgError};
pub use loops::{Loop, LoopForest};
pub use path::{Path, PathError};
pub use random::{GraphOptions, OptionsError, random_cfg};

/// The most blocks that a graph has, drawn or read.
pub const MAX_BLOCKS: u32 = 1 << 14;
