//! Programs to begin mutation with: those that ship with pathsmith, and those of the caller.

mod report;

use std::sync::OnceLock;

use pathsmith_edit::{Unrealizable, check_realizations, realize};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::lang::text::{SourceErrors, parse};
use pathsmith_symlang::semantics::Limits;
use thiserror::Error;

pub use report::{Report, Tracker};

// `SOURCES: &[(&str, &str)]`: the name and the text of every file in the folder `corpus`.
include!(concat!(env!("OUT_DIR"), "/corpus.rs"));

/// Programs in order, each with a name of its own.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    entries: Vec<CorpusEntry>,
}

/// A program of a corpus.
#[derive(Clone, Debug)]
pub struct CorpusEntry {
    /// Its name in its corpus.
    pub name: String,
    /// Where it is from.
    pub origin: Origin,
    /// Its text.
    pub text: String,
    /// The program. It has a dialect only if its text says so.
    pub program: Program,
}

/// Where a program of a corpus is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It ships with pathsmith.
    Shipped,
    /// A file of the user, by its name in messages.
    File(String),
}

/// The text of a program that the caller has read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusText {
    /// The name that the program gets in its corpus.
    pub name: String,
    /// What its file is called in messages.
    pub file: String,
    /// The text.
    pub text: String,
}

/// Why texts make no corpus.
#[derive(Debug, Error)]
pub enum CorpusError {
    /// A text is malformed, or breaks a rule of the language.
    #[error(transparent)]
    Source(SourceErrors),
    /// Two programs have one name.
    #[error("{second}: the corpus has a program `{name}` already, in {first}")]
    DuplicateName {
        /// The name.
        name: String,
        /// The file of the first one.
        first: String,
        /// The file of the second one.
        second: String,
    },
}

/// Why a program of a corpus cannot be mutated in a dialect.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unusable {
    /// It says that it is in another dialect.
    #[error("it is a program of dialect {0}")]
    OtherDialect(Dialect),
    /// One of its realizations does not hold.
    #[error("{0}")]
    DoesNotHold(String),
    /// It has no realizations, and none are found.
    #[error(transparent)]
    Unrealizable(#[from] Unrealizable),
}

/// A program that is ready to be mutated: it has a dialect, and realizations that hold.
#[derive(Clone, Debug)]
pub struct Usable<'c> {
    /// What it is made of.
    pub entry: &'c CorpusEntry,
    /// The program.
    pub program: Program,
}

impl Corpus {
    /// The programs that ship with pathsmith, each distilled from a bug report.
    ///
    /// # Panics
    /// If one of them is malformed, which a test rules out.
    pub fn shipped() -> &'static Self {
        static CORPUS: OnceLock<Corpus> = OnceLock::new();
        CORPUS.get_or_init(|| {
            let entry = |(name, text): &(&str, &str)| match parse(name, text) {
                Ok(program) => {
                    let (name, text) = ((*name).to_owned(), (*text).to_owned());
                    CorpusEntry { name, origin: Origin::Shipped, text, program }
                }
                Err(errors) => panic!("`{name}` in the corpus: {:?}", errors.problems()),
            };
            Self { entries: SOURCES.iter().map(entry).collect() }
        })
    }

    /// A corpus of the caller's texts, in their order.
    ///
    /// # Errors
    /// The first text that is malformed, or whose name is taken.
    pub fn from_texts(texts: impl IntoIterator<Item = CorpusText>) -> Result<Self, CorpusError> {
        let mut corpus = Self::default();
        for CorpusText { name, file, text } in texts {
            let program = parse(&file, &text).map_err(CorpusError::Source)?;
            corpus.add(CorpusEntry { name, origin: Origin::File(file), text, program })?;
        }
        Ok(corpus)
    }

    /// Adds a program at the end.
    ///
    /// # Errors
    /// If its name is taken.
    pub fn add(&mut self, entry: CorpusEntry) -> Result<(), CorpusError> {
        if let Some(known) = self.named(&entry.name) {
            let (first, second) = (known.origin.to_string(), entry.origin.to_string());
            return Err(CorpusError::DuplicateName { name: entry.name, first, second });
        }
        self.entries.push(entry);
        Ok(())
    }

    /// All programs, in order.
    pub fn entries(&self) -> &[CorpusEntry] {
        &self.entries
    }

    /// The program of this name.
    pub fn named(&self, name: &str) -> Option<&CorpusEntry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The programs that can be mutated in a dialect, in order, and the others with the reason.
    /// See [`CorpusEntry::in_dialect`].
    pub fn usable(
        &self,
        dialect: Dialect,
        limits: Limits,
        seed: Seed,
    ) -> (Vec<Usable<'_>>, Vec<(&CorpusEntry, Unusable)>) {
        let (mut usable, mut unusable) = (Vec::new(), Vec::new());
        for entry in &self.entries {
            match entry.in_dialect(dialect, limits, seed) {
                Ok(program) => usable.push(Usable { entry, program }),
                Err(why) => unusable.push((entry, why)),
            }
        }
        (usable, unusable)
    }
}

impl CorpusEntry {
    /// The program in `dialect`, with realizations that the interpreter has checked. If it has none
    /// of its own, they are found by running it on inputs that are drawn from `seed`; they depend on
    /// the seed and the program's name, and not on what else is in the corpus.
    ///
    /// # Errors
    /// Why it cannot be mutated.
    pub fn in_dialect(
        &self,
        dialect: Dialect,
        limits: Limits,
        seed: Seed,
    ) -> Result<Program, Unusable> {
        if let Some(other) = self.program.dialect.filter(|own| *own != dialect) {
            return Err(Unusable::OtherDialect(other));
        }
        let n_realizations =
            check_realizations(&self.program, dialect, limits).map_err(Unusable::DoesNotHold)?;
        if n_realizations == 0 {
            let mut rng = seed.child("realize").child(&self.name).rng();
            return Ok(realize(&self.program, dialect, limits, &mut rng)?);
        }
        Ok(Program { dialect: Some(dialect), ..self.program.clone() })
    }

    /// The bug reports that it is distilled from.
    pub fn reports(&self) -> Vec<Report> {
        self.program.docs.iter().filter_map(|line| Report::parse(line)).collect()
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Shipped => f.write_str("the corpus that ships with pathsmith"),
            Self::File(file) => f.write_str(file),
        }
    }
}
