//! What sketches look like.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use pathsmith_symlang::knobs::KnobError;
use pathsmith_symlang::lang::IntTy;
use pathsmith_symlang::lang::limits::MAX_ARRAY_LEN;

pathsmith_symlang::knobs! {
    /// What sketches look like. The number of blocks is that of the graph; with it, `vars`,
    /// `assigns`, `terms_assign` and `terms_cond` are the size parameters of the REIFY paper.
    pub struct SketchOptions {
        /// The operators and forms that expressions may have.
        language: Language = Language::Full;
        /// Variables of a function, parameters included.
        vars: u32 = 8, in 1..=1000;
        /// Assignments of a block.
        assigns: u32 = 2, in 0..=1000;
        /// Terms of the value of an assignment.
        terms_assign: u32 = 2, in 1..=50;
        /// Terms of a condition.
        terms_cond: u32 = 3, in 1..=50;
        /// How deep terms nest.
        depth: u32 = 2, in 1..=6;
        /// Share of variables that are parameters.
        params: share = 0.5;
        /// Share of variables that are arrays.
        arrays: share = 0.15;
        /// Length of the longest array.
        array_len: u32 = 8, in 1..=MAX_ARRAY_LEN;
        /// The types of variables, each as likely as it is listed often.
        types: Vec<IntTy> = default_types();
        /// Most visits that a condition has to tell apart by itself if they change direction more
        /// than once; beyond that, the decisions are encoded in data.
        max_irregular_visits: u32 = 8, in 0..=1000;
        /// Share of functions with trees of intrinsics: `abs`, `cmp`, `mulh`, bit counts, saturation
        /// and the like, composed with each other, over few variables and 0, -1, 1 and the limits
        /// of types (a guess).
        intrinsics: share = 0.2;
        /// Share of the operands of such a function that become trees, but one at least (a guess).
        intrinsic_operands: share = 0.25;
        /// Share of functions with floating-point numbers, in the full language (a guess).
        float_share: share = 0.3;
    }
}

fn default_types() -> Vec<IntTy> {
    use IntTy::{I8, I16, I32, I64, U8, U16, U32, U64};
    vec![I32, I32, I32, U32, U32, I64, I64, U64, I8, U8, I16, U16]
}

/// A set of operators and forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// That of the REIFY paper: sums of terms `variable op constant` with `+ - * / %`.
    Paper,
    /// All of SYMLANG.
    Full,
}

impl SketchOptions {
    /// The language and the default size of the REIFY paper.
    pub fn paper() -> Self {
        Self { language: Language::Paper, types: vec![IntTy::I32], depth: 1, ..Self::default() }
    }

    /// Checks that the options describe sketches.
    ///
    /// # Errors
    /// The first option that does not make sense.
    pub fn validate(&self) -> Result<(), SketchOptionsError> {
        self.check_knobs()?;
        if self.types.is_empty() {
            return Err(SketchOptionsError::NoTypes);
        }
        Ok(())
    }
}

/// Why [`SketchOptions`] describe no sketches.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SketchOptionsError {
    /// A number or share is out of its bounds.
    #[error(transparent)]
    Knob(#[from] KnobError),
    /// There is no type to choose from.
    #[error("`types` is empty, but variables need at least one type")]
    NoTypes,
}
