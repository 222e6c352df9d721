//! Which values the policies of a function ask for.

use rand::RngExt;

use crate::values::{Base, ValueKnobs};
use pathsmith_symlang::Rng;
use pathsmith_symlang::VarId;
use pathsmith_symlang::choose::{choose_below, choose_bool, choose_share};
use pathsmith_symlang::lang::{IntTy, ScalarTy};

/// Which values a function is to have: its policies, and what the sketch says of its variables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValuePolicy<'a> {
    pub(crate) knobs: &'a ValueKnobs,
    /// Variables that coefficients are multiplied with.
    pub(crate) strides: &'a [VarId],
    /// Variables that are updated with each other.
    pub(crate) updated: &'a [VarId],
}

impl ValuePolicy<'static> {
    /// No policies.
    pub(crate) const NONE: Self = Self { knobs: &ValueKnobs::PLAIN, strides: &[], updated: &[] };
}

impl ValuePolicy<'_> {
    /// Draws a boundary value for an input, if inputs are to have them; `others` are values that other
    /// variables of its function have.
    pub(crate) fn choose_input(
        &self,
        var: VarId,
        ty: impl Into<ScalarTy>,
        others: &[i64],
        rng: &mut Rng,
    ) -> Option<i64> {
        // Boundaries are those of integers.
        let ty = ty.into().as_int()?;
        self.knobs.boundary.as_ref()?;
        let base = self.knobs.choose_base(rng)?;
        if self.strides.contains(&var) && choose_bool(0.8, rng) {
            return Some(base.choose_stride(ty, rng));
        }
        let near = rng.random_range(-3..=3_i64);
        if self.updated.contains(&var) {
            return Some(self.choose_updated(var, ty, others, rng));
        }
        Some(match choose_below(10, rng) {
            0..=3 => ty.wrap(near),
            4 | 5 if !others.is_empty() => {
                let other = others[choose_below(others.len(), rng)];
                let sign = if choose_bool(0.8, rng) { -1 } else { 1 };
                ty.wrap(other.wrapping_mul(sign).wrapping_add(near))
            }
            6 => return None,
            _ => base.choose_boundary(ty, rng),
        })
    }

    /// Draws a value for a variable that is updated with others: large for the first, and about
    /// what takes it back to 0 for the others.
    fn choose_updated(&self, var: VarId, ty: IntTy, others: &[i64], rng: &mut Rng) -> i64 {
        let is_first = self.updated.first() == Some(&var);
        match others.last() {
            Some(other) if !is_first && choose_bool(0.9, rng) => {
                let near = rng.random_range(-40..=40_i64);
                ty.wrap(other.wrapping_neg().wrapping_add(near))
            }
            _ if choose_bool(0.6, rng) => {
                Base::NearMax(choose_below(6, rng) as u8).choose_signed(ty, rng)
            }
            _ => {
                let half = ty.max() / 2;
                let size = half.wrapping_add(rng.random_range(0..=half));
                ty.wrap(if ty.is_signed() && choose_bool(0.5, rng) { -size } else { size })
            }
        }
    }

    /// Draws a boundary value for a result, if results are to have them.
    pub(crate) fn choose_result(&self, ty: IntTy, rng: &mut Rng) -> Option<i64> {
        let boundary = self.knobs.boundary.as_ref()?;
        if !choose_bool(boundary.result_share, rng) {
            return None;
        }
        Some(self.knobs.choose_base(rng)?.choose_boundary(ty, rng))
    }

    /// Draws a step such that `n` of them, from `from` on, just stay within the type, or times the
    /// base do.
    pub(crate) fn choose_step(&self, ty: IntTy, from: i64, n: usize, rng: &mut Rng) -> Option<i64> {
        let boundary = self.knobs.boundary.as_ref()?;
        if !choose_bool(boundary.step_share, rng) {
            return None;
        }
        let divisor = match choose_share(boundary.related_step_share, rng) {
            true => self.knobs.choose_base(rng)?.value(ty),
            false => 1,
        };
        let is_down = ty.is_signed() && choose_bool(0.5, rng);
        let limit = ty.to_wide(if is_down { ty.min() + 1 } else { ty.max() }) / divisor;
        let room = limit - ty.to_wide(from);
        let near = if choose_bool(0.5, rng) { 0 } else { choose_below(4, rng) as i128 };
        let step = room / (n as i128).max(1);
        // The step must not turn round.
        let step = if is_down { (step + near).min(-1) } else { (step - near).max(1) };
        // Where the whole width of a narrow type is to be crossed, the step does not fit itself.
        if is_down == (room < 0) { ty.from_wide(step) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::values::BoundaryKnobs;
    use pathsmith_symlang::Seed;

    fn boundary_values() -> ValueKnobs {
        let boundary = BoundaryKnobs {
            result_share: 1.0,
            step_share: 1.0,
            related_step_share: 0.5,
            input_share: 1.0,
            redraws: 0,
            more_attempts: 0,
        };
        ValueKnobs { boundary: Some(boundary), ..ValueKnobs::PLAIN }
    }

    proptest! {
        #[test]
        fn the_last_step_is_within_the_type(
            seed: u64,
            ty in 0..8_usize,
            from: i64,
            n in 1..300_usize,
        ) {
            let (ty, mut rng) = (IntTy::ALL[ty], Seed::new(seed).rng());
            let from = ty.wrap(from);
            let knobs = ValueKnobs { bases: vec![Base::choose(&mut rng)], ..boundary_values() };
            let value_policy = ValuePolicy { knobs: &knobs, strides: &[], updated: &[] };
            if let Some(step) = value_policy.choose_step(ty, from, n, &mut rng) {
                let step = ty.to_wide(step);
                prop_assert!(step != 0);
                let last = ty.to_wide(from) + step * n as i128;
                // A step of one is the least there is, even where there is no room for all.
                prop_assert!(ty.from_wide(last).is_some() || step.abs() == 1, "{step}");
            }
        }
    }

    #[test]
    fn without_policies_nothing_is_asked_for() {
        let mut rng = Seed::new(1).rng();
        let plain = ValuePolicy::NONE;
        assert_eq!(plain.choose_input(VarId::new(0), IntTy::I32, &[], &mut rng), None);
        assert_eq!(plain.choose_result(IntTy::I32, &mut rng), None);
        assert_eq!(plain.choose_step(IntTy::I32, 0, 3, &mut rng), None);
    }
}
