//! Policies that belong together.

use super::{Policies, Policy};

/// A set of policies that are after the same thing. Drawn one by one, they would hardly ever meet,
/// and what others do would get in their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Theme {
    /// Products and sums of the same few inputs, again and again, at the brink.
    Strides,
    /// Small loops in which a variable is updated with another, at the brink, and decides.
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
            Brink, FewTypes, Fresh, Order, Pairs, Related, Seen, Short, Small, Updates, Wander,
            Zero,
        };
        match self {
            Self::Strides => &[Small, FewTypes, Fresh, Related, Pairs, Brink, Zero],
            Self::Loops => &[Small, FewTypes, Updates, Seen, Brink, Order, Zero, Short, Wander],
        }
    }
}

/// The probability of a policy in a function of a theme: high where it belongs to the theme, low
/// where it does not. What weighs nothing is never drawn.
pub(super) fn probability(weights: &Policies, theme: Option<Theme>, policy: Policy) -> f64 {
    let weight = weights.weight(policy);
    match theme {
        _ if weight == 0.0 => 0.0,
        Some(theme) if theme.policies().contains(&policy) => weight.max(weights.together),
        Some(_) => weight * weights.apart,
        None => weight,
    }
}
