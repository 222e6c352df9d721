//! JVM class files from SYMLANG.
//!
//! This crate is the home of [`Backend`](pathsmith_core::backend::Backend)'s implementation for
//! the JVM. It knows how SYMLANG is spelled there and nothing about running it: that is the business
//! of `pathsmith-oracles`. What stands here so far is the contract it lowers under: the dialect, in
//! which arithmetic wraps and shift counts are taken modulo the width; division by zero and indices out of
//! bounds throw.

use pathsmith_core::semantics::Dialect;

/// The rules of definedness that programs for the JVM are made and checked under.
pub const DIALECT: Dialect = Dialect::Jvm;
