//! What sketches look like.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::shape::OptionsError;
use pathsmith_symlang::lang::IntTy;
use pathsmith_symlang::lang::limits::MAX_ARRAY_LEN;

/// What sketches look like. The number of blocks is that of the graph; with it, `vars`,
/// `assigns`, `terms_assign` and `terms_cond` are the size parameters of the REIFY paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SketchOptions {
    /// The operators and forms that expressions may have.
    pub language: Language,
    /// How many variables a function has, parameters included.
    pub vars: u32,
    /// How many assignments a block has.
    pub assigns: u32,
    /// How many terms the value of an assignment has.
    pub terms_assign: u32,
    /// How many terms a condition has.
    pub terms_cond: u32,
    /// How deep terms nest.
    pub depth: u32,
    /// The share of variables that are parameters.
    pub params: f64,
    /// The share of variables that are arrays.
    pub arrays: f64,
    /// The length of the longest array.
    pub array_len: u32,
    /// The types of variables, each as likely as it is listed often.
    pub types: Vec<IntTy>,
    /// The most visits that a condition has to tell apart by itself when they change direction
    /// more than once; beyond that, the decisions are encoded in a variable.
    pub max_irregular_visits: u32,
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

impl Default for SketchOptions {
    fn default() -> Self {
        use IntTy::{I8, I16, I32, I64, U8, U16, U32, U64};
        Self {
            language: Language::Full,
            vars: 8,
            assigns: 2,
            terms_assign: 2,
            terms_cond: 3,
            depth: 2,
            params: 0.5,
            arrays: 0.15,
            array_len: 8,
            types: vec![I32, I32, I32, U32, U32, I64, I64, U64, I8, U8, I16, U16],
            max_irregular_visits: 8,
        }
    }
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
        let ranges = [
            ("vars", self.vars, 1, 1000),
            ("assigns", self.assigns, 0, 1000),
            ("terms_assign", self.terms_assign, 1, 50),
            ("terms_cond", self.terms_cond, 1, 50),
            ("depth", self.depth, 1, 6),
            ("array_len", self.array_len, 1, MAX_ARRAY_LEN),
            ("max_irregular_visits", self.max_irregular_visits, 0, 1000),
        ];
        for (field, value, low, high) in ranges {
            if !(low..=high).contains(&value) {
                return Err(OptionsError::Range { field, value, low, high }.into());
            }
        }
        for (field, value) in [("params", self.params), ("arrays", self.arrays)] {
            if !(0.0..=1.0).contains(&value) {
                return Err(OptionsError::Share { field, value }.into());
            }
        }
        if self.types.is_empty() {
            return Err(SketchOptionsError::NoTypes);
        }
        Ok(())
    }
}

/// Why [`SketchOptions`] describe no sketches.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SketchOptionsError {
    /// A number or share is out of its range.
    #[error(transparent)]
    Option(#[from] OptionsError),
    /// There is no type to choose from.
    #[error("`types` is empty, but variables need at least one type")]
    NoTypes,
}
