//! Corpora that users keep: folders of programs in text form.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pathsmith_mutate::{Corpus, CorpusError, CorpusText};
use pathsmith_symlang::lang::limits::MAX_SOURCE;
use thiserror::Error;

use crate::files::read_text;

/// Why a folder gives no corpus.
#[derive(Debug, Error)]
pub enum CorpusFolderError {
    /// It, or a file in it, cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// Why it cannot be read.
        #[source]
        source: io::Error,
    },
    /// It has no program.
    #[error("{}: expected programs in files *.sym, but there are none", .0.display())]
    Empty(PathBuf),
    /// A program is malformed.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
}

/// Reads all files `*.sym` of a folder, in the order of their names. A program is called what its
/// file is called without the extension.
///
/// # Errors
/// If something cannot be read, a program is malformed, or there is none.
pub fn read_corpus_folder(folder: &Path) -> Result<Corpus, CorpusFolderError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| CorpusFolderError::Io { path, source }
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let path = entry.map_err(failed(folder))?.path();
        if path.extension().is_some_and(|extension| extension == "sym") && path.is_file() {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(CorpusFolderError::Empty(folder.to_owned()));
    }
    files.sort();
    let read = |path: &PathBuf| {
        let text = read_text(path, MAX_SOURCE as u64).map_err(failed(path))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(CorpusText { name, file: path.display().to_string(), text })
    };
    let texts = files.iter().map(read).collect::<Result<Vec<_>, CorpusFolderError>>()?;
    Ok(Corpus::from_texts(texts)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "fn f(a: i32) -> i32 { entry: return a; }";

    #[test]
    fn programs_are_read_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.sym", "a.sym", "notes.txt"] {
            fs::write(folder.path().join(name), PROGRAM).unwrap();
        }
        let corpus = read_corpus_folder(folder.path()).unwrap();
        let names: Vec<&str> = corpus.entries().iter().map(|entry| &entry.name[..]).collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn what_is_no_corpus_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let error = || read_corpus_folder(folder.path()).unwrap_err().to_string();
        assert!(error().ends_with("expected programs in files *.sym, but there are none"));
        fs::write(folder.path().join("a.sym"), [0xff]).unwrap();
        assert!(error().ends_with("a.sym: it is not UTF-8 text"), "{}", error());
        fs::write(folder.path().join("a.sym"), "fn").unwrap();
        assert!(error().contains("a.sym: one problem"), "{}", error());
        let missing = read_corpus_folder(&folder.path().join("no")).unwrap_err();
        assert!(missing.to_string().starts_with("cannot read "));
    }
}
