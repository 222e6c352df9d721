//! Reading files and standard input, up to a limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use pathsmith_symlang::lang::limits::MAX_SOURCE;
use pathsmith_symlang::lang::{Program, text};

use crate::errors::Failure;

/// A file, or `-` for standard input.
#[derive(Clone, Debug)]
pub(crate) struct Input(PathBuf);

impl From<std::ffi::OsString> for Input {
    fn from(path: std::ffi::OsString) -> Self {
        Self(path.into())
    }
}

impl Input {
    /// Its name in messages.
    pub(crate) fn name(&self) -> String {
        if self.is_stdin() { "standard input".to_owned() } else { self.0.display().to_string() }
    }

    /// The folder that it is, if it is one.
    pub(crate) fn folder(&self) -> Option<&Path> {
        (!self.is_stdin() && self.0.is_dir()).then_some(&*self.0)
    }

    /// Its name without folders and extension, for files that are made from it.
    pub(crate) fn stem(&self) -> String {
        if self.is_stdin() {
            return "stdin".to_owned();
        }
        self.0.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn is_stdin(&self) -> bool {
        self.0 == Path::new("-")
    }

    /// All of its bytes; an endless input is refused once it is too long.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Failure> {
        let failed = |source| Failure::io(format!("cannot read {}", self.name()), source);
        let mut bytes = Vec::new();
        let limit = MAX_SOURCE as u64 + 1;
        if self.is_stdin() {
            io::stdin().lock().take(limit).read_to_end(&mut bytes).map_err(failed)?;
        } else {
            let file = File::open(&self.0).map_err(failed)?;
            file.take(limit).read_to_end(&mut bytes).map_err(failed)?;
        }
        if bytes.len() > MAX_SOURCE {
            let mib = MAX_SOURCE >> 20;
            return Err(Failure::Input(format!(
                "{} is too large: an input has at most {mib} MiB",
                self.name()
            )));
        }
        Ok(bytes)
    }

    /// The program that it holds.
    pub(crate) fn program(&self) -> Result<Program, Failure> {
        self.parsed(&self.read()?)
    }

    /// The program in bytes that were read from it.
    pub(crate) fn parsed(&self, bytes: &[u8]) -> Result<Program, Failure> {
        Ok(text::parse_bytes(&self.name(), bytes)?)
    }
}
