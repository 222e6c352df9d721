//! What the user asks for, and what two sides can be asked for.

use pathsmith_symlang::dialect::Dialect;

use super::error::ReviewError;
use super::recipe::{GenSettings, Lowering, Recipe, SeedRange};
use super::side::Side;

/// What the user asks for. What is left out comes from saved output, or is the default.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The seeds.
    pub seeds: Option<SeedRange>,
    /// The dialects.
    pub dialects: Vec<Dialect>,
    /// Where lowering options come from.
    pub lowering: Option<Lowering>,
    /// How functions are generated.
    pub settings: GenSettings,
}

impl Request {
    /// What these sides have in common.
    ///
    /// # Errors
    /// If saved output holds something else.
    pub fn recipe(&self, sides: &[&Side]) -> Result<Recipe, ReviewError> {
        let saved = sides.iter().filter_map(|side| match side {
            Side::Saved(saved) => Some(saved.recipe()),
            Side::Binary { .. } => None,
        });
        let saved: Vec<&Recipe> = saved.collect();
        let Some((first, others)) = saved.split_first() else { return self.new_recipe() };
        if self.lowering.is_some() || self.settings != GenSettings::default() {
            return Err(request("saved output has its own options of generation and lowering"));
        }
        let mut recipe = (*first).clone();
        for other in others {
            if (&recipe.settings, recipe.lowering) != (&other.settings, other.lowering) {
                return Err(request("the saved outputs were generated with different options"));
            }
            if self.seeds.is_none() && recipe.seeds != other.seeds {
                let (a, b) = (recipe.seeds, other.seeds);
                return Err(request(&format!("one saved output has seeds {a}, the other {b}")));
            }
        }
        recipe.seeds = self.seeds.unwrap_or(recipe.seeds);
        if let Some(lacking) = saved.iter().find(|saved| !saved.seeds.includes(recipe.seeds)) {
            let (has, asked) = (lacking.seeds, recipe.seeds);
            return Err(request(&format!("the saved output has seeds {has}, not {asked}")));
        }
        if !self.dialects.is_empty() {
            recipe.dialects.clone_from(&self.dialects);
        }
        for dialect in &recipe.dialects {
            if saved.iter().any(|saved| !saved.dialects.contains(dialect)) {
                return Err(request(&format!("the saved output has no dialect {dialect}")));
            }
        }
        Ok(recipe)
    }

    fn new_recipe(&self) -> Result<Recipe, ReviewError> {
        let seeds = self.seeds.ok_or_else(|| request("--seeds is needed, such as `0..99`"))?;
        let mut dialects = self.dialects.clone();
        if dialects.is_empty() {
            dialects = Dialect::ALL.to_vec();
        }
        let lowering = self.lowering.unwrap_or(Lowering::Drawn);
        Ok(Recipe { seeds, dialects, lowering, settings: self.settings.clone() })
    }
}

fn request(why: &str) -> ReviewError {
    ReviewError::Request(why.to_owned())
}
