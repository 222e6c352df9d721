//! Distributions of values that a function can have of its own: base constants, kinds of constants,
//! constants for which the order of a sum matters, and values that break rules.

mod base;
mod constants;
mod knobs;
mod order;
mod relaxations;

pub use base::{Base, BaseError};
pub use constants::Constants;
pub use knobs::{BoundaryKnobs, ValueKnobs};
pub(crate) use order::choose_order_constant;
pub use relaxations::Relaxations;
