//! Files that show a finding without anything of pathsmith's: what a maintainer is given.

use std::fmt;

use pathsmith_oracles::Verdict;
use pathsmith_symlang::lang::{Realization, Scalar};
use serde::{Deserialize, Serialize};

use crate::folder_file::File;

/// What came of writing such a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bug {
    /// The file, if there is one that shows the finding and passed all checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<BugFile>,
    /// How it was checked (`right at -O0 with gcc`), or why there is none.
    pub note: String,
    /// What maintainers of C compilers ask about first, if the file is C.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scrutiny: Option<Scrutiny>,
}

/// What a C compiler makes of a file when it is asked what makes maintainers doubt the code: its
/// warnings, and flags that define what the standard leaves undefined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scrutiny {
    /// The warnings that `-Wall -Wextra` adds, one line each.
    pub warnings: Vec<String>,
    /// Whether a sanitizer for undefined behaviour was run, and was silent.
    pub is_clean: bool,
    /// Flags with which it does not show.
    pub hiding: Vec<String>,
    /// Flags with which it shows all the same.
    pub showing: Vec<String>,
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
    /// The call whose result it checks, if it aborts or traps because that is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<CheckedCall>,
    /// What is beside it, for targets that do not read text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub binaries: Vec<Binary>,
}

/// A call, and what it has to return.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedCall {
    /// The call, as the file names it: `f(1, 2)`.
    pub call: String,
    /// What it has to return.
    pub expected: String,
}

impl CheckedCall {
    /// A realization of a function that is called `name` in the file.
    pub(crate) fn new(name: &str, realization: &Realization) -> Self {
        let args: Vec<String> = realization.args.iter().map(Scalar::to_string).collect();
        let call = format!("{name}({})", args.join(", "));
        Self { call, expected: realization.ending.to_string() }
    }
}

/// A file that is not text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binary {
    /// Its name: `Bug.class`.
    pub name: String,
    /// What is in it, two hexadecimal digits for each byte.
    hex: String,
}

impl Binary {
    /// A file with these bytes.
    pub(crate) fn new(name: impl Into<String>, bytes: &[u8]) -> Self {
        let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { name: name.into(), hex }
    }

    /// What is in it; nothing if somebody has changed the digits into something else.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let digits: Option<Vec<u8>> =
            self.hex.chars().map(|digit| digit.to_digit(16).map(|digit| digit as u8)).collect();
        let digits = digits.unwrap_or_default();
        digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
    }
}

impl BugFile {
    /// What is written to a finding's folder.
    pub(crate) fn files(&self) -> Vec<File> {
        let binary =
            |it: &Binary| File { name: it.name.clone(), bytes: it.bytes(), is_script: false };
        let text = File::text(&self.name, self.text.clone());
        std::iter::once(text).chain(self.binaries.iter().map(binary)).collect()
    }
}

impl Bug {
    /// That no file shows the finding, and why.
    pub(crate) fn none(note: impl Into<String>) -> Self {
        Self { file: None, note: note.into(), scrutiny: None }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive() {
        let bytes: Vec<u8> = (0..=255).collect();
        let binary = Binary::new("Bug.class", &bytes);
        let text = serde_json::to_string(&binary).unwrap();
        let read: Binary = serde_json::from_str(&text).unwrap();
        assert_eq!(read.bytes(), bytes);
        let other = Binary { hex: "c\u{e4}".to_owned(), ..read };
        assert_eq!(other.bytes(), b"");
    }
}
