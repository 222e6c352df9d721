//! One of the two sides of a comparison: a build, or what one has generated before.

use std::io;
use std::path::PathBuf;

use pathsmith_oracles::{BinaryError, PathsmithBinary, Product};
use pathsmith_symlang::dialect::Dialect;
use thiserror::Error;

use super::recipe::{Lowering, Recipe};
use super::saved::SavedOutput;

/// What is compared.
#[derive(Debug)]
pub enum Side {
    /// A build of pathsmith.
    Binary {
        /// The build.
        binary: PathsmithBinary,
        /// What it is called in the review.
        name: String,
    },
    /// What was saved.
    Saved(SavedOutput),
}

/// What a side has for a seed in a dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The function or program in SYMLANG, or why it is unsolved.
    pub program: Product<String>,
    /// The lowering options, as JSON.
    pub options: String,
    /// What it is lowered to, or why it is not.
    pub code: Product<String>,
}

/// Why two sides cannot be compared.
#[derive(Debug, Error)]
pub enum ReviewError {
    /// A build cannot be used.
    #[error(transparent)]
    Binary(#[from] BinaryError),
    /// What was asked for contradicts what was saved.
    #[error("{0}")]
    Request(String),
    /// A folder does not hold what was saved.
    #[error("{}: {why}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file cannot be read or written.
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A thread panicked, which is a bug of pathsmith.
    #[error("a thread panicked, which is a bug of pathsmith")]
    Panicked,
}

impl Side {
    /// What it is, in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Binary { binary, name } => format!("{} ({name})", binary.version()),
            Self::Saved(saved) => format!("{} ({})", saved.generator(), saved.folder().display()),
        }
    }

    /// What it has for a seed in a dialect.
    ///
    /// # Errors
    /// If the build does not work, or nothing was saved for the seed.
    pub fn output(
        &self,
        recipe: &Recipe,
        seed: u64,
        dialect: Dialect,
    ) -> Result<Output, ReviewError> {
        match self {
            Self::Binary { binary, .. } => generated(binary, recipe, seed, dialect),
            Self::Saved(saved) => saved.output(seed, dialect),
        }
    }
}

/// The format that programs of a dialect are lowered to.
pub(super) const fn format_of(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::C => "c",
        Dialect::Wasm => "wat",
        Dialect::Jvm => "jasm",
    }
}

/// The name of the file that `lower` writes the options to.
const OPTIONS: &str = "options.json";

fn generated(
    binary: &PathsmithBinary,
    recipe: &Recipe,
    seed: u64,
    dialect: Dialect,
) -> Result<Output, ReviewError> {
    let settings = &recipe.settings;
    let program = binary.generate(&settings.options(seed, dialect), &settings.files())?;
    let lowered = match &program {
        Product::Nothing(_) => Product::Nothing("there is no program".to_owned()),
        Product::Made(text) => {
            let seed = match recipe.lowering {
                Lowering::Drawn => Some(seed),
                Lowering::Default => None,
            };
            binary.lower(text, format_of(dialect), seed)?
        }
    };
    let (mut options, mut code) = (String::new(), String::new());
    match lowered {
        Product::Nothing(why) => {
            return Ok(Output { program, options, code: Product::Nothing(why) });
        }
        Product::Made(files) => {
            let n_files = files.iter().filter(|(name, _)| name != OPTIONS).count();
            for (name, text) in files {
                if name == OPTIONS {
                    options = text;
                    continue;
                }
                if n_files > 1 {
                    code += &format!("// file {name}\n");
                }
                code += &text;
            }
        }
    }
    Ok(Output { program, options, code: Product::Made(code) })
}
