//! The bug reports that programs are distilled from: `gcc 119690: what went wrong`.

use std::fmt;

/// A bug report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Where it was reported.
    pub tracker: Tracker,
    /// Its number there.
    pub number: u64,
    /// What went wrong, in a line.
    pub about: String,
}

/// A bug tracker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tracker {
    /// GCC's Bugzilla.
    Gcc,
    /// LLVM's issues on GitHub.
    Llvm,
    /// LLVM's Bugzilla, before the issues moved to GitHub.
    LlvmPr,
    /// OpenJDK's bug system.
    OpenJdk,
    /// V8's tracker, before it was merged with Chromium's.
    V8,
    /// Chromium's tracker, which V8 uses.
    Chromium,
    /// The issues of wasmtime, which Cranelift and Winch are part of.
    Wasmtime,
    /// The issues of wasmi.
    Wasmi,
    /// The issues of WABT.
    Wabt,
}

impl Tracker {
    /// All trackers.
    pub const ALL: [Self; 9] = [
        Self::Gcc,
        Self::Llvm,
        Self::LlvmPr,
        Self::OpenJdk,
        Self::V8,
        Self::Chromium,
        Self::Wasmtime,
        Self::Wasmi,
        Self::Wabt,
    ];

    /// The name that programs use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gcc => "gcc",
            Self::Llvm => "llvm",
            Self::LlvmPr => "llvm-pr",
            Self::OpenJdk => "openjdk",
            Self::V8 => "v8",
            Self::Chromium => "chromium",
            Self::Wasmtime => "wasmtime",
            Self::Wasmi => "wasmi",
            Self::Wabt => "wabt",
        }
    }
}

impl Report {
    /// Reads a line of a program's documentation. None if it names no report.
    pub fn parse(line: &str) -> Option<Self> {
        let (source, about) = line.split_once(": ")?;
        let (tracker, number) = source.split_once(' ')?;
        let tracker = Tracker::ALL.into_iter().find(|known| known.name() == tracker)?;
        Some(Self { tracker, number: number.parse().ok()?, about: about.trim().to_owned() })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.tracker.name(), self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_reports_or_nothing() {
        let report = Report::parse("gcc 119690: a sum is off by one").unwrap();
        assert_eq!((report.tracker, report.number), (Tracker::Gcc, 119_690));
        assert_eq!(report.about, "a sum is off by one");
        assert_eq!(report.to_string(), "gcc 119690");
        for line in ["gcc: 3", "gcc x: y", "icc 3: y", "gcc 3", "mutated: guard", ""] {
            assert_eq!(Report::parse(line), None, "{line}");
        }
    }
}
