//! The target families: each brings a backend and an oracle together.

mod c;
mod jvm;
#[cfg(test)]
mod scripts;
mod wasm;

pub(crate) use c::bug_of_c_program;
pub use c::{CCompilers, CMode};
pub use jvm::Jvms;
pub use wasm::WasmEngines;
