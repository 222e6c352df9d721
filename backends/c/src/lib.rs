//! C17 for gcc and clang on x86-64 from SYMLANG.
//!
//! [`CBackend`] lowers a program to [`CSource`]: one or more files with its functions, all their
//! realizations (test vectors), and a `main` that runs every one of them and reports which returned
//! a wrong result. [`COptions`] says how, and [`CStyle`] draws those options from a seed. Nothing
//! here knows how to run a compiler: that is the business of `pathsmith-oracles`.
//!
//! ```
//! use pathsmith_backend_c::{CBackend, COptions};
//! use pathsmith_backend::Backend;
//! use pathsmith_symlang::lang::text::parse;
//!
//! let text = "fn f1(a: i32) -> i32 { entry: a = a + 1; return a; } realize f1(4) = 5 via entry;";
//! let program = parse("example", text).expect("a valid program");
//! let source = CBackend.lower(&program, &COptions::default())?;
//! assert!(source.files[0].text.contains("int32_t f1(int32_t a)"));
//! # Ok::<(), pathsmith_backend::LowerError>(())
//! ```

mod adjust;
mod call_limit;
mod checked;
mod choose;
mod constant;
mod control;
mod expr;
mod floats;
mod function;
mod helpers;
mod idioms;
mod initial;
mod names;
mod options;
mod plain;
mod source;
mod types;
mod visits;

use pathsmith_backend::{Backend, LowerError, ProgramOptions, check_limit, check_lowerable};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::Program;

pub use choose::CStyle;
pub use options::{
    AbsForm, BitrevForm, BitsForm, COptions, CallKind, Checked, CmpForm, Control, ConversionForm,
    FileLayout, FloatForms, Form, FunctionOptions, Idioms, Inputs, Intrinsics, Linkage, MinMaxForm,
    MulhForm, Placement, RoundingForm, SaturationForm, SignForm, Storage, Watch,
};
pub use plain::{Arguments, Arrangement, Initialised, LeftCell, PlainMain, PlainOptions, plain_c};
pub use source::{CExpected, CFile, CSource, CTest};

/// The dialect of programs for C: it says what is undefined behaviour.
pub const DIALECT: Dialect = Dialect::C;

/// The most parameters that the harness passes on.
const MAX_PARAMS: usize = 256;

/// Lowers programs to C.
#[derive(Clone, Copy, Debug, Default)]
pub struct CBackend;

impl Backend for CBackend {
    type Options = COptions;
    type Artifact = CSource;

    fn name(&self) -> &'static str {
        "c"
    }

    fn dialect(&self) -> Dialect {
        DIALECT
    }

    fn lower(&self, program: &Program, options: &COptions) -> Result<CSource, LowerError> {
        check_lowerable(program, self.name(), DIALECT)?;
        options.check(program)?;
        for function in &program.functions {
            let what = || format!("the number of parameters of {}", function.name);
            check_limit(self.name(), what, function.params().len(), MAX_PARAMS)?;
        }
        let options = adjust::adjusted(program, options, self.name())?;
        source::source(program, &options)
    }
}
