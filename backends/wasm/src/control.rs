//! Control flow: from any graph to one that nests, and from that to blocks and loops.

mod graph;
mod nest;
mod split;
mod switch;

pub(crate) use graph::Graph;
pub(crate) use nest::emit_body;
