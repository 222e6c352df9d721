//! From a seed to solved functions: shape, sketch, solve, and further realizations; and to whole
//! programs of them.

mod census;
mod crash_only;
mod execution_first;
mod measure;
mod program;
mod saved;
mod sketched;
mod templated;
mod value_policy;

pub use census::{Census, Counted, ValueKind};
use crash_only::break_rules;
pub use measure::LeafStats;
pub use program::{ProgramError, generate_pool, generate_program, program_from_pool};
pub use saved::{SKETCH_VERSION, SketchFileError, SketchFileErrorKind, parse_sketches};
pub use sketched::{SketchedFunction, generate_sketch};

use crate::config::GenConfig;
use crate::observe::Observation;
use crate::policy::{Policy, Theme};
use crate::solve::GiveUp;
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::Program;

/// A solved function, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The function, alone in its program, with all its realizations; the first takes the path
    /// that was asked for. There are none if it is made to crash compilers only.
    pub program: Program,
    /// Its theme, if it has one.
    pub theme: Option<Theme>,
    /// The policies that it was made by.
    pub policies: Vec<Policy>,
    /// What is observed of it.
    pub observation: Observation,
    /// The templates that it is made of.
    pub templates: Vec<String>,
    /// The templates that it was to be made of, and that no defined instance was found of.
    pub unsolved_templates: Vec<String>,
    /// How many terminators have to lead to several blocks.
    pub n_two_way: usize,
    /// How many of them have encoded decisions.
    pub n_encoded: usize,
}

/// Why there is no function: the path that was asked for, and where solving it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsolved {
    /// The sketch; filled, if the interpreter did not agree with what was found.
    pub program: Program,
    /// The path.
    pub path: Path,
    /// Where and why it was given up.
    pub gave_up: GiveUp,
}

/// Makes function number `number` of `seed`. The path is drawn once, and never exchanged for an
/// easier one.
///
/// # Errors
/// If solving was given up.
pub fn generate_leaf(
    config: &GenConfig,
    dialect: Dialect,
    seed: Seed,
    number: u64,
) -> Result<Leaf, Box<Unsolved>> {
    generate_sketch(config, dialect, seed, number).solve()
}
