//! Graphs and paths: what a program can do, and what it does do.

mod cfg;
mod draw;
mod loops;
mod measure;
mod path;
mod random;
mod walk;

pub use cfg::{Cfg, CfgError};
pub use loops::{Loop, LoopForest};
pub use measure::{Counts, ShapeStats};
pub use path::{Path, PathError};
pub use random::{GraphOptions, OptionsError, random_cfg};
pub use walk::{
    Iterations, IterationsError, WalkMode, WalkOptions, WalkOptionsError, Walker, random_path,
};

/// The most blocks that a graph has, drawn or read.
pub const MAX_BLOCKS: u32 = 1 << 14;
