//! Policies: distributions that are skewed on purpose.
//!
//! Choices that all come from one flat distribution give programs that look alike, and that no
//! optimizer stumbles over. A policy changes some of the choices of a function: its size, the form
//! of its expressions, its constants or its inputs. Each has a weight, the probability with which a
//! function is made by it; policies are drawn independently of each other, so that they meet in all
//! combinations. Some functions have a [`Theme`] besides, whose policies nearly all meet in them.
//! The policies that were selected for a function are [`SelectedPolicies`], and stand in its header.
//!
//! [`Policies::resolve`] turns them into [`Knobs`](crate::Knobs), which are what the stages read: no
//! stage asks for a policy.

mod resolve;
mod selected;
mod theme;

pub use selected::SelectedPolicies;
pub use theme::Theme;

use serde::{Deserialize, Serialize};

use pathsmith_symlang::choose::{ProbabilityError, check_probabilities};

/// Declares every policy once: its variant, its name in configs and headers, its weight, its
/// meaning.
macro_rules! policies {
    ($($(#[doc = $doc:literal])+ $variant:ident $field:ident = $weight:literal;)+) => {
        /// The weight of each policy: the probability with which a function is made by it.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Policies {
            $($(#[doc = $doc])+ pub $field: f64,)+
            /// The share of functions with the theme [`Theme::Strides`].
            pub strides: f64,
            /// The share of functions with the theme [`Theme::Loops`].
            pub loops: f64,
            /// The least probability with which a function of a theme is made by each of the
            /// theme's policies that weigh anything.
            pub theme_policy_min: f64,
            /// The part of their weight that is left to all other policies in a theme.
            pub other_policy_scale: f64,
        }

        impl Default for Policies {
            fn default() -> Self {
                Self {
                    $($field: $weight,)+
                    strides: 0.4,
                    loops: 0.25,
                    theme_policy_min: 0.95,
                    other_policy_scale: 0.125,
                }
            }
        }

        /// One of the policies.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Policy {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Policy {
            /// All of them.
            pub const ALL: [Self; [$(Self::$variant),+].len()] = [$(Self::$variant),+];

            /// Its name in configs and headers.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($field),)+
                }
            }
        }

        impl Policies {
            /// No policies: every choice is drawn from the one distribution that it has.
            pub const fn none() -> Self {
                Self { $($field: 0.0,)+ strides: 0.0, loops: 0.0, theme_policy_min: 0.0, other_policy_scale: 0.0 }
            }

            /// The weight of a policy.
            pub const fn weight(&self, policy: Policy) -> f64 {
                match policy {
                    $(Policy::$variant => self.$field,)+
                }
            }

            /// The weight of a policy, to be changed.
            pub const fn weight_mut(&mut self, policy: Policy) -> &mut f64 {
                match policy {
                    $(Policy::$variant => &mut self.$field,)+
                }
            }
        }
    };
}

policies! {
    /// A small function: a handful of blocks, few variables, short expressions.
    Small small = 0.7;
    /// One or two types only, mostly `i32`.
    FewTypes few_types = 0.5;
    /// Each assignment has a variable of its own, so that no result is overwritten before it is
    /// observed; inputs are mostly read.
    SingleAssignment single_assignment = 0.5;
    /// Coefficients come from one or two base constants: ±K, ±(K-1), ±(K+1), ±K/2, ±1.
    Related related = 0.5;
    /// Expressions are mostly `b + k * a`, of the same few variables again and again.
    Pairs pairs = 0.7;
    /// Variables are updated in place: `v = v + w + c`.
    Updates updates = 0.7;
    /// Patterns are made of locals that begin with constants, which optimizers see, not of inputs.
    ConstantSeeds constant_seeds = 0.7;
    /// Earlier expressions are repeated, as they are or with one change.
    Reuse reuse = 0.5;
    /// Boundary values: inputs, initial values, results and steps just within what is defined.
    Boundary boundary = 0.5;
    /// Sums that are defined as they are written, and would overflow in another order.
    Order order = 0.7;
    /// Nothing is added where nothing has to be, and comparisons are with 0 or with a variable.
    Zero zero = 0.5;
    /// Edges lead mostly to later blocks, so that a path runs through much of the function once.
    Forward forward = 0.5;
    /// A short path: what has to hold at few visits can be a boundary value at each.
    Short short = 0.7;
    /// The path is found by execution: inputs and constants are drawn first.
    ExecutionFirst execution_first = 0.5;
    /// Loops that are entered in the middle and run through more than once.
    Cyclic cyclic = 0.5;
    /// Some blocks keep to one family of operators.
    Contexts contexts = 0.5;
    /// Constants of few kinds: small, near limits, runs of ones, or used before.
    Constants constants = 0.5;
    /// Some operands are constants where there would be variables.
    ConstantLeaves constant_leaves = 0.5;
    /// Operators have a distribution of their own.
    Shuffle shuffle = 0.5;
    /// Blocks off the path hold what is undefined if it is run.
    Relax relax = 0.5;
    /// Floating-point numbers that are special: zeros, subnormal numbers, limits, infinities, NaN.
    Specials specials = 0.5;
    /// Sums that are rounded: constants that cancel them, that are lost in them, or half of their
    /// last place.
    Rounding rounding = 0.5;
    /// Floating-point numbers that are NaN, and conditions that see it.
    Unordered unordered = 0.3;
    /// Integers become floating-point numbers and integers again, next to 2^24 and 2^53.
    RoundTrips round_trips = 0.4;
}

impl Policy {
    /// Whether it is about floating-point numbers. Such policies are drawn for functions that have
    /// some, whatever their theme, and after all others.
    pub const fn is_of_floats(self) -> bool {
        matches!(self, Self::Specials | Self::Rounding | Self::Unordered | Self::RoundTrips)
    }
}

impl Policies {
    /// Checks that weights are probabilities.
    ///
    /// # Errors
    /// The first that is not.
    pub fn validate(&self) -> Result<(), ProbabilityError> {
        let themes = [
            ("strides", self.strides),
            ("loops", self.loops),
            ("theme_policy_min", self.theme_policy_min),
            ("other_policy_scale", self.other_policy_scale),
        ];
        check_probabilities(&themes)?;
        check_probabilities(&[("strides + loops", self.strides + self.loops)])?;
        check_probabilities(&Policy::ALL.map(|policy| (policy.name(), self.weight(policy))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_probabilities() {
        assert_eq!(Policies::default().validate(), Ok(()));
        let policies = Policies { boundary: 1.5, ..Policies::default() };
        let message = policies.validate().unwrap_err().to_string();
        assert_eq!(message, "`boundary` is 1.5, but a probability is between 0 and 1");
        let policies = Policies { strides: 0.75, loops: 0.5, ..Policies::default() };
        let message = policies.validate().unwrap_err().to_string();
        assert_eq!(message, "`strides + loops` is 1.25, but a probability is between 0 and 1");
    }

    #[test]
    fn weights_are_read_by_name() {
        let policies: Policies = serde_json::from_str(r#"{"related": 0.25}"#).unwrap();
        assert_eq!(policies.weight(Policy::Related), 0.25);
        assert!(serde_json::from_str::<Policies>(r#"{"relate": 0.25}"#).is_err());
    }
}
