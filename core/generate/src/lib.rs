//! From a seed to programs whose paths and outputs are known: shape, sketch, solve, link.
//!
//! Each stage is a module with one entry function that takes the previous stage's value, options
//! and an RNG. The pipeline from a seed to a solved function or a whole program stands at the root
//! of the crate. Whatever is made is run by the interpreter before anyone sees it.

mod config;
mod knobs;
pub mod link;
mod observe;
mod pipeline;
pub mod policy;
mod realize;
pub mod sample;
pub mod shape;
pub mod sketch;
pub mod solve;
pub mod template;
pub mod values;

pub use config::{ConfigError, GenConfig};
pub use knobs::Knobs;
pub use observe::{Observation, ObserveOptions, ObserveOptionsError};
pub use pipeline::{
    Census, Counted, Leaf, LeafStats, ProgramError, SKETCH_VERSION, SketchFileError,
    SketchFileErrorKind, SketchedFunction, Unsolved, ValueKind, generate_leaf, generate_pool,
    generate_program, generate_sketch, parse_sketches, program_from_pool,
};
pub use realize::RealizeOptions;
pub use solve::SolveOptions;
