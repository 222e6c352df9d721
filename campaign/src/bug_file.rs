//! Files that show a finding without anything of pathsmith's: what a maintainer is given.

use pathsmith_oracles::Verdict;
use serde::{Deserialize, Serialize};

/// What came of writing such a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bug {
    /// The file, if there is one that shows the finding and passed all checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<BugFile>,
    /// How it was checked, or why there is none, in one sentence.
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
    /// The flags that this takes.
    pub flags: Vec<String>,
}

impl Bug {
    /// That no file shows the finding, and why.
    pub(crate) fn none(note: impl Into<String>) -> Self {
        Self { file: None, note: note.into() }
    }
}
