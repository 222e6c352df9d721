//! Thresholds between floating-point numbers.
//!
//! The numbers at the visits of a terminator are told apart by their places in the order of all
//! numbers, which are integers. A NaN has no place: it compares with nothing, whatever the
//! threshold is.

use super::super::draw::choose_log;
use super::{Decision, Want};
use crate::solve::forward::eval_context::EvalContext;
use crate::solve::forward::states::CellSource;
use crate::values::{FloatValues, number_at, place_of};
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{BinOp, Comparison, Expr, FloatTy, Function, ValueTy};
use pathsmith_symlang::{ExprId, HoleId, Rng};
use rand::RngExt;

/// `value op ?hole`, or the contrary of it.
pub(super) struct FloatThreshold {
    op: Comparison,
    value: ExprId,
    pub(super) hole: HoleId,
    ty: FloatTy,
    is_negated: bool,
}

impl FloatThreshold {
    /// The threshold that a condition is, if it is one: a comparison with a hole that is fresh and
    /// alone on its side.
    pub(super) fn of(
        ctx: &EvalContext<'_>,
        cond: ExprId,
        is_fresh: impl Fn(HoleId) -> bool,
    ) -> Option<Self> {
        let (comparison, is_negated) = match negated(ctx.function, cond) {
            Some(inner) => (inner, true),
            None => (cond, false),
        };
        let Expr::Binary(op, lhs, rhs) = *ctx.function.expr(comparison) else { return None };
        let op = op.as_comparison()?;
        let ValueTy::Float(ty) = ctx.ty(lhs) else { return None };
        let hole = |side| match *ctx.function.expr(side) {
            Expr::Hole(hole, _) if is_fresh(hole) => Some(hole),
            _ => None,
        };
        match (hole(lhs), hole(rhs)) {
            (_, Some(hole)) => Some(Self { op, value: lhs, hole, ty, is_negated }),
            (Some(hole), None) => Some(Self { op: mirrored(op), value: rhs, hole, ty, is_negated }),
            (None, None) => None,
        }
    }

