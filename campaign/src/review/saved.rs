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

use super::recipe::Recipe;
use super::seeds::for_each_seed;
use super::side::{Output, ReviewError, Side, format_of};
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

/// Saves what a side has for all seeds.
///
/// # Errors
/// Those of the side, and those of the file system.
pub fn save(
    side: &Side,
    recipe: &Recipe,
    folder: &Path,
    n_jobs: usize,
    mut progress: impl FnMut(u64),
) -> Result<(), ReviewError> {
    let manifest = folder.join(MANIFEST);
    if manifest.symlink_metadata().is_ok() {
        let why = "there is saved output already".to_owned();
        return Err(ReviewError::Malformed { path: manifest, why });
    }
    for dialect in &recipe.dialects {
        let path = folder.join(dialect.to_string());
        let created = check_no_link(&path).and_then(|()| std::fs::create_dir_all(&path));
        created.map_err(|source| ReviewError::Io { path, source })?;
    }
    let outputs = |seed| -> Result<Vec<Output>, ReviewError> {
        let dialects = recipe.dialects.iter();
        dialects.map(|dialect| side.output(recipe, seed, *dialect)).collect()
    };
    let mut n_saved = 0;
    for_each_seed(recipe.seeds, n_jobs, outputs, |seed, outputs| {
        for (output, dialect) in outputs.iter().zip(&recipe.dialects) {
            let files = SeedFiles { folder, seed, dialect: *dialect };
            files.write_product("sym", "unsolved.txt", &output.program)?;
            files.write("options.json", &output.options)?;
            files.write_product(format_of(*dialect), "refused.txt", &output.code)?;
        }
        n_saved += 1;
        progress(n_saved);
        Ok(())
    })?;
    let generator = match side {
        Side::Binary { binary, .. } => binary.version().to_owned(),
        Side::Saved(saved) => saved.generator().to_owned(),
    };
    // Last, so that a folder that has it is complete.
    let content = Manifest { format: FORMAT, generator, recipe: recipe.clone() };
    let json = serde_json::to_string_pretty(&content)
        .map_err(|error| ReviewError::Request(error.to_string()))?;
    write(&manifest, &(json + "\n"))
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
