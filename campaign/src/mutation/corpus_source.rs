//! Programs of the corpus that the user has given.

use pathsmith_mutate::CorpusEntry;
use serde::{Deserialize, Serialize};

/// A program that the user has given, as a campaign keeps it: whatever becomes of the file, the
/// campaign can be resumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorpusSource {
    /// Its name in the corpus.
    pub name: String,
    /// The file, as messages name it.
    pub file: String,
    /// Its text.
    pub text: String,
}

impl From<&CorpusEntry> for CorpusSource {
    fn from(entry: &CorpusEntry) -> Self {
        let CorpusEntry { name, origin, text, program: _ } = entry;
        Self { name: name.clone(), file: origin.to_string(), text: text.clone() }
    }
}
