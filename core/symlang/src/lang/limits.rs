//! How large a program may be. Whatever keeps within these is handled in bounded time and memory.

/// The largest source text, in bytes.
pub const MAX_SOURCE: usize = 16 << 20;
/// How deep expressions may nest; a chain of `+` nests as deep as it is long.
pub const MAX_EXPR_DEPTH: usize = 256;
/// The longest array.
pub const MAX_ARRAY_LEN: u32 = 1 << 16;
/// How many values the variables of a program may hold in all.
pub const MAX_CELLS: usize = 1 << 20;
/// How many blocks a function may have.
pub const MAX_BLOCKS: usize = crate::graph::MAX_BLOCKS as usize;
/// One more than the largest number of a hole.
pub const MAX_HOLES: u32 = 1 << 20;
/// How many steps the paths of a program may have in all.
pub const MAX_STEPS: usize = 1 << 24;
