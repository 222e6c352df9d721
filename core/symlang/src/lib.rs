//! SYMLANG: the language, its text, its graphs, and its meaning in three dialects.
//!
//! - [`graph`] has control-flow graphs, the paths through them and their loops.
//! - [`dialect`] has the hazards in which target languages differ, and what each makes of them.
//! - [`lang`] has types, operators, functions and programs; their text form; their rules.
//! - [`semantics`] has the one table of operator meaning, and the interpreter.
//! - [`knobs`](mod@knobs) has the macro that declares settings: what they mean, their defaults and
//!   their bounds.
//!
//! This crate knows no target language. It opens no file, starts no process, prints nothing and
//! keeps no global state; every random choice draws from an [`Rng`] that the caller passes in.

pub mod choose;
pub mod dialect;
pub mod graph;
mod ids;
pub mod knobs;
pub mod lang;
mod seed;
pub mod semantics;

pub use ids::{BlockId, ExprId, FuncId, GlobalId, HoleId, VarId};
pub use seed::{Rng, Seed};
