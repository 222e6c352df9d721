//! Graphs and paths: what a program can do, and what it does do.
//!
//! - A [`Cfg`] is a control-flow graph that keeps a few rules, and a [`Path`] a walk from its entry
//!   to its exit. [`LoopForest`] finds the loops of a graph, [`Dominators`] what every path
//!   goes through.
//! - [`random_cfg`] draws a graph, [`random_path`] a path through it; a [`Walker`] draws many.
//! - [`parse_shapes`] reads graphs, with or without paths, from JSON lines: graphs of real
//!   programs, say. [`Shape::to_json_line`] writes them.
//! - [`ShapeStats`] tells what many graphs and paths are like.
//!
//! ```
//! use pathsmith_core::Seed;
//! use pathsmith_core::shape::{GraphOptions, ShapeStats, WalkOptions, Walker, random_cfg};
//!
//! let mut rng = Seed::new(7).child("shape").rng();
//! let cfg = random_cfg(&GraphOptions { blocks: 8, ..GraphOptions::default() }, &mut rng);
//! assert_eq!(cfg.n_blocks(), 10);
//!
//! let walker = Walker::new(&cfg);
//! let mut stats = ShapeStats::default();
//! stats.add_graph(&cfg, walker.forest());
//! for _ in 0..100 {
//!     let path = walker.path(&WalkOptions::default(), &mut rng);
//!     path.check(&cfg)?;
//!     stats.add_path(&cfg, walker.forest(), &path);
//! }
//! assert_eq!(stats.n_paths(), 100);
//! # Ok::<(), pathsmith_core::shape::PathError>(())
//! ```

mod cfg;
mod dominators;
mod file;
mod loops;
mod measure;
mod path;
mod random;
mod walk;

pub use cfg::{Cfg, CfgError};
pub use dominators::Dominators;
pub use file::{Shape, ShapeFileError, ShapeFileErrorKind, parse_line, parse_shapes, shapes};
pub use loops::{Loop, LoopForest};
pub use measure::{Counts, ShapeStats};
pub use path::{Path, PathError};
pub use random::{GraphOptions, OptionsError, random_cfg};
pub use walk::{
    Iterations, IterationsError, WalkMode, WalkOptions, WalkOptionsError, Walker, random_path,
};

/// The most blocks that a graph has, drawn or read.
pub const MAX_BLOCKS: u32 = 1 << 14;
