//! WebAssembly modules from SYMLANG.
//!
//! [`WasmBackend`] lowers a program to a [`WasmModule`] that exports its functions.
//! [`WasmOptions`] says how, and [`WasmStyle`] draws those options from a seed. Nothing here knows
//! how to run a module: that is the business of `pathsmith-oracles`. Arithmetic wraps, shift counts
//! are taken modulo the width, and divisions that have no result trap, in SYMLANG's dialect as in
//! WebAssembly, so an operator is an instruction if there is one.
//!
//! ```
//! use pathsmith_backend_wasm::{WasmBackend, WasmOptions};
//! use pathsmith_backend::Backend;
//! use pathsmith_symlang::lang::text::parse;
//!
//! let text = "fn f1(a: i32) -> i32 { entry: a = a + 1; return a; } realize f1(4) = 5 via entry;";
//! let program = parse("example", text).expect("a valid program");
//! let module = WasmBackend.lower(&program, &WasmOptions::default())?;
//! assert_eq!(module.tests, [("f1".to_owned(), 1)]);
//! assert!(module.wat().expect("a module").contains("i32.add"));
//! # Ok::<(), pathsmith_backend::LowerError>(())
//! ```

mod calls;
mod checksum;
mod choose;
mod control;
mod crc32;
mod expr;
mod floats;
mod function;
mod helpers;
mod idioms;
mod layout;
mod module;
mod options;
mod types;
mod wasi;

use pathsmith_backend::{Backend, LowerError, ProgramOptions, check_lowerable};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::Program;

pub use choose::WasmStyle;
pub use module::{SourceRange, WasmCall, WasmModule, WasmValue, WatError};
pub use options::{
    Base, CallKind, Checksum, Conditions, Control, Floats, FunctionOptions, GlobalStorage,
    Intrinsics, Narrowing, Returns, Saturation, Selects, Storage, WasmOptions,
};
pub use wasi::{LooksAt, WasiChecks, WasiError, WasiStatus};

/// The dialect of programs for WebAssembly: it says what traps and what is undefined behaviour.
pub const DIALECT: Dialect = Dialect::Wasm;

const NAME: &str = "wasm";

/// Lowers programs to WebAssembly.
#[derive(Clone, Copy, Debug, Default)]
pub struct WasmBackend;

impl Backend for WasmBackend {
    type Options = WasmOptions;
    type Artifact = WasmModule;

    fn name(&self) -> &'static str {
        NAME
    }

    fn dialect(&self) -> Dialect {
        DIALECT
    }

    fn lower(&self, program: &Program, options: &WasmOptions) -> Result<WasmModule, LowerError> {
        check_lowerable(program, NAME, DIALECT)?;
        options.check(program)?;
        module::module(program, options)
    }
}
