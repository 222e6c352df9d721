//! What can be set about observation, and the kinds of it.

use rand::RngExt;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use pathsmith_symlang::Rng;
use pathsmith_symlang::knobs::KnobError;

pathsmith_symlang::knobs! {
    /// What is observed of a function's run: what it returns, and which of its variables are
    /// globals, whose final values are compared after the call. What is not observed is dead at the
    /// exit. The weights of the kinds are relative to each other. All defaults are guesses.
    pub struct ObserveOptions {
        /// Weight of functions that return a checksum of all their variables.
        all: f64 = 0.3, in 0.0..=1_000.0;
        /// Weight of functions that return a checksum of some of their variables.
        some: f64 = 0.15, in 0.0..=1_000.0;
        /// Weight of functions that return one variable.
        one: f64 = 0.25, in 0.0..=1_000.0;
        /// Weight of functions that return an expression of a few variables.
        expression: f64 = 0.1, in 0.0..=1_000.0;
        /// Weight of functions that return a constant: only what they leave in memory is observed.
        memory: f64 = 0.2, in 0.0..=1_000.0;
        /// Share of functions that keep some of their locals as globals. Functions of the kind
        /// `memory` always do; those of whole programs never do, since they are called.
        globals: share = 0.35;
        /// Share of the arrays of such a function that become globals.
        global_arrays: share = 0.8;
        /// Share of the other locals of such a function that become globals.
        global_scalars: share = 0.2;
    }
}

/// What a function returns of what it computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Observation {
    /// A checksum of all variables.
    All,
    /// A checksum of some variables.
    Some,
    /// One variable, or one element of an array.
    One,
    /// An expression of a few variables.
    Expression,
    /// A constant: only what it leaves in memory is observed.
    Memory,
}

/// Why [`ObserveOptions`] make no sense.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ObserveOptionsError {
    /// An option is out of its bounds.
    #[error(transparent)]
    Knob(#[from] KnobError),
    /// There is nothing to choose from.
    #[error("`all`, `some`, `one`, `expression` and `memory` are all 0: expected a weight above 0")]
    NoWeight,
}

impl Observation {
    /// All kinds, those that observe most first.
    pub const ALL: [Self; 5] = [Self::All, Self::Some, Self::One, Self::Expression, Self::Memory];

    /// Its name in headers and settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Some => "some",
            Self::One => "one",
            Self::Expression => "expression",
            Self::Memory => "memory",
        }
    }
}

impl ObserveOptions {
    /// Everything is returned and nothing becomes a global.
    pub fn everything() -> Self {
        let none = Self { some: 0.0, one: 0.0, expression: 0.0, memory: 0.0, ..Self::default() };
        Self { all: 1.0, globals: 0.0, ..none }
    }

    /// The options for functions that others call: those may not assign to globals.
    pub fn without_globals(&self) -> Self {
        Self { memory: 0.0, globals: 0.0, ..self.clone() }
    }

    /// Checks that there is something to choose from.
    ///
    /// # Errors
    /// The first option that does not make sense.
    pub fn validate(&self) -> Result<(), ObserveOptionsError> {
        self.check_knobs()?;
        match self.total() > 0.0 {
            true => Ok(()),
            false => Err(ObserveOptionsError::NoWeight),
        }
    }

    /// The weight of a kind.
    fn weight(&self, kind: Observation) -> f64 {
        match kind {
            Observation::All => self.all,
            Observation::Some => self.some,
            Observation::One => self.one,
            Observation::Expression => self.expression,
            Observation::Memory => self.memory,
        }
    }

    fn total(&self) -> f64 {
        Observation::ALL.into_iter().map(|kind| self.weight(kind)).sum()
    }

    /// Draws a kind. If nothing has a weight, everything is observed.
    pub(super) fn choose(&self, rng: &mut Rng) -> Observation {
        let mut drawn = rng.random::<f64>() * self.total();
        for kind in Observation::ALL {
            let weight = self.weight(kind);
            if drawn < weight {
                return kind;
            }
            drawn -= weight;
        }
        Observation::All
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathsmith_symlang::Seed;

    #[test]
    fn weights_are_relative() {
        let mut rng = Seed::new(1).rng();
        let options = ObserveOptions { one: 3.0, ..ObserveOptions::everything() };
        let drawn: Vec<Observation> = (0..400).map(|_| options.choose(&mut rng)).collect();
        let n_one = drawn.iter().filter(|kind| **kind == Observation::One).count();
        assert!((260..340).contains(&n_one), "{n_one}");
        assert!(drawn.iter().all(|kind| [Observation::All, Observation::One].contains(kind)));
    }

    #[test]
    fn what_makes_no_sense_is_an_error() {
        assert_eq!(ObserveOptions::default().validate(), Ok(()));
        let nothing = ObserveOptions { all: 0.0, ..ObserveOptions::everything() };
        assert_eq!(nothing.validate(), Err(ObserveOptionsError::NoWeight));
        let negative = ObserveOptions { some: -1.0, ..ObserveOptions::default() };
        let message = "`some` is -1, but has to be between 0 and 1000";
        assert_eq!(negative.validate().unwrap_err().to_string(), message);
    }
}
