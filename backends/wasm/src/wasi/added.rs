//! Functions that are added to a module.

use wasm_encoder::ValType;

use crate::types::Code;

/// A function that is added.
pub(super) struct Added {
    pub(super) name: String,
    pub(super) params: Vec<ValType>,
    pub(super) results: Vec<ValType>,
    pub(super) locals: Vec<ValType>,
    /// Its instructions, to its `end`.
    pub(super) code: Code,
    /// The name that it is exported by.
    pub(super) export: Option<&'static str>,
}

impl Added {
    /// A function that takes and returns nothing.
    pub(super) fn procedure(name: String, code: Code) -> Self {
        let (params, results, locals) = (Vec::new(), Vec::new(), Vec::new());
        Self { name, params, results, locals, code, export: None }
    }
}
