//! JVM class files from SYMLANG.

pub mod classfile;

use pathsmith_core::semantics::Dialect;

/// The rules of definedness that programs for the JVM are made and checked under.
pub const DIALECT: Dialect = Dialect::Jvm;
