//! What a change of the generator or of a backend does to a range of seeds.
//!
//! A [`Side`] is a build of pathsmith, or what one has generated before. [`compare`] takes two of
//! them through the seeds of a [`Recipe`] and returns a [`Review`]: how many functions changed in
//! each form, in what, and the differences themselves. [`text`] and [`page`] show it.

mod classify;
mod compare;
mod error;
mod output;
mod page;
mod recipe;
mod request;
mod save;
mod saved;
mod seeds;
mod side;
mod text;

pub use classify::Aspect;
pub use compare::{Change, Difference, Form, Review, Tally, compare};
pub use error::ReviewError;
pub use output::Output;
pub use page::page;
pub use recipe::{GenSettings, Lowering, Recipe, SeedRange};
pub use request::Request;
pub use save::save;
pub use saved::SavedOutput;
pub use side::Side;
pub use text::text;
