//! What a build has generated, saved in a folder to be compared later.
//!
//! The folder has a file `review.json`, which says what was generated and by what, and a folder for
//! each dialect with a few files for each seed: `7.sym`, `7.c`, `7.options.json`. What could not be
//! made is a file with the reason, such as `7.unsolved.txt`.

use std::io;
use std::path::{Path, PathBuf};

use pathsmith_oracles::Product;
use pathsmith_symlang::dialect::Dialect;
use serde::{Deserialize, Serialize};

use super::error::ReviewError;
use super::output::{Output, format_of};
use super::recipe::Recipe;
use crate::file_names::check_no_link;
use crate::files::{read_text, write_file};

const MANIFEST: &str = "review.json";
/// The largest file that is read. A guess, which no generated program comes near.
const MAX_FILE: u64 = 256 << 20;
/// What the files mean; other versions may mean something else.
const FORMAT: u32 = 1;

/// What a build has generated before.
#[derive(Debug)]
pub struct SavedOutput {
    folder: PathBuf,
    manifest: Manifest,
}

#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    generator: String,
    recipe: Recipe,
}

impl SavedOutput {
    /// What is in a folder.
    ///
    /// # Errors
    /// If it is not the folder of saved output.
    pub fn open(folder: &Path) -> Result<Self, ReviewError> {
        let path = folder.join(MANIFEST);
        let text = match read_text(&path, MAX_FILE) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let why = "there is no saved output; `pathsmith diff --save` writes some";
                return Err(ReviewError::Malformed { path, why: why.to_owned() });
            }
            Err(source) => return Err(ReviewError::Io { path, source }),
        };
        let manifest: Manifest = serde_json::from_str(&text).map_err(|error| {
            ReviewError::Malformed { path: path.clone(), why: error.to_string() }
        })?;
        match manifest.format {
            FORMAT => Ok(Self { folder: folder.to_owned(), manifest }),
            other => {
                let why = format!("expected format {FORMAT}, got {other}");
                Err(ReviewError::Malformed { path, why })
            }
        }
    }

    /// Begins to save what `generator` generates in a folder.
    ///
    /// # Errors
    /// If there is saved output already, or nothing can be written.
    pub(super) fn create(
        folder: &Path,
        generator: &str,
        recipe: &Recipe,
    ) -> Result<Self, ReviewError> {
        let path = folder.join(MANIFEST);
        if path.symlink_metadata().is_ok() {
            let why = "there is saved output already".to_owned();
            return Err(ReviewError::Malformed { path, why });
        }
        for dialect in &recipe.dialects {
            let path = folder.join(dialect.to_string());
            let created = check_no_link(&path).and_then(|()| std::fs::create_dir_all(&path));
            created.map_err(|source| ReviewError::Io { path, source })?;
        }
        let (generator, recipe) = (generator.to_owned(), recipe.clone());
        let manifest = Manifest { format: FORMAT, generator, recipe };
        Ok(Self { folder: folder.to_owned(), manifest })
    }

    /// Saves the output of a seed.
    pub(super) fn add(
        &self,
        seed: u64,
        dialect: Dialect,
        output: &Output,
    ) -> Result<(), ReviewError> {
        let files = SeedFiles { folder: &self.folder, seed, dialect };
        files.write_product("sym", "unsolved.txt", &output.program)?;
        files.write("options.json", &output.options)?;
        files.write_product(format_of(dialect), "refused.txt", &output.code)
    }

    /// Says that all is saved: a folder with the manifest is complete.
    pub(super) fn finish(self) -> Result<(), ReviewError> {
        let json = serde_json::to_string_pretty(&self.manifest)
            .map_err(|error| ReviewError::Request(error.to_string()))?;
        write(&self.folder.join(MANIFEST), &(json + "\n"))
    }

    /// What was generated.
    pub fn recipe(&self) -> &Recipe {
        &self.manifest.recipe
    }

    /// The build that generated it.
    pub fn generator(&self) -> &str {
        &self.manifest.generator
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn output(&self, seed: u64, dialect: Dialect) -> Result<Output, ReviewError> {
        let files = SeedFiles { folder: &self.folder, seed, dialect };
        Ok(Output {
            program: files.read_product("sym", "unsolved.txt")?,
            options: files.read("options.json")?.unwrap_or_default(),
            code: files.read_product(format_of(dialect), "refused.txt")?,
        })
    }
}

/// The files of a seed.
struct SeedFiles<'a> {
    folder: &'a Path,
    seed: u64,
    dialect: Dialect,
}

impl SeedFiles<'_> {
    fn path(&self, extension: &str) -> PathBuf {
        let folder = self.folder.join(self.dialect.to_string());
        folder.join(format!("{}.{extension}", self.seed))
    }

    /// A file, if it is there.
    fn read(&self, extension: &str) -> Result<Option<String>, ReviewError> {
        let path = self.path(extension);
        match read_text(&path, MAX_FILE) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ReviewError::Io { path, source }),
        }
    }

    /// What was made, or the reason why nothing was.
    fn read_product(&self, made: &str, nothing: &str) -> Result<Product<String>, ReviewError> {
        if let Some(text) = self.read(made)? {
            return Ok(Product::Made(text));
        }
        match self.read(nothing)? {
            Some(why) => Ok(Product::Nothing(why)),
            None => {
                let why = "there is no such file, and none that says why".to_owned();
                Err(ReviewError::Malformed { path: self.path(made), why })
            }
        }
    }

    fn write(&self, extension: &str, text: &str) -> Result<(), ReviewError> {
        write(&self.path(extension), text)
    }

    fn write_product(
        &self,
        made: &str,
        nothing: &str,
        product: &Product<String>,
    ) -> Result<(), ReviewError> {
        match product {
            Product::Made(text) => self.write(made, text),
            Product::Nothing(why) => self.write(nothing, why),
        }
    }
}

fn write(path: &Path, text: &str) -> Result<(), ReviewError> {
    let failed = |source| ReviewError::Io { path: path.to_owned(), source };
    write_file(path, failed, |out| out.write_all(text.as_bytes()).map_err(failed))
}
