//! The weights of transforms.

use std::collections::BTreeMap;

use pathsmith_symlang::Rng;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::transforms::{Mutation, TRANSFORMS};

/// A weight for each transform. It is read and written as a map of their names; those that are left
/// out have their default, and unknown names are errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "BTreeMap<String, f64>", try_from = "BTreeMap<String, f64>")]
pub struct Weights(Vec<f64>);

/// Why weights make no sense.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum WeightsError {
    /// A weight is negative, too large or no number.
    #[error("the weight of `{0}` is {1}, but has to be between 0 and 1000")]
    OutOfBounds(&'static str, f64),
    /// There is nothing to choose from.
    #[error("all weights are 0: expected one above 0")]
    NothingToDraw,
}

impl Default for Weights {
    fn default() -> Self {
        Self(TRANSFORMS.iter().map(|mutation| mutation.weight).collect())
    }
}

impl Weights {
    /// No transform weighs anything.
    pub fn none() -> Self {
        Self(vec![0.0; TRANSFORMS.len()])
    }

    /// Only these transforms, with equal weights.
    ///
    /// # Errors
    /// The first name that no transform has, with those that there are.
    pub fn only<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut weights = Self::none();
        for name in names {
            *weights.get_mut(name).ok_or_else(|| unknown(name))? = 1.0;
        }
        Ok(weights)
    }

    /// The weight of the transform of a name.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut f64> {
        let at = TRANSFORMS.iter().position(|mutation| mutation.transform.name() == name)?;
        self.0.get_mut(at)
    }

    /// All transforms with their weights.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Mutation, f64)> {
        std::iter::zip(TRANSFORMS, self.0.iter().copied())
    }

    pub(crate) fn validate(&self) -> Result<(), WeightsError> {
        let wrong = self.iter().find(|(_, weight)| !(0.0..=1_000.0).contains(weight));
        if let Some((mutation, weight)) = wrong {
            return Err(WeightsError::OutOfBounds(mutation.transform.name(), weight));
        }
        match self.0.iter().any(|weight| *weight > 0.0) {
            true => Ok(()),
            false => Err(WeightsError::NothingToDraw),
        }
    }

    /// One of the transforms, by weight; nothing if none weighs anything.
    pub(crate) fn choose(&self, rng: &mut Rng) -> Option<&'static Mutation> {
        let total: f64 = self.0.iter().sum();
        let mut left = rng.random::<f64>() * total;
        let mut last = None;
        for (mutation, weight) in self.iter().filter(|(_, weight)| *weight > 0.0) {
            last = Some(mutation);
            left -= weight;
            if left < 0.0 {
                break;
            }
        }
        last
    }
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = TRANSFORMS.iter().map(|mutation| mutation.transform.name()).collect();
    format!("there is no transform `{name}`; there are: {}", known.join(", "))
}

impl From<Weights> for BTreeMap<String, f64> {
    fn from(weights: Weights) -> Self {
        let named = weights.iter().map(|(m, weight)| (m.transform.name().to_owned(), weight));
        named.collect()
    }
}

impl TryFrom<BTreeMap<String, f64>> for Weights {
    type Error = String;

    fn try_from(named: BTreeMap<String, f64>) -> Result<Self, String> {
        let mut weights = Self::default();
        for (name, weight) in named {
            *weights.get_mut(&name).ok_or_else(|| unknown(&name))? = weight;
        }
        Ok(weights)
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::Seed;

    use super::*;

    #[test]
    fn weights_are_read_by_name() {
        let weights: Weights = serde_json::from_str(r#"{"twin": 7.5}"#).unwrap();
        let all: BTreeMap<String, f64> = weights.clone().into();
        assert_eq!((all["twin"], all.len()), (7.5, TRANSFORMS.len()));
        let text = serde_json::to_string(&weights).unwrap();
        assert_eq!(serde_json::from_str::<Weights>(&text).unwrap(), weights);
        let error = serde_json::from_str::<Weights>(r#"{"twins": 1}"#).unwrap_err().to_string();
        assert!(error.contains("there is no transform `twins`; there are: "), "{error}");
    }

    #[test]
    fn what_weighs_nothing_is_not_drawn() {
        let weights = Weights::only(["twin", "split"]).unwrap();
        let rng = &mut Seed::new(1).rng();
        let mut drawn: Vec<&str> =
            (0..50).filter_map(|_| Some(weights.choose(rng)?.transform.name())).collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn, ["split", "twin"]);
        assert!(Weights::none().choose(rng).is_none());
    }
}
