//! What the solver is told of the values that a function is to have.

use crate::knobs::Knobs;
use crate::sketch::Sketch;
use crate::solve::ValuePolicy;

/// Which values a sketch is to have.
pub(super) fn value_policy<'a>(knobs: &'a Knobs, sketch: &'a Sketch) -> ValuePolicy<'a> {
    ValuePolicy { knobs: &knobs.value, strides: &sketch.strides, updated: &sketch.updated }
}
