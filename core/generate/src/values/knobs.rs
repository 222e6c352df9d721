//! Which values a function is to have.

use serde::{Deserialize, Serialize};

use super::{Base, BaseError, Constants, FloatValues, Relaxations};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_share};
use pathsmith_symlang::lang::{IntTy, WordTy};

/// Which values a function is to have. A share of 0 is off, and draws nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueKnobs {
    /// The base constants K that coefficients and boundary values are derived from.
    pub bases: Vec<Base>,
    /// Whether coefficients are derived from the bases.
    pub related_coefficients: bool,
    /// The share of divisors that are derived from the bases.
    pub related_divisor_share: f64,
    /// Boundary values, if there are any.
    pub boundary: Option<BoundaryKnobs>,
    /// How often a constant is 0 if it can be.
    pub zero_share: f64,
    /// The share of sums whose constant is chosen so that another order of the sum overflows.
    pub order_share: f64,
    /// The distribution of constants, if the function has its own.
    pub constants: Option<Constants>,
    /// Which rules blocks off the path may break.
    pub relaxed: Relaxations,
    /// Its floating-point numbers, if it has any.
    #[serde(default)]
    pub floats: FloatValues,
}

/// Where boundary values are tried, and how hard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundaryKnobs {
    /// The share of results that are boundary values.
    pub result_share: f64,
    /// The share of loop steps whose last value is a boundary value.
    pub step_share: f64,
    /// The share of those steps for which the last value times a base is one.
    pub related_step_share: f64,
    /// The share of further inputs that get one.
    pub input_share: f64,
    /// How often everything is drawn anew before something is blamed and becomes tamer: what is
    /// just within bounds hardly ever is so at once.
    pub redraws: u32,
    /// How many more attempts a short path gets before values without policies are tried.
    pub more_attempts: u32,
}

impl Default for ValueKnobs {
    fn default() -> Self {
        Self::PLAIN
    }
}

impl ValueKnobs {
    /// Every value comes from the one distribution that it has.
    pub const PLAIN: Self = Self {
        bases: Vec::new(),
        related_coefficients: false,
        related_divisor_share: 0.0,
        boundary: None,
        zero_share: 0.0,
        order_share: 0.0,
        constants: None,
        relaxed: Relaxations::NONE,
        floats: FloatValues::PLAIN,
    };

    /// Checks that values can be drawn.
    ///
    /// # Errors
    /// The first base that nothing can be derived from.
    pub fn validate(&self) -> Result<(), BaseError> {
        self.bases.iter().try_for_each(|base| base.validate())
    }

    /// Draws a base.
    pub fn choose_base(&self, rng: &mut Rng) -> Option<Base> {
        match self.bases.len() {
            0 => None,
            n => Some(self.bases[choose_below(n, rng)]),
        }
    }

    /// Draws a coefficient, if coefficients are related.
    pub fn choose_coefficient(&self, ty: WordTy, rng: &mut Rng) -> Option<i64> {
        if !self.related_coefficients {
            return None;
        }
        Some(self.choose_base(rng)?.choose_coefficient(ty, rng))
    }

    /// Draws a constant, if the function has a distribution of its own.
    pub fn choose_constant(&self, ty: IntTy, rng: &mut Rng) -> Option<i64> {
        self.constants.as_ref().map(|constants| constants.choose_value(ty, rng))
    }

    /// Whether a constant is to be 0, if it can be.
    pub fn choose_zero(&self, rng: &mut Rng) -> bool {
        choose_share(self.zero_share, rng)
    }
}
