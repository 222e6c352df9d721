//! WebAssembly modules from SYMLANG.
//!
//! This crate is the home of [`Backend`](pathsmith_core::backend::Backend)'s implementation for
//! WebAssembly. It knows how SYMLANG is spelled there and nothing about running it: that is the business
//! of `pathsmith-oracles`. What stands here so far is the contract it lowers under: the dialect, in
//! which arithmetic wraps and shift counts are taken modulo the width; divisions that have no result trap.

use pathsmith_core::semantics::Dialect;

/// The rules of definedness that programs for WebAssembly are made and checked under.
pub const DIALECT: Dialect = Dialect::Wasm;
