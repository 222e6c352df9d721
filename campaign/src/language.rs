//! Target languages: what backends emit, and the formats in which people can have it.

mod emit;

use std::fmt::Debug;

use pathsmith_backend::{Backend, LowerError};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::{Rng, Seed};
use serde_json::error::Error as JsonError;
use thiserror::Error;

use crate::folder_file::File;

/// A format in which a language's artifacts can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// Another name, if it has one.
    pub alias: Option<&'static str>,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Why it takes a folder and not a single file, if it always does.
    pub needs_folder: Option<&'static str>,
}

/// The source of the options that a program is lowered with.
#[derive(Clone, Copy, Debug)]
pub enum OptionSource<'a> {
    /// The defaults.
    Default,
    /// They are drawn from an RNG seed.
    Seed(u64),
    /// They are read from JSON.
    Json(&'a str),
}

/// What a program was lowered to.
#[derive(Clone, Debug)]
pub struct Emitted {
    /// The files.
    pub files: Vec<File>,
    /// The options, as JSON that can be read again.
    pub options: String,
    /// What people should know of it.
    pub notes: Vec<String>,
}

/// Why a program cannot be emitted.
#[derive(Debug, Error)]
pub enum EmitError {
    /// The options cannot be read or written.
    #[error("{0}")]
    Options(#[source] JsonError),
    /// The program cannot be lowered with these options.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// The artifact cannot be written in this format.
    #[error("{0}")]
    Format(String),
}

/// A language that a backend emits.
pub trait Language: Debug + Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Which behaviour is undefined in it.
    fn dialect(&self) -> Dialect;

    /// Its formats, the plainest first.
    fn formats(&self) -> &'static [Format];

    /// Lowers a program, and writes it in one of the language's formats.
    ///
    /// # Errors
    /// If it cannot be lowered or written so.
    fn emit(
        &self,
        program: &Program,
        options: OptionSource<'_>,
        format: &Format,
    ) -> Result<Emitted, EmitError>;
}

/// A backend whose artifacts can be written: what makes it a [`Language`].
pub(crate) trait Emit: Backend<Options: Default> + Debug + Sync {
    const FORMATS: &'static [Format];

    /// Draws options in the default style.
    fn choose_options(program: &Program, rng: &mut Rng) -> Self::Options;

    /// The files of an artifact in the format of that name.
    fn files(artifact: &Self::Artifact, format: &str) -> Result<Vec<File>, String>;

    /// What people should know of an artifact.
    fn notes(_artifact: &Self::Artifact) -> Vec<String> {
        Vec::new()
    }
}

impl<B: Emit> Language for B {
    fn name(&self) -> &'static str {
        Backend::name(self)
    }

    fn dialect(&self) -> Dialect {
        Backend::dialect(self)
    }

    fn formats(&self) -> &'static [Format] {
        B::FORMATS
    }

    fn emit(
        &self,
        program: &Program,
        options: OptionSource<'_>,
        format: &Format,
    ) -> Result<Emitted, EmitError> {
        let options = match options {
            OptionSource::Default => B::Options::default(),
            OptionSource::Seed(seed) => {
                B::choose_options(program, &mut Seed::new(seed).child("lower").rng())
            }
            OptionSource::Json(text) => serde_json::from_str(text).map_err(EmitError::Options)?,
        };
        let artifact = self.lower(program, &options)?;
        Ok(Emitted {
            files: B::files(&artifact, format.name).map_err(EmitError::Format)?,
            options: serde_json::to_string_pretty(&options).map_err(EmitError::Options)? + "\n",
            notes: B::notes(&artifact),
        })
    }
}
