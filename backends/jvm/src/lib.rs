//! JVM class files from SYMLANG.
//!
//! [`JvmBackend`] lowers a program to [`JvmClasses`]: its functions as static methods of one or
//! more classes, and a main class with a method that calls any of them repeatedly and reports the
//! first wrong result. [`JvmOptions`] says how, and [`JvmStyle`] draws those options from a seed.
//! Nothing here knows how to run a JVM: that is the business of `pathsmith-oracles`.
//!
//! ```
//! use pathsmith_backend_jvm::{JvmBackend, JvmOptions};
//! use pathsmith_backend::Backend;
//! use pathsmith_symlang::lang::text::parse;
//!
//! let text = "fn f1(a: i32) -> i32 { entry: a = a + 1; return a; } realize f1(4) = 5 via entry;";
//! let program = parse("example", text).expect("a valid program");
//! let classes = JvmBackend.lower(&program, &JvmOptions::default())?;
//! assert_eq!(classes.classes[0].name, "Program");
//! # Ok::<(), pathsmith_backend::LowerError>(())
//! ```

mod artifact;
mod body;
mod choose;
pub mod classfile;
mod control;
mod expr;
mod function;
mod helpers;
mod invoke;
mod location;
mod options;
mod places;
mod program;
mod receiver;
mod shared;
mod types;

use pathsmith_backend::{Backend, LowerError, ProgramOptions, check_limit, check_lowerable};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::{Function, Program};

use crate::classfile::TooLarge;

pub use artifact::{JvmCall, JvmClass, JvmClasses};
pub use choose::JvmStyle;
pub use options::{
    CallKind, Checksum, ClassLayout, FunctionOptions, Intrinsics, JvmOptions, LongSwitches,
    Storage, Switches,
};

/// The dialect of programs for the JVM: it says what throws an exception.
pub const DIALECT: Dialect = Dialect::Jvm;

/// The most ints that can be passed to a method; a long counts as two.
const MAX_PARAM_SLOTS: usize = 255;

/// Lowers programs to class files.
#[derive(Clone, Copy, Debug, Default)]
pub struct JvmBackend;

impl Backend for JvmBackend {
    type Options = JvmOptions;
    type Artifact = JvmClasses;

    fn name(&self) -> &'static str {
        "jvm"
    }

    fn dialect(&self) -> Dialect {
        DIALECT
    }

    fn lower(&self, program: &Program, options: &JvmOptions) -> Result<JvmClasses, LowerError> {
        check_lowerable(program, self.name(), DIALECT)?;
        options.check(program)?;
        for (id, function) in program.functions_with_ids() {
            // The object that a method is called on counts too.
            let on_object = options.function(id).call != CallKind::Static;
            let actual = n_param_slots(function) + usize::from(on_object);
            let what = || format!("the size of the parameters of {}", function.name);
            check_limit(self.name(), what, actual, MAX_PARAM_SLOTS)?;
        }
        let calls = artifact::calls(program)?;
        program::classes(program, options, calls).map_err(|TooLarge { what, actual, limit }| {
            LowerError::Limit { backend: self.name(), what, actual, limit }
        })
    }
}

fn n_param_slots(function: &Function) -> usize {
    function.params().iter().map(|param| types::n_slots(param.ty.cell_ty().widened())).sum()
}
