//! C17 for gcc and clang on x86-64 from SYMLANG.
//!
//! This crate is the home of [`Backend`](pathsmith_core::backend::Backend)'s implementation for
//! C. It knows how SYMLANG is spelled there and nothing about running it: that is the business
//! of `pathsmith-oracles`. What stands here so far is the contract it lowers under: the dialect, in
//! which signed overflow, shifts out of range, division by zero, indices out of bounds and the count builtins
//! on zero are all undefined.

use pathsmith_core::semantics::Dialect;

/// The rules of definedness that programs for C are made and checked under.
pub const DIALECT: Dialect = Dialect::C;
