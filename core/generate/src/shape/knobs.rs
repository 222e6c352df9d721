//! What the graph and the path of one function look like.

use serde::{Deserialize, Serialize};

use super::{GraphOptions, WalkOptions};

/// What the graph and the path of one function look like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShapeKnobs {
    /// The graph.
    pub graph: GraphOptions,
    /// The path, if it is drawn.
    pub walk: WalkOptions,
    /// The path, if it is looked for by execution. If none is found, it is drawn.
    pub execution_first: Option<ExecutionFirstKnobs>,
}

/// What a path that is found by execution has to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecutionFirstKnobs {
    /// The fewest steps.
    pub min_len: u32,
    /// The most steps.
    pub max_len: u32,
    /// Whether some block has to be visited twice.
    pub needs_loop: bool,
    /// Whether some sum on the path has to overflow if its constant is added in another order.
    pub needs_order: bool,
}
