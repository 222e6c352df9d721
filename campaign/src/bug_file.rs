//! Files that show a finding without anything of pathsmith's: what a maintainer is given.

use std::fmt;

use pathsmith_oracles::Verdict;
use serde::{Deserialize, Serialize};

/// What came of writing such a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bug {
    /// The file, if there is one that shows the finding and passed all checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<BugFile>,
    /// How it was checked (`right at -O0 with gcc`), or why there is none.
    pub note: String,
}

/// A self-contained file that shows a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BugFile {
    /// Its name: `bug.c`.
    pub name: String,
    /// What is in it.
    pub text: String,
    /// What the target does with it.
    pub verdict: Verdict,
    /// All flags that this takes.
    pub flags: Vec<String>,
    /// The line that shows it, where the file is: `gcc -O2 bug.c && ./a.out`.
    pub run: String,
    /// What happens then: `it aborts`.
    pub does: String,
    /// What is seen of that: `Aborted`.
    pub shows: String,
}

impl Bug {
    /// That no file shows the finding, and why.
    pub(crate) fn none(note: impl Into<String>) -> Self {
        Self { file: None, note: note.into() }
    }
}

/// What came of it, in one line.
impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{}: {}; {}", file.run, file.verdict, self.note),
            None => write!(f, "none: {}", self.note),
        }
    }
}
