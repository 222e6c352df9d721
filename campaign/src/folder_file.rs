//! A file of a finding's folder.

/// A file of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// Whether it can be run.
    pub is_script: bool,
}

impl File {
    /// A file of text.
    pub fn text(name: &str, text: String) -> Self {
        Self { name: name.to_owned(), bytes: text.into_bytes(), is_script: false }
    }
}
