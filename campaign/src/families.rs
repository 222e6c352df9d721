//! The target families: each brings a backend and an oracle together.

mod c;
mod jvm;
#[cfg(test)]
mod scripts;
mod wasm;

pub use c::{CCompilers, CMode, bug_of_program};
pub use jvm::Jvms;
pub use wasm::WasmEngines;
