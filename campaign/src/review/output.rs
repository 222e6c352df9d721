//! What there is to compare of a seed.

use pathsmith_oracles::Product;
use pathsmith_symlang::dialect::Dialect;

/// What a side has for a seed in a dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The function or program in SYMLANG, or why it is unsolved.
    pub program: Product<String>,
    /// The lowering options, as JSON.
    pub options: String,
    /// What it is lowered to, or why it is not.
    pub code: Product<String>,
}

/// The format that programs of a dialect are lowered to.
pub(super) const fn format_of(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::C => "c",
        Dialect::Wasm => "wat",
        Dialect::Jvm => "jasm",
    }
}
