//! What all backends share, and what a new one has to implement.
//!
//! A backend turns a SYMLANG program into an artifact of a target language: C source, a
//! WebAssembly module, class files. It is a crate of its own under `backends/` and consists of
//!
//! - an implementation of [`Backend`], which lowers a program with given options;
//! - its options, a struct for which [`ProgramOptions`] says where the options of functions
//!   ([`PerFunction`]) and of variables ([`PerVar`]) are, and what contradicts what. The
//!   traits bring defaults for whatever is left out, checks against the program, and what reduction
//!   needs: options of a part of the program, and of an edited program;
//! - its [`Style`], a struct of knobs that draws options from a seed. It is declared with
//!   [`knobs!`](pathsmith_symlang::knobs!), so that each knob stands in one place.
//!
//! For lowering itself there are [`Nesting`], on which structured control flow is built,
//! and [`DenseTable`] for switches. [`check_lowerable`] and [`check_limit`] say why a program
//! cannot be lowered. An oracle that runs the artifacts belongs into `pathsmith-oracles`, and what
//! brings the two together into `pathsmith-campaign`: nothing here knows how to run anything.

mod backend;
mod choose;
mod error;
mod lowerable;
mod nesting;
mod options;
mod realizations;
mod switch;
mod watch;

pub use backend::Backend;
pub use choose::{
    FunctionOf, GlobalOf, Style, choose_among, choose_n_visible, choose_storage, choose_vars,
};
pub use error::{LowerError, check_limit};
pub use lowerable::check_lowerable;
pub use nesting::Nesting;
pub use options::{
    FunctionContext, FunctionIn, NoChoice, PerFunction, PerVar, ProgramOptions, by_name,
};
pub use realizations::expected_output;
pub use switch::DenseTable;
pub use watch::{assigned_scalar, choose_watched, moved_vars};
