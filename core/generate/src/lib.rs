//! From a seed to programs whose paths and outputs are known: shape, sketch, solve, link.
//!
//! Each stage is a module with one entry function that takes the previous stage's value, options
//! and an RNG. The pipeline from a seed to a solved function or a whole program stands at the root
//! of the crate. Whatever is made is run by the interpreter before anyone sees it.

pub mod link;
mod pipeline;
pub mod policy;
pub mod sample;
pub mod shape;
pub mod sketch;
pub mod solve;

pub use pipeline::{
    Census, ConfigError, Counted, GenConfig, Leaf, LeafStats, ProgramError, RealizeOptions,
    SolveOptions, Unsolved, ValueKind, generate_leaf, generate_pool, generate_program,
    program_from_pool,
};
