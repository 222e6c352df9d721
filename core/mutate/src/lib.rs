//! Variants of programs whose outputs are known.
//!
//! A transform edits a program, guided by its [`ValueProfile`]: every state that the realizations
//! were seen in, at every program point. The interpreter then runs all realizations of the edited
//! program, so that a variant which claims to be equivalent is known to be, on these realizations.
//! [`TRANSFORMS`] lists the transforms; [`Mutator`] applies them. A [`Corpus`] has programs to begin
//! with.
//!
//! The crate knows no target, and nothing of how programs are generated.
//!
//! ```
//! use pathsmith_mutate::{Mutator, Sizes, TRANSFORMS};
//! use pathsmith_symlang::Seed;
//! use pathsmith_symlang::lang::text::parse;
//! use pathsmith_symlang::semantics::Limits;
//!
//! let program = parse("double", "
//!     dialect c;
//!     fn double(x: i32) -> i32 { entry: return x + x; }
//!     realize double(21) = 42 via entry;
//! ").unwrap();
//! let mutator = Mutator::new(&program, Limits::default());
//! let variant = mutator.apply(&TRANSFORMS[0], &Sizes::default(), None, &mut Seed::new(1).rng()).unwrap();
//! assert_ne!(variant, program);
//! assert_eq!(variant.functions[0].realizations[0].ending, program.functions[0].realizations[0].ending);
//! ```

#![deny(missing_docs, missing_debug_implementations)]

mod config;
mod corpus;
mod edits;
mod identities;
mod inputs;
mod lineage;
mod mutator;
mod profile;
mod sites;
mod sizes;
mod splice;
mod subject;
mod synth;
mod transforms;
mod values;
mod weights;

pub use config::{MutateConfig, MutateConfigError};
pub use corpus::{
    Corpus, CorpusEntry, CorpusError, CorpusText, Origin, Report, Tracker, Unusable, Usable,
};
pub use lineage::{Lineage, Step};
pub use mutator::{Mutator, Rejections, Replayed, Variant};
pub use pathsmith_edit::Rejected;
pub use profile::{Point, States, ValueProfile};
pub use sizes::Sizes;
pub use subject::Subject;
pub use transforms::{Donor, Mutation, TRANSFORMS, named};
pub use weights::{Weights, WeightsError};
