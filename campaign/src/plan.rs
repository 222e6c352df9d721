//! How the cases of a batch are made.

use pathsmith_generate::GenConfig;

use crate::mutation::config::MutationConfig;
use crate::mutation::parents::Parents;

/// How the cases of a batch are made.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// How functions are generated.
    pub generate: GenConfig,
    /// Which cases are variants, and how they are made.
    pub mutate: MutationConfig,
    /// What variants are made of.
    pub parents: Parents,
}
