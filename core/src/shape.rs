//! Graphs and paths: what a program can do, and what it does do.

mod cfg;
mod loops;
mod path;

pub use cfg::{Cfg, CfgError};
pub use loops::{Loop, LoopForest};
pub use path::{Path, PathError};
