//! The policies of one function.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::theme::probability;
use super::{Policies, Policy, Theme};
use crate::values::ValueKnobs;
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_bool, choose_share};
use pathsmith_symlang::lang::IntTy;

/// The policies that were selected for one function, and the theme that they were selected with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectedPolicies {
    theme: Option<Theme>,
    policies: Vec<Policy>,
}

impl SelectedPolicies {
    /// Selects policies by their weights.
    pub(super) fn choose(weights: &Policies, rng: &mut Rng) -> Self {
        let theme = choose_theme(weights, rng);
        let policies = Policy::ALL
            .into_iter()
            .filter(|policy| !policy.is_of_floats())
            .filter(|policy| choose_bool(probability(weights, theme, *policy), rng));
        let policies: Vec<Policy> = policies.collect();
        match policies.is_empty() {
            true => Self::default(),
            false => Self { theme, policies },
        }
    }

    /// Selects policies for a function with floating-point numbers besides, by their weights.
    pub(super) fn choose_of_floats(&mut self, weights: &Policies, rng: &mut Rng) {
        let of_floats = Policy::ALL.into_iter().filter(|policy| policy.is_of_floats());
        self.policies.extend(of_floats.filter(|policy| choose_share(weights.weight(*policy), rng)));
    }

    /// The theme of the function, if it has one.
    pub const fn theme(&self) -> Option<Theme> {
        self.theme
    }

    /// The policies, in order.
    pub fn policies(&self) -> &[Policy] {
        &self.policies
    }

    /// Whether a policy was selected. Only the resolution into knobs asks; stages read knobs.
    pub(super) fn has(&self, policy: Policy) -> bool {
        self.policies.contains(&policy)
    }

    /// A line for the header of the function, which has the given knobs; none if there are no
    /// policies.
    pub fn describe(&self, knobs: &ValueKnobs) -> Option<String> {
        if self.policies.is_empty() {
            return None;
        }
        let names: Vec<&str> = self.policies.iter().map(|policy| policy.name()).collect();
        let mut line = format!("policies: {}", names.join(", "));
        if self.has(Policy::Related) || self.has(Policy::Boundary) {
            let bases: Vec<String> =
                knobs.bases.iter().map(|base| base.value(IntTy::I32).to_string()).collect();
            line.push_str(&format!("; K = {}", bases.join(" and ")));
        }
        if let Some(theme) = self.theme {
            line.push_str(&format!("; theme: {}", theme.name()));
        }
        Some(line)
    }
}

/// Draws the theme of a function; the share that themes do not take has none.
fn choose_theme(weights: &Policies, rng: &mut Rng) -> Option<Theme> {
    let drawn: f64 = rng.random();
    match drawn {
        _ if drawn < weights.strides => Some(Theme::Strides),
        _ if drawn < weights.strides + weights.loops => Some(Theme::Loops),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knobs::Knobs;
    use pathsmith_symlang::Seed;

    #[test]
    fn weights_are_probabilities_of_being_selected() {
        let mut rng = Seed::new(1).rng();
        let selected = SelectedPolicies::choose(&Policies::none(), &mut rng);
        assert_eq!(selected, SelectedPolicies::default());
        let weights = Policies { boundary: 1.0, ..Policies::none() };
        let mut knobs = Knobs::default();
        let selected = weights.resolve(&mut knobs, &mut rng);
        assert_eq!(selected.policies(), [Policy::Boundary]);
        let line = selected.describe(&knobs.value).unwrap();
        assert!(line.starts_with("policies: boundary; K = "), "{line}");
    }

    #[test]
    fn the_policies_of_a_theme_meet() {
        let weights = Policies {
            relax: 0.5,
            zero: 0.1,
            loops: 1.0,
            theme_policy_min: 0.9,
            other_policy_scale: 0.25,
            ..Policies::none()
        };
        let mut rng = Seed::new(1).rng();
        let all: Vec<SelectedPolicies> =
            (0..200).map(|_| SelectedPolicies::choose(&weights, &mut rng)).collect();
        let n_with = |policy| all.iter().filter(|selected| selected.has(policy)).count();
        assert!(n_with(Policy::Zero) > 150, "{}", n_with(Policy::Zero));
        assert!((5..50).contains(&n_with(Policy::Relax)), "{}", n_with(Policy::Relax));
        // What weighs nothing is switched off in themes too.
        assert_eq!(n_with(Policy::Boundary), 0);
        let with_zero = all.iter().find(|selected| selected.policies() == [Policy::Zero]).unwrap();
        let line = with_zero.describe(&ValueKnobs::PLAIN).unwrap();
        assert_eq!(line, "policies: zero; theme: loops");
    }

    #[test]
    fn names_are_the_same_in_headers_and_in_saved_knobs() {
        for policy in Policy::ALL {
            let json = serde_json::to_string(&policy).unwrap();
            assert_eq!(json, format!("\"{}\"", policy.name()));
        }
        for theme in Theme::ALL {
            let json = serde_json::to_string(&theme).unwrap();
            assert_eq!(json, format!("\"{}\"", theme.name()));
        }
    }
}
