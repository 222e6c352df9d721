//! Saving what a side has.

use std::path::Path;

use super::error::ReviewError;
use super::recipe::Recipe;
use super::saved::SavedOutput;
use super::seeds::for_each_seed;
use super::side::Side;

/// Saves what a side has for all seeds in a folder.
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
    let saved = SavedOutput::create(folder, side.generator(), recipe)?;
    let add = |seed| -> Result<(), ReviewError> {
        let mut dialects = recipe.dialects.iter();
        dialects.try_for_each(|dialect| {
            saved.add(seed, *dialect, &side.output(recipe, seed, *dialect)?)
        })
    };
    let mut n_saved = 0;
    for_each_seed(recipe.seeds, n_jobs, add, |_, ()| {
        n_saved += 1;
        progress(n_saved);
        Ok(())
    })?;
    saved.finish()
}
