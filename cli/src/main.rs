//! The pathsmith binary.
fn main() {}
