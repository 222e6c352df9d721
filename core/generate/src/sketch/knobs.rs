//! What the expressions and statements of one function are made of.

use super::options::SketchOptions;

pathsmith_symlang::knobs! {
    /// What the expressions and statements of one function are made of. A share of 0 is off, and
    /// draws nothing. The defaults are those of a function without policies.
    pub struct ExprKnobs {
        /// Sizes, types and the language.
        sizes: SketchOptions = SketchOptions::default();
        /// Least number of inputs.
        min_params: u32 = 1;
        /// Share of expressions that are pairs: `b + k * a`, of the same few variables.
        pair_share: share = 0.0;
        /// Share of values that a second pair is added to.
        second_pair_share: share = 0.0;
        /// Share of statements that update a variable: `v = v + w + c`.
        update_share: share = 0.0;
        /// Share of statements that are omitted: what is updated in few places is easier for an
        /// optimizer to see through.
        omit_share: share = 0.0;
        /// Whether pairs and updates are made of locals that begin with constants, not of inputs.
        constant_seeds: bool = false;
        /// Whether each assignment has a variable of its own.
        single_assignment: bool = false;
        /// Share of operands that are inputs, so that everything depends on them soon.
        input_share: share = 0.35;
        /// Share of blocks with a decision that depends on an input in which the input is stepped.
        input_step_share: share = 0.7;
        /// Share of expressions that repeat an earlier one.
        repeat_share: share = 0.0;
        /// Share of blocks that keep to one family of operators.
        family_share: share = 0.0;
        /// Whether the function draws operators of its own for terms.
        own_operators: bool = false;
        /// Share of operands that are constants instead of variables.
        constant_leaf_share: share = 0.0;
        /// Share of signed conditions that compare with 0 (or a variable) instead of a hole.
        plain_condition_share: share = 0.3;
        /// Share of those that compare with a variable.
        variable_condition_share: share = 0.0;
        /// Whether the function has floating-point numbers.
        has_floats: bool = false;
        /// Whether comparisons are about whether there is a NaN.
        is_unordered: bool = false;
        /// Share of operands that are integers where there would be floating-point numbers, and the
        /// other way round.
        round_trip_share: share = 0.0;
    }
}
