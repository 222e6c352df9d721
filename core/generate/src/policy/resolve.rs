//! From policies to knobs: the one place that knows what a policy asks for.

use rand::RngExt;

use super::{Policies, Policy, SelectedPolicies};
use crate::knobs::Knobs;
use crate::shape::ExecutionFirstKnobs;
use crate::values::{Base, BoundaryKnobs, Constants, Relaxations};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::IntTy;

/// The limit on the steps of a path that is found by execution is at least this, whatever other
/// policies ask for (a guess) …
const MIN_EXECUTED_LEN: u32 = 8;
/// … and at most this (a guess).
const MAX_EXECUTED_LEN: u32 = 20;

impl Policies {
    /// Selects the policies of a function, and turns its knobs as they ask for. Sizes and shares
    /// are only ever lowered, features switched off, and paths asked to be longer as far as they
    /// may be, so knobs that were valid stay valid.
    pub fn resolve(&self, knobs: &mut Knobs, rng: &mut Rng) -> SelectedPolicies {
        // What policies raise it to is for paths that are drawn.
        let min_len = knobs.shape.walk.min_len;
        let selected = SelectedPolicies::choose(self, rng);
        if selected.policies().is_empty() {
            return selected;
        }
        let drawn = Parameters::choose(&selected, rng);
        turn_value_knobs(&selected, &drawn, knobs);
        turn_expr_knobs(&selected, &drawn, knobs);
        choose_sizes(&selected, knobs, rng);
        if selected.has(Policy::ExecutionFirst) {
            let max_len = knobs.shape.walk.max_len.clamp(MIN_EXECUTED_LEN, MAX_EXECUTED_LEN);
            knobs.shape.execution_first = (min_len <= max_len).then_some(ExecutionFirstKnobs {
                min_len,
                max_len,
                needs_loop: selected.has(Policy::Updates) || selected.has(Policy::Cyclic),
                needs_order: selected.has(Policy::Order),
            });
        }
        selected
    }
}

impl Policies {
    /// Gives a function floating-point numbers, and selects the policies that are about them.
    pub fn resolve_floats(
        &self,
        selected: &mut SelectedPolicies,
        knobs: &mut Knobs,
        rng: &mut Rng,
    ) {
        knobs.expr.has_floats = true;
        selected.choose_of_floats(self, rng);
        let values = &mut knobs.value.floats;
        // All shares are guesses.
        if selected.has(Policy::Specials) {
            values.special_share = 0.35;
        }
        if selected.has(Policy::Rounding) {
            (values.rounding_share, values.cancel_share) = (0.35, 0.5);
        }
        if selected.has(Policy::Unordered) {
            values.nan_share = 0.1;
            knobs.expr.is_unordered = true;
        }
        if selected.has(Policy::RoundTrips) {
            values.round_trip_share = 0.3;
            knobs.expr.round_trip_share = 0.4;
        }
    }
}

/// What policies draw once for the whole function. All of it is drawn for every function that has
/// policies, so that one policy more or less does not change what the others draw.
struct Parameters {
    bases: Vec<Base>,
    relaxed: Relaxations,
    constants: Constants,
    pair_share: f64,
    update_share: f64,
    repeat_share: f64,
    zero_share: f64,
    family_share: f64,
    constant_share: f64,
}

impl Parameters {
    fn choose(selected: &SelectedPolicies, rng: &mut Rng) -> Self {
        let n_bases = 1 + usize::from(choose_bool(0.25, rng));
        let bases = (0..n_bases).map(|_| Base::choose(rng)).collect();
        let relaxed = match selected.has(Policy::Relax) {
            true => Relaxations::choose(rng),
            false => Relaxations::NONE,
        };
        Self {
            bases,
            relaxed,
            constants: Constants::choose(rng),
            pair_share: rng.random_range(0.6..1.0),
            update_share: rng.random_range(0.75..1.0),
            repeat_share: rng.random_range(0.1..0.6),
            zero_share: rng.random_range(0.5..1.0),
            family_share: rng.random_range(0.3..1.0),
            constant_share: if choose_bool(0.5, rng) { 0.5 } else { 1.0 },
        }
    }
}

/// Shares that are fixed were guessed.
fn turn_value_knobs(selected: &SelectedPolicies, drawn: &Parameters, knobs: &mut Knobs) {
    let value = &mut knobs.value;
    let is_related = selected.has(Policy::Related);
    value.bases = drawn.bases.clone();
    value.relaxed = drawn.relaxed;
    if is_related {
        value.related_coefficients = true;
        value.related_divisor_share = 0.3;
    }
    if selected.has(Policy::Boundary) {
        value.boundary = Some(BoundaryKnobs {
            result_share: 0.5,
            step_share: 0.6,
            related_step_share: if is_related { 0.5 } else { 0.0 },
            input_share: 0.5,
            redraws: 12,
            more_attempts: 8,
        });
    }
    if selected.has(Policy::Zero) {
        value.zero_share = drawn.zero_share;
    }
    if selected.has(Policy::Order) {
        value.order_share = 0.8;
    }
    if selected.has(Policy::Constants) {
        value.constants = Some(drawn.constants.clone());
    }
}

