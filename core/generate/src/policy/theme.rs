//! Policies that belong together.

use serde::{Deserialize, Serialize};

use super::{Policies, Policy};

/// A set of policies that are after the same thing. SelectedPolicies one by one, they would hardly ever meet,
/// and what others do would get in their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// Products and sums of the same few inputs, again and again, at boundary values.
    Strides,
    /// Small loops in which a variable is updated with another, at boundary values, and decides.
    Loops,
}

impl Theme {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Strides, Self::Loops];

    /// Its name in configs and headers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strides => "strides",
            Self::Loops => "loops",
        }
    }

    /// Its policies.
    pub const fn policies(self) -> &'static [Policy] {
        use Policy::{
            Boundary, ConstantSeeds, ExecutionFirst, FewTypes, Order, Pairs, Related, Short,
            SingleAssignment, Small, Updates, Zero,
        };
        match self {
            Self::Strides => &[Small, FewTypes, SingleAssignment, Related, Pairs, Boundary, Zero],
            Self::Loops => &[
                Small,
                FewTypes,
                Updates,
                ConstantSeeds,
                Boundary,
                Order,
                Zero,
                Short,
                ExecutionFirst,
            ],
        }
    }
}

/// The probability of a policy in a function of a theme: high if it belongs to the theme, low if it
/// does not. A policy of weight 0 is never selected.
pub(super) fn probability(weights: &Policies, theme: Option<Theme>, policy: Policy) -> f64 {
    let weight = weights.weight(policy);
    match theme {
        _ if weight == 0.0 => 0.0,
        Some(theme) if theme.policies().contains(&policy) => weight.max(weights.theme_policy_min),
        Some(_) => weight * weights.other_policy_scale,
        None => weight,
    }
}
