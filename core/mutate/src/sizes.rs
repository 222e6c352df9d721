//! How large what transforms add is.

pathsmith_symlang::knobs! {
    /// How large what transforms add is. All defaults are guesses.
    #[derive(Eq)]
    pub struct Sizes {
        /// How deep conditions nest, which always hold or never do.
        predicate_depth: u32 = 2, in 0..=6;
        /// How deep other expressions nest.
        expr_depth: u32 = 2, in 0..=6;
        /// How many identities are applied to an expression, each to a part of the last result.
        identity_depth: u32 = 3, in 1..=32;
        /// How many blocks a region that is copied or outlined has at most.
        region: u32 = 5, in 1..=64;
        /// How many statements a block that never runs has at most.
        dead_stmts: u32 = 3, in 1..=32;
        /// How many variables live code changes at most.
        live_vars: u32 = 3, in 1..=16;
        /// How many copies of a loop's body unrolling adds at most.
        unroll: u32 = 3, in 1..=16;
    }
}
