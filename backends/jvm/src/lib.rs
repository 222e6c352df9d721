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
mod driver;
mod expr;
mod floats;
mod function;
mod globals;
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
use crate::program::Entry;

pub use artifact::{JvmCall, JvmClass, JvmClasses};
pub use choose::JvmStyle;
pub use driver::DriverStep;
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
        self.lower_with(program, options, Entry::Check)
    }
}

impl JvmBackend {
    /// Lowers a program to classes that need no host: the main class has a method `main` that makes
    /// calls, and throws an `AssertionError` with the first wrong result.
    ///
    /// # Errors
    /// As for [`Backend::lower`], and if there is no such call.
    pub fn stand_alone(
        &self,
        program: &Program,
        options: &JvmOptions,
        steps: &[DriverStep],
    ) -> Result<JvmClasses, LowerError> {
        let n_calls: usize = program.functions.iter().map(|it| it.realizations.len()).sum();
        if let Some(step) = steps.iter().find(|step| step.call >= n_calls) {
            let why = format!("there is no call {}, only {n_calls} of them", step.call);
            return Err(LowerError::Options(why));
        }
        self.lower_with(program, options, Entry::Main(steps))
    }

    fn lower_with(
        &self,
        program: &Program,
        options: &JvmOptions,
        entry: Entry<'_>,
    ) -> Result<JvmClasses, LowerError> {
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
        program::classes(program, options, calls, entry).map_err(
            |TooLarge { what, actual, limit }| LowerError::Limit {
                backend: self.name(),
                what,
                actual,
                limit,
            },
        )
    }
}

fn n_param_slots(function: &Function) -> usize {
    function.params().iter().map(|param| types::n_slots(param.ty.cell_ty().widened())).sum()
}
