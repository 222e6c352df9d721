//! The bug trackers that bug reports are written for.

use super::model::Cluster;

/// A bug tracker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracker {
    /// GCC's Bugzilla, which shows plain text.
    Gcc,
    /// LLVM's issues on GitHub.
    Llvm,
    /// wasmtime's issues on GitHub.
    Wasmtime,
    /// wasmi's issues on GitHub.
    Wasmi,
    /// V8's issue tracker.
    V8,
    /// OpenJDK's bug system, which shows plain text.
    OpenJdk,
    /// Of a target that we know nothing of.
    Other,
}

impl Tracker {
    /// Where the bug of a cluster is reported.
    pub fn of(cluster: &Cluster) -> Self {
        match &cluster.kind[..] {
            "gcc" => Self::Gcc,
            "clang" => Self::Llvm,
            "wasmtime" => Self::Wasmtime,
            "wasmi" => Self::Wasmi,
            "node" => Self::V8,
            "java" => Self::OpenJdk,
            _ => Self::Other,
        }
    }

    /// Where bugs are reported, for people.
    pub const fn place(self) -> Option<&'static str> {
        match self {
            Self::Gcc => Some("gcc.gnu.org/bugzilla"),
            Self::Llvm => Some("github.com/llvm/llvm-project/issues"),
            Self::Wasmtime => Some("github.com/bytecodealliance/wasmtime/issues"),
            Self::Wasmi => Some("github.com/wasmi-labs/wasmi/issues"),
            Self::V8 => Some("issues.chromium.org, component Blink>JavaScript>WebAssembly"),
            Self::OpenJdk => Some("bugreport.java.com"),
            Self::Other => None,
        }
    }
}
