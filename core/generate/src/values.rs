//! Distributions of values that a function can have of its own: base constants, kinds of constants,
//! constants for which the order of a sum matters, floating-point numbers, and values that break
//! rules.

mod base;
mod constants;
mod floats;
mod knobs;
mod order;
mod relaxations;

pub use base::{Base, BaseError};
pub use constants::Constants;
pub use floats::FloatValues;
pub(crate) use floats::{number_at, place_of};
pub use knobs::{BoundaryKnobs, ValueKnobs};
pub(crate) use order::choose_order_constant;
pub use relaxations::Relaxations;
