//! What was drawn for one function.

use rand::RngExt;

use super::theme::probability;
use super::{Base, Constants, Policies, Policy, Relaxations, Theme};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{IntTy, WordTy};

/// The policies of one function, with what they draw once for all of it.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectedPolicies {
    theme: Option<Theme>,
    policies: Vec<Policy>,
    bases: Vec<Base>,
    constants: Constants,
    /// What may be undefined off the path.
    pub relaxed: Relaxations,
    /// How many of the expressions are pairs, where [`Policy::Pairs`] is drawn.
    pub pair_share: f64,
    /// How many statements update a variable, where [`Policy::Updates`] is drawn.
    pub update_share: f64,
    /// How often an expression is repeated, where [`Policy::Reuse`] is drawn.
    pub reuse_share: f64,
    /// How often nothing is added, where [`Policy::Zero`] is drawn.
    pub zero_share: f64,
    /// How many blocks have a context, where [`Policy::Contexts`] is drawn.
    pub context_share: f64,
    /// How many operands are constants, where [`Policy::ConstantLeaves`] is drawn.
    pub constant_share: f64,
}

impl SelectedPolicies {
    /// No policies.
    pub const NONE: Self = Self {
        theme: None,
        policies: Vec::new(),
        bases: Vec::new(),
        constants: Constants::NONE,
        relaxed: Relaxations::NONE,
        pair_share: 0.0,
        update_share: 0.0,
        reuse_share: 0.0,
        zero_share: 0.0,
        context_share: 0.0,
        constant_share: 0.0,
    };

    /// Draws policies by their weights, and their parameters.
    pub fn choose(weights: &Policies, rng: &mut Rng) -> Self {
        let theme = choose_theme(weights, rng);
        let policies = Policy::ALL
            .into_iter()
            .filter(|policy| choose_bool(probability(weights, theme, *policy), rng));
        let policies: Vec<Policy> = policies.collect();
        if policies.is_empty() {
            return Self::NONE;
        }
        let n_bases = 1 + usize::from(choose_bool(0.25, rng));
        let bases = (0..n_bases).map(|_| Base::choose(rng)).collect();
        let relaxed = match policies.contains(&Policy::Relax) {
            true => Relaxations::choose(rng),
            false => Relaxations::NONE,
        };
        Self {
            theme,
            policies,
            bases,
            constants: Constants::choose(rng),
            relaxed,
            pair_share: rng.random_range(0.6..1.0),
            update_share: rng.random_range(0.75..1.0),
            reuse_share: rng.random_range(0.1..0.6),
            zero_share: rng.random_range(0.5..1.0),
            context_share: rng.random_range(0.3..1.0),
            constant_share: if choose_bool(0.5, rng) { 0.5 } else { 1.0 },
        }
    }

    /// The theme of the function, if it has one.
    pub const fn theme(&self) -> Option<Theme> {
        self.theme
    }

    /// Whether a policy was drawn.
    pub fn has(&self, policy: Policy) -> bool {
        self.policies.contains(&policy)
    }

    /// Whether a path that is found has to come to some block twice.
    pub(crate) fn wants_loops(&self) -> bool {
        self.has(Policy::Updates) || self.has(Policy::Cyclic)
    }

    /// The policies that were drawn, in order.
    pub fn policies(&self) -> &[Policy] {
        &self.policies
    }

    /// Draws a base.
    pub fn choose_base(&self, rng: &mut Rng) -> Option<Base> {
        match self.bases.len() {
            0 => None,
            n => Some(self.bases[choose_below(n, rng)]),
        }
    }

    /// Draws a coefficient, where coefficients are related.
    pub fn choose_coefficient(&self, ty: WordTy, rng: &mut Rng) -> Option<i64> {
        if !self.has(Policy::Related) {
            return None;
        }
        Some(self.choose_base(rng)?.choose_coefficient(ty, rng))
    }

    /// Draws a constant, where constants are of few kinds.
    pub fn choose_constant(&self, ty: IntTy, rng: &mut Rng) -> Option<i64> {
        self.has(Policy::Constants).then(|| self.constants.choose_value(ty, rng))
    }

    /// Whether nothing is to be added, if it can be helped.
    pub fn choose_zero(&self, rng: &mut Rng) -> bool {
        self.has(Policy::Zero) && choose_bool(self.zero_share, rng)
    }

    /// A line for the header of the function; none where there are no policies.
    pub fn describe(&self) -> Option<String> {
        if self.policies.is_empty() {
            return None;
        }
        let names: Vec<&str> = self.policies.iter().map(|policy| policy.name()).collect();
        let mut line = format!("policies: {}", names.join(", "));
        if self.has(Policy::Related) || self.has(Policy::Boundary) {
            let bases: Vec<String> =
                self.bases.iter().map(|base| base.value(IntTy::I32).to_string()).collect();
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
    use pathsmith_symlang::Seed;

    #[test]
    fn weights_are_probabilities_of_being_drawn() {
        let mut rng = Seed::new(1).rng();
        assert_eq!(SelectedPolicies::choose(&Policies::none(), &mut rng), SelectedPolicies::NONE);
        let mut weights = Policies::none();
        weights.boundary = 1.0;
        let drawn = SelectedPolicies::choose(&weights, &mut rng);
        assert_eq!(drawn.policies(), [Policy::Boundary]);
        assert!(drawn.describe().unwrap().starts_with("policies: boundary; K = "));
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
        let drawn: Vec<SelectedPolicies> =
            (0..200).map(|_| SelectedPolicies::choose(&weights, &mut rng)).collect();
        let n_with = |policy| drawn.iter().filter(|drawn| drawn.has(policy)).count();
        assert!(n_with(Policy::Zero) > 150, "{}", n_with(Policy::Zero));
        assert!((5..50).contains(&n_with(Policy::Relax)), "{}", n_with(Policy::Relax));
        // What weighs nothing is switched off in themes too.
        assert_eq!(n_with(Policy::Boundary), 0);
        let with_zero = drawn.iter().find(|drawn| drawn.policies() == [Policy::Zero]).unwrap();
        assert_eq!(with_zero.describe().unwrap(), "policies: zero; theme: loops");
    }
}
