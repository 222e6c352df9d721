//! One of the two sides of a comparison: a build, or what one has generated before.

use pathsmith_oracles::{PathsmithBinary, Product};
use pathsmith_symlang::dialect::Dialect;

use super::error::ReviewError;
use super::output::{Output, format_of};
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

impl Side {
    /// The version of pathsmith that generates, or has generated.
    pub(super) fn generator(&self) -> &str {
        match self {
            Self::Binary { binary, .. } => binary.version(),
            Self::Saved(saved) => saved.generator(),
        }
    }

    /// What it is, in words.
    pub fn describe(&self) -> String {
        let place = match self {
            Self::Binary { name, .. } => name.clone(),
            Self::Saved(saved) => saved.folder().display().to_string(),
        };
        format!("{} ({place})", self.generator())
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