/// Shares that are fixed were guessed.
fn turn_expr_knobs(selected: &SelectedPolicies, drawn: &Parameters, knobs: &mut Knobs) {
    let expr = &mut knobs.expr;
    if selected.has(Policy::Pairs) {
        expr.pair_share = drawn.pair_share;
        expr.second_pair_share = 0.1;
        // A pair has two variables, and says most if both are inputs.
        expr.min_params = 2;
    }
    if selected.has(Policy::Updates) {
        expr.update_share = drawn.update_share;
        expr.omit_share = 0.3;
    }
    expr.constant_seeds = selected.has(Policy::ConstantSeeds);
    if selected.has(Policy::SingleAssignment) {
        expr.single_assignment = true;
        expr.input_share = 0.8;
    }
    if selected.has(Policy::SingleAssignment) || selected.has(Policy::Updates) {
        // They have something else in mind for inputs than counting.
        expr.input_step_share = 0.15;
    }
    if selected.has(Policy::Reuse) {
        expr.repeat_share = drawn.repeat_share;
    }
    if selected.has(Policy::Contexts) {
        expr.family_share = drawn.family_share;
    }
    expr.own_operators = selected.has(Policy::Shuffle);
    if selected.has(Policy::ConstantLeaves) {
        expr.constant_leaf_share = drawn.constant_share * 0.4;
    }
    if selected.has(Policy::Zero) {
        expr.plain_condition_share = 0.9;
        expr.variable_condition_share = 0.25;
    }
}

/// Draws what policies ask of sizes, types and paths.
fn choose_sizes(selected: &SelectedPolicies, knobs: &mut Knobs, rng: &mut Rng) {
    let (graph, walk, sizes) =
        (&mut knobs.shape.graph, &mut knobs.shape.walk, &mut knobs.expr.sizes);
    let at_most = |most: &mut u32, wanted: u32| *most = wanted.min(*most);
    if selected.has(Policy::Small) {
        // Mostly very small: what is compiled sooner is asked for more often.
        let most = if choose_bool(0.7, rng) { 4 } else { 7 };
        at_most(&mut graph.blocks, rng.random_range(2..=most));
        graph.loops = graph.loops.min(graph.blocks / 2);
        at_most(&mut sizes.vars, rng.random_range(2..=4));
        at_most(&mut sizes.assigns, if choose_bool(0.7, rng) { 1 } else { 2 });
        at_most(&mut sizes.terms_assign, rng.random_range(1..=2));
        at_most(&mut sizes.terms_cond, rng.random_range(1..=2));
        at_most(&mut sizes.depth, 1);
        if choose_bool(0.7, rng) {
            sizes.arrays = 0.0;
        }
    }
    if selected.has(Policy::FewTypes) {
        choose_few_types(&mut sizes.types, rng);
    }
    if selected.has(Policy::Forward) {
        graph.forward = graph.forward.max(rng.random_range(0.6..1.0));
    }
    if selected.has(Policy::Short) {
        let most = rng.random_range(4..=10).max(walk.min_len);
        at_most(&mut walk.max_len, most);
    }
    if selected.has(Policy::Cyclic) {
        at_most(&mut graph.blocks, rng.random_range(2..=5));
        graph.loops = graph.loops.min(graph.blocks / 2);
        let least = rng.random_range(3..=12).min(walk.max_len);
        walk.min_len = walk.min_len.max(least);
    }
}

/// Leaves one type, sometimes two.
fn choose_few_types(types: &mut Vec<IntTy>, rng: &mut Rng) {
    // Optimizers do most with types whose overflow is undefined.
    let favourite = match choose_below(20, rng) {
        0..=11 => Some(IntTy::I32),
        12..=14 => Some(IntTy::I64),
        _ => None,
    };
    let first = match favourite {
        Some(ty) if types.contains(&ty) => ty,
        _ => types[choose_below(types.len(), rng)],
    };
    let second = types[choose_below(types.len(), rng)];
    *types = vec![first];
    if choose_bool(0.2, rng) {
        types.extend([first, second]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathsmith_symlang::Seed;

    fn resolved(weights: &Policies, seed: u64) -> Knobs {
        let mut knobs = Knobs::default();
        weights.resolve(&mut knobs, &mut Seed::new(seed).rng());
        knobs
    }

    #[test]
    fn without_policies_knobs_stay_as_they_are() {
        assert_eq!(resolved(&Policies::none(), 1), Knobs::default());
    }

    #[test]
    fn a_policy_turns_its_own_knobs_and_no_others() {
        let weights = Policies { zero: 1.0, ..Policies::none() };
        let knobs = resolved(&weights, 1);
        let mut expected = Knobs::default();
        expected.value.bases.clone_from(&knobs.value.bases);
        expected.value.zero_share = knobs.value.zero_share;
        expected.expr.plain_condition_share = 0.9;
        expected.expr.variable_condition_share = 0.25;
        assert!(knobs.value.zero_share >= 0.5);
        assert_eq!(knobs, expected);
    }

    #[test]
    fn execution_first_asks_for_what_the_other_policies_are_about() {
        let mut weights = Policies { execution_first: 1.0, ..Policies::none() };
        let plain = resolved(&weights, 1).shape.execution_first.unwrap();
        assert_eq!((plain.min_len, plain.max_len), (0, MAX_EXECUTED_LEN));
        assert!(!plain.needs_loop && !plain.needs_order);
        (weights.cyclic, weights.order, weights.short) = (1.0, 1.0, 1.0);
        let knobs = resolved(&weights, 1).shape.execution_first.unwrap();
        assert!(knobs.needs_loop && knobs.needs_order);
        assert!((MIN_EXECUTED_LEN..=10).contains(&knobs.max_len));
        // Runs are not as long as this.
        let mut long = Knobs::default();
        long.shape.walk.min_len = MAX_EXECUTED_LEN + 1;
        weights.resolve(&mut long, &mut Seed::new(1).rng());
        assert_eq!(long.shape.execution_first, None);
    }
}