    /// Draws a threshold that separates the visits, if there is one and what it is compared with is
    /// defined.
    pub(super) fn choose<C: CellSource>(
        &self,
        ctx: &EvalContext<'_>,
        wants: &[Want<'_, C>],
        holes: &[Option<i64>],
        rng: &mut Rng,
    ) -> Option<i64> {
        let mut seen = Seen::default();
        for Want { decision: Decision { cells, .. }, truth } in wants {
            let value = ctx.eval(self.value, *cells, holes).ok()?;
            let Some(truth) = truth else { continue };
            let truth = *truth != self.is_negated;
            match place_of(self.ty, value) {
                Some(place) if truth => seen.truths.push(place),
                Some(place) => seen.falsehoods.push(place),
                None if truth == (self.op == Comparison::Ne) => {}
                None => return None,
            }
        }
        let values = &ctx.value_policy.knobs.floats;
        seen.choose(self.op, self.ty, values, rng)
    }
}

/// The comparison that `cond` is the contrary of: `(a < b) == 0`.
fn negated(function: &Function, cond: ExprId) -> Option<ExprId> {
    let Expr::Binary(BinOp::Eq, lhs, rhs) = *function.expr(cond) else { return None };
    match function.expr(rhs) {
        Expr::Const(zero) if zero.ty() == ValueTy::CONDITION && zero.word() == 0 => Some(lhs),
        _ => None,
    }
}

/// The comparison of the same two values in the other order.
const fn mirrored(op: Comparison) -> Comparison {
    match op {
        Comparison::Eq => Comparison::Eq,
        Comparison::Ne => Comparison::Ne,
        Comparison::Lt => Comparison::Gt,
        Comparison::Le => Comparison::Ge,
        Comparison::Gt => Comparison::Lt,
        Comparison::Ge => Comparison::Le,
    }
}

/// The places of the numbers for which a comparison has to hold, and of those for which it must not.
#[derive(Default)]
struct Seen {
    truths: Vec<i64>,
    falsehoods: Vec<i64>,
}

impl Seen {
    fn choose(
        &self,
        op: Comparison,
        ty: FloatTy,
        values: &FloatValues,
        rng: &mut Rng,
    ) -> Option<i64> {
        let ends = |places: &[i64]| Some((*places.iter().min()?, *places.iter().max()?));
        let (truths, falsehoods) = (ends(&self.truths), ends(&self.falsehoods));
        let (low, high) = match op {
            Comparison::Lt => {
                (truths.map(|(_, most)| most + 1), falsehoods.map(|(least, _)| least))
            }
            Comparison::Le => {
                (truths.map(|(_, most)| most), falsehoods.map(|(least, _)| least - 1))
            }
            Comparison::Gt => {
                (falsehoods.map(|(_, most)| most), truths.map(|(least, _)| least - 1))
            }
            Comparison::Ge => {
                (falsehoods.map(|(_, most)| most + 1), truths.map(|(least, _)| least))
            }
            Comparison::Eq => return choose_equal(&self.truths, &self.falsehoods, ty, values, rng),
            Comparison::Ne => return choose_equal(&self.falsehoods, &self.truths, ty, values, rng),
        };
        let limit = ty.infinity();
        if low.is_some_and(|low| low > limit) || high.is_some_and(|high| high < -limit) {
            return None;
        }
        let (first, last) = (low.unwrap_or(-limit).max(-limit), high.unwrap_or(limit).min(limit));
        (first <= last).then(|| {
            let place = choose_between(ty, (low, high), (first, last), values, rng);
            number(ty, place.clamp(first, last), rng)
        })
    }
}

/// Draws a place from `first` to `last`, of which those ends count as seen that stem from values:
/// mostly next to one of them, where a change of the last place changes the decision, else that of a
/// number that one would write.
fn choose_between(
    ty: FloatTy,
    seen: (Option<i64>, Option<i64>),
    (first, last): (i64, i64),
    values: &FloatValues,
    rng: &mut Rng,
) -> i64 {
    let near = choose_log(1, 16, rng) - 1;
    match (choose_below(10, rng), seen) {
        (0..=3, (Some(_), None)) => first.saturating_add(near),
        (0..=3, (None, Some(_))) => last.saturating_sub(near),
        (0..=1, (Some(_), Some(_))) => first.saturating_add(near),
        (2..=3, (Some(_), Some(_))) => last.saturating_sub(near),
        (4..=6, _) => {
            let [low, high] = [first, last].map(|place| ty.value(number_at(ty, place)));
            let middle = match (low.is_finite(), high.is_finite()) {
                (true, true) => low / 2.0 + high / 2.0,
                (true, false) => low + rng.random_range(0..=100_i64) as f64 / 4.0,
                (false, true) => high - rng.random_range(0..=100_i64) as f64 / 4.0,
                (false, false) => rng.random_range(-100..=100_i64) as f64 / 4.0,
            };
            // The whole number next to it, if that will do as well.
            let whole = place_of(ty, ty.word(middle.round())).unwrap_or(0);
            match (first..=last).contains(&whole) {
                true => whole,
                false => place_of(ty, ty.word(middle)).unwrap_or(0),
            }
        }
        _ => place_of(ty, values.choose(ty, 1, rng)).unwrap_or(first),
    }
}

/// The number at a place, and at 0 one of the two zeros.
fn number(ty: FloatTy, place: i64, rng: &mut Rng) -> i64 {
    match place == 0 && choose_bool(0.5, rng) {
        true => ty.word(-0.0),
        false => number_at(ty, place),
    }
}

/// Draws a number that equals all of `same` and none of `others`.
fn choose_equal(
    same: &[i64],
    others: &[i64],
    ty: FloatTy,
    values: &FloatValues,
    rng: &mut Rng,
) -> Option<i64> {
    let place = match same {
        [] => {
            let mut drawn = (0..8).filter_map(|_| place_of(ty, values.choose(ty, 1, rng)));
            drawn.find(|place| !others.contains(place))?
        }
        [first, rest @ ..] if rest.iter().all(|place| place == first) => *first,
        _ => return None,
    };
    (!others.contains(&place)).then(|| number(ty, place, rng))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use pathsmith_symlang::Seed;
    use pathsmith_symlang::semantics::table;

    fn operator(op: Comparison) -> BinOp {
        BinOp::ALL.into_iter().find(|known| known.as_comparison() == Some(op)).unwrap()
    }

    proptest! {
        /// What is drawn compares as the table says that it has to.
        #[test]
        fn thresholds_separate_what_they_are_drawn_for(
            seed: u64,
            drawn in proptest::collection::vec(any::<i64>(), 1..6),
            at in 0..6_usize,
            threshold: i64,
        ) {
            for ty in FloatTy::ALL {
                let op = [
                    Comparison::Eq,
                    Comparison::Ne,
                    Comparison::Lt,
                    Comparison::Le,
                    Comparison::Gt,
                    Comparison::Ge,
                ][at];
                let threshold = ty.canonical(threshold);
                prop_assume!(!ty.is_nan(threshold));
                let holds = |word, threshold| {
                    table::binary(operator(op), ty.into(), word, threshold).word != 0
                };
                // Some threshold separates them, so one is found.
                let mut seen = Seen::default();
                let words: Vec<i64> = drawn.iter().map(|word| ty.canonical(*word)).collect();
                for word in &words {
                    match place_of(ty, *word) {
                        Some(place) if holds(*word, threshold) => seen.truths.push(place),
                        Some(place) => seen.falsehoods.push(place),
                        None => {}
                    }
                }
                let rng = &mut Seed::new(seed).rng();
                let found = seen.choose(op, ty, &FloatValues::PLAIN, rng);
                let found = found.expect("there is a threshold");
                for word in words.into_iter().filter(|word| !ty.is_nan(*word)) {
                    prop_assert_eq!(holds(word, found), holds(word, threshold));
                }
            }
        }
    }
}
