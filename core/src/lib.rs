//! SYMLANG: the language, its meaning in three dialects, its graphs and paths.
//!
//! This crate knows no target language. It opens no file, starts no process, prints nothing and
//! keeps no global state; every random choice draws from an [`Rng`] that the caller passes in.

pub mod backend;
pub mod choose;
pub mod draw;
pub mod generate;
mod ids;
pub mod lang;
pub mod link;
pub mod policy;
pub mod reduce;
pub mod sample;
mod seed;
pub mod semantics;
pub mod shape;
pub mod sketch;
pub mod solve;

pub use ids::{BlockId, ExprId, FuncId, GlobalId, HoleId, VarId};
pub use seed::{Rng, Seed};
