//! The code of a function in the making, which several modules add to.

use pathsmith_symlang::lang::{Function, Program};

use crate::classfile::{CodeBuilder, Label, Local};
use crate::location::VarLocation;
use crate::options::FunctionOptions;
use crate::shared::Shared;

/// The code of a function in the making.
pub(crate) struct Body<'a, 's, 'c> {
    pub(crate) program: &'a Program,
    pub(crate) function: &'a Function,
    pub(crate) options: &'a FunctionOptions,
    pub(crate) shared: &'s mut Shared<'a>,
    pub(crate) code: CodeBuilder<'c>,
    /// Where each variable lives.
    pub(crate) locations: Vec<VarLocation>,
    /// Where each global lives.
    pub(crate) globals: Vec<VarLocation>,
    /// Where each block begins.
    pub(crate) blocks: Vec<Label>,
    /// What a switch on a long looks at.
    pub(crate) switched: Option<Local>,
}

/// What a static field is called that keeps a variable.
pub(crate) fn static_name(function: &Function, var: &str) -> String {
    format!("{}${var}", function.name)
}
