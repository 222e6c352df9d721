//! What can be set about mutation.

use pathsmith_symlang::Rng;
use pathsmith_symlang::knobs::KnobError;
use rand::RngExt;
use thiserror::Error;

use crate::sizes::Sizes;
use crate::weights::{Weights, WeightsError};

pathsmith_symlang::knobs! {
    /// How variants are made. All defaults are guesses.
    pub struct MutateConfig {
        /// The weight of each transform, relative to the others: one of weight 0 is never drawn.
        weights: Weights = Weights::default();
        /// How many transforms a variant gets at least.
        min_transforms: u32 = 1, in 1..=1000;
        /// How many transforms a variant gets at most.
        max_transforms: u32 = 4, in 1..=1000;
        /// How large what transforms add is.
        sizes: Sizes = Sizes::default();
    }
}

/// Why a [`MutateConfig`] makes no sense.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MutateConfigError {
    /// An option is out of its bounds.
    #[error(transparent)]
    Knob(#[from] KnobError),
    /// A size is out of its bounds.
    #[error("in the section `sizes`: {0}")]
    Size(#[source] KnobError),
    /// The weights make no sense.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The range is empty.
    #[error("`min_transforms` is {0}, more than `max_transforms`, which is {1}")]
    EmptyRange(u32, u32),
}

impl MutateConfig {
    /// Checks that variants can be made.
    ///
    /// # Errors
    /// The first option that does not make sense.
    pub fn validate(&self) -> Result<(), MutateConfigError> {
        self.check_knobs()?;
        self.sizes.check_knobs().map_err(MutateConfigError::Size)?;
        self.weights.validate()?;
        if self.min_transforms > self.max_transforms {
            return Err(MutateConfigError::EmptyRange(self.min_transforms, self.max_transforms));
        }
        Ok(())
    }

    /// Draws how many transforms a variant gets.
    pub(crate) fn choose_count(&self, rng: &mut Rng) -> u32 {
        rng.random_range(self.min_transforms..=self.max_transforms.max(self.min_transforms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(change: impl FnOnce(&mut MutateConfig), expected: &str) {
        let mut config = MutateConfig::default();
        assert_eq!(config.validate(), Ok(()));
        change(&mut config);
        assert_eq!(config.validate().unwrap_err().to_string(), expected);
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        check(|c| c.weights = Weights::none(), "all weights are 0: expected one above 0");
        check(
            |c| *c.weights.get_mut("twin").unwrap() = -1.0,
            "the weight of `twin` is -1, but has to be between 0 and 1000",
        );
        check(
            |c| c.min_transforms = 9,
            "`min_transforms` is 9, more than `max_transforms`, which is 4",
        );
        check(
            |c| c.sizes.region = 0,
            "in the section `sizes`: `region` is 0, but has to be between 1 and 64",
        );
    }
}
