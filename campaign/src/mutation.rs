//! Variants in campaigns: which cases are variants, of which programs, and how each was made.

pub(crate) mod config;
pub(crate) mod corpus_source;
pub(crate) mod origin;
pub(crate) mod parents;
pub(crate) mod rename;
pub(crate) mod variant;
