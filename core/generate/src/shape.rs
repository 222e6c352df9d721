//! Drawing graphs and paths, reading them from files, and measuring them.
//!
//! - [`random_cfg`] draws a graph, [`random_path`] a path through it; a [`PathSampler`] draws many.
//! - [`parse_shapes`] reads graphs, with or without paths, from JSON lines: graphs of real
//!   programs, say. [`Shape::to_json_line`] writes them.
//! - [`ShapeStats`] tells what many graphs and paths are like.
//!
//! ```
//! use pathsmith_generate::shape::{GraphOptions, ShapeStats, WalkOptions, PathSampler, random_cfg};
//! use pathsmith_symlang::Seed;
//!
//! let mut rng = Seed::new(7).child("shape").rng();
//! let cfg = random_cfg(&GraphOptions { blocks: 8, ..GraphOptions::default() }, &mut rng);
//! assert_eq!(cfg.n_blocks(), 10);
//!
//! let sampler = PathSampler::new(&cfg);
//! let mut stats = ShapeStats::default();
//! stats.add_graph(&cfg, sampler.forest());
//! for _ in 0..100 {
//!     let path = sampler.path(&WalkOptions::default(), &mut rng);
//!     path.check(&cfg)?;
//!     stats.add_path(&cfg, sampler.forest(), &path);
//! }
//! assert_eq!(stats.n_paths(), 100);
//! # Ok::<(), pathsmith_symlang::graph::PathError>(())
//! ```

mod file;
mod knobs;
mod measure;
mod path_sampler;
mod random;

pub use file::{Shape, ShapeFileError, ShapeFileErrorKind, parse_line, parse_shapes, shapes};
pub use knobs::{ExecutionFirstKnobs, ShapeKnobs};
pub use measure::{Counts, ShapeStats};
pub use path_sampler::{
    Iterations, IterationsError, PathSampler, WalkMode, WalkOptions, WalkOptionsError, random_path,
};
pub use random::{GraphOptions, OptionsError, random_cfg};
