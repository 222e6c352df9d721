//! What one function was drawn to be: the values that all stages read.

use serde::{Deserialize, Serialize};

use crate::shape::ShapeKnobs;
use crate::sketch::ExprKnobs;
use crate::values::ValueKnobs;

/// What one function was drawn to be, stage by stage. A config and the policies that were selected
/// are resolved into this once; stages read it, and know neither.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Knobs {
    /// Its graph and its path.
    pub shape: ShapeKnobs,
    /// Its statements and expressions.
    pub expr: ExprKnobs,
    /// Its constants and inputs.
    pub value: ValueKnobs,
}
