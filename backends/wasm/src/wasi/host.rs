//! What a rewritten module may ask of whatever runs it.

/// What runs a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Host {
    /// A host that has WASI. Functions are exported as they were.
    Wasi,
    /// Any host. Of the functions, only those that are added are exported.
    Any,
}

impl Host {
    /// How many functions of the host's the module imports.
    pub(super) const fn n_imports(self) -> u32 {
        match self {
            Self::Wasi => 1,
            Self::Any => 0,
        }
    }
}

/// The number of the only import.
pub(super) const PROC_EXIT: u32 = 0;
