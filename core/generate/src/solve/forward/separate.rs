//! The second half: terminators.
//!
//! A terminator's holes steer only the branch, never the state. So once the states at its visits
//! are known, it is a small problem of its own: the visits that must go one way have to be told
//! apart from those that must go the other.

mod float;

use self::float::FloatThreshold;
use super::draw::{Bias, Bound, choose_for_role, choose_in_range, choose_value};
use super::eval_context::EvalContext;
use super::roles::{Additive, HoleSite, additive, collect};
use super::states::CellSource;
use pathsmith_symlang::Rng;
use pathsmith_symlang::lang::{Comparison, ConstOrHole, Expr, IntTy, Term, ValueTy};
use pathsmith_symlang::{BlockId, ExprId};

/// How often a condition is drawn before it is given up.
const MAX_DRAWS: usize = 80;

/// How often it is drawn with nothing added, where that is what policies ask for.
const N_ZERO_DRAWS: usize = 24;

/// A visit of a terminator: the state it sees, and where it has to go.
pub(super) struct Decision<C> {
    pub(super) step: usize,
    pub(super) cells: C,
    pub(super) target: BlockId,
}

/// Finds values for the holes of a block's terminator; in error, the step that cannot be told
/// apart from others.
pub(super) fn separate<C: CellSource>(
    ctx: &EvalContext<'_>,
    block: BlockId,
    decisions: &[Decision<C>],
    holes: &mut [Option<i64>],
    rng: &mut Rng,
) -> Result<(), usize> {
    match &ctx.function.block(block).term {
        Term::Goto(_) | Term::Return(_) => Ok(()),
        Term::If { cond, then, otherwise } if then == otherwise => {
            let wants = decisions.iter().map(|decision| Want { decision, truth: None }).collect();
            Condition::new(ctx, *cond, holes).solve(wants, holes, rng)
        }
        Term::If { cond, then, .. } => {
            let want = |decision| Want { decision, truth: Some(decision.target == *then) };
            let wants = decisions.iter().map(|decision: &Decision<C>| want(decision)).collect();
            Condition::new(ctx, *cond, holes).solve(wants, holes, rng)
        }
        Term::Switch { on, cases, default } => {
            switch(ctx, *on, cases, *default, decisions, holes, rng)
        }
    }
}

/// What a condition has to be at a visit; where both ways lead to one block, anything defined.
struct Want<'d, C> {
    decision: &'d Decision<C>,
    truth: Option<bool>,
}

/// A condition with the holes that are still to be drawn.
struct Condition<'s, 'a> {
    ctx: &'s EvalContext<'a>,
    cond: ExprId,
    fresh: Vec<HoleSite>,
    threshold: Option<Threshold>,
    float_threshold: Option<FloatThreshold>,
}

/// A comparison `lhs op rhs` with a hole that is added to one side.
struct Threshold {
    op: Comparison,
    lhs: ExprId,
    rhs: ExprId,
    hole: Additive,
    /// Whether the hole is on the left.
    on_left: bool,
    /// Whether the hole is all there is on its side, and so cannot make anything undefined.
    is_alone: bool,
    ty: IntTy,
}

impl<'s, 'a> Condition<'s, 'a> {
    fn new(ctx: &'s EvalContext<'a>, cond: ExprId, holes: &[Option<i64>]) -> Self {
        let mut fresh = Vec::with_capacity(8);
        collect(ctx, cond, &mut fresh);
        fresh.retain(|site| holes[site.hole.index()].is_none());
        let is_fresh = |found: &Additive| fresh.iter().any(|site| site.hole == found.hole);
        let threshold = match *ctx.function.expr(cond) {
            Expr::Binary(op, lhs, rhs) if let Some(op) = op.as_comparison() => {
                let ty = ctx.ty(lhs).as_int().map(IntTy::from);
                let find = |side| additive(ctx.function, side).filter(is_fresh);
                let found = |hole, on_left| {
                    let side = ctx.function.expr(if on_left { lhs } else { rhs });
                    let is_alone = matches!(side, Expr::Hole(..));
                    Some(Threshold { op, lhs, rhs, hole, on_left, is_alone, ty: ty? })
                };
                find(rhs)
                    .map(|hole| found(hole, false))
                    .or_else(|| find(lhs).map(|hole| found(hole, true)))
                    .flatten()
            }
            _ => None,
        };
        let is_fresh = |hole| fresh.iter().any(|site| site.hole == hole);
        let float_threshold = FloatThreshold::of(ctx, cond, is_fresh);
        Self { ctx, cond, fresh, threshold, float_threshold }
    }

    fn solve<C: CellSource>(
        &self,
        wants: Vec<Want<'_, C>>,
        holes: &mut [Option<i64>],
        rng: &mut Rng,
    ) -> Result<(), usize> {
        let last = wants.last().map_or(0, |want| want.decision.step);
        let n_draws = if self.fresh.is_empty() { 1 } else { MAX_DRAWS };
        let mut failed_at = last;
        let mut bounds = Bounds::default();
        let wants_zero = self.ctx.value_policy.knobs.choose_zero(rng);
        for draw in 0..n_draws {
            let bias = (draw / 8) as Bias;
            let is_zero = wants_zero && draw < N_ZERO_DRAWS;
            for site in &self.fresh {
                holes[site.hole.index()] =
                    Some(choose_for_role(self.ctx.value_policy, site, bias, rng));
            }
            if let Some(threshold) = &self.threshold {
                if !self.place_threshold(threshold, &wants, is_zero, &mut bounds, holes, rng) {
                    continue;
                }
                if threshold.is_alone {
                    return Ok(());
                }
            }
            if let Some(threshold) = &self.float_threshold {
                let value = threshold.choose(self.ctx, &wants, holes, rng);
                let Some(value) = value else { continue };
                holes[threshold.hole.index()] = Some(value);
            }
            match self.first_wrong(&wants, holes) {
                None => return Ok(()),
                Some(step) => failed_at = step,
            }
        }
        self.fresh.iter().for_each(|site| holes[site.hole.index()] = None);
        Err(failed_at)
    }

    fn first_wrong<C: CellSource>(
        &self,
        wants: &[Want<'_, C>],
        holes: &[Option<i64>],
    ) -> Option<usize> {
        let wrong =
            wants.iter().find(|want| match self.ctx.eval(self.cond, want.decision.cells, holes) {
                Ok(value) => want.truth.is_some_and(|truth| truth != (value != 0)),
                Err(_) => true,
            });
        wrong.map(|want| want.decision.step)
    }

    /// Puts the threshold where it separates the visits, if it can.
    fn place_threshold<C: CellSource>(
        &self,
        threshold: &Threshold,
        wants: &[Want<'_, C>],
        is_zero: bool,
        bounds: &mut Bounds,
        holes: &mut [Option<i64>],
        rng: &mut Rng,
    ) -> bool {
        let at = threshold.hole.hole.index();
        holes[at] = Some(0);
        let ty = threshold.ty;
        bounds.clear();
        for want in wants {
            let cells = want.decision.cells;
            let sides = [threshold.lhs, threshold.rhs]
                .map(|side| self.ctx.eval(side, cells, holes).map(|value| ty.to_wide(value)));
            let [Ok(lhs), Ok(rhs)] = sides else { return false };
            // With the hole on its own side, what it is compared with.
            bounds.add(lhs - rhs, want.truth);
            if bounds.overlap(threshold.op) {
                return false;
            }
        }
        if is_zero {
            return bounds.allow(threshold.op, 0);
        }
        // `lhs op rhs + h` is `lhs - rhs op h`, and `lhs + h op rhs` is `lhs - rhs op -h`.
        let Some(value) = bounds.choose(threshold.op, ty, rng) else { return false };
        let negated = threshold.hole.negated != threshold.on_left;
        let value = if negated { -value } else { value };
        match ty.from_wide(value) {
            Some(value) => holes[at] = Some(value),
            None => return false,
        }
        true
    }
}

/// The values that a comparison sees, by what it has to say to them.
#[derive(Default)]
struct Bounds {
    truths: Seen,
    falsehoods: Seen,
}

/// Values that were seen, with the least and the greatest of them.
#[derive(Default)]
struct Seen {
    values: Vec<i128>,
    ends: Option<(i128, i128)>,
}

impl Seen {
    fn clear(&mut self) {
        self.values.clear();
        self.ends = None;
    }

    fn add(&mut self, value: i128) {
        self.values.push(value);
        let (low, high) = self.ends.unwrap_or((value, value));
        self.ends = Some((low.min(value), high.max(value)));
    }

    fn lowest(&self) -> Option<i128> {
        self.ends.map(|(low, _)| low)
    }

    fn highest(&self) -> Option<i128> {
        self.ends.map(|(_, high)| high)
    }

    /// Whether some value of this is not below all of `other`.
    fn reaches(&self, other: &Self) -> bool {
        matches!((self.ends, other.ends), (Some((_, high)), Some((low, _))) if high >= low)
    }

    fn differ(&self) -> bool {
        self.ends.is_some_and(|(low, high)| low != high)
    }
}

impl Bounds {
    fn clear(&mut self) {
        self.truths.clear();
        self.falsehoods.clear();
    }

    fn add(&mut self, value: i128, truth: Option<bool>) {
        match truth {
            Some(true) => self.truths.add(value),
            Some(false) => self.falsehoods.add(value),
            None => {}
        }
    }

    /// Whether no value can tell them apart with `op`, whatever comes next.
    fn overlap(&self, op: Comparison) -> bool {
        match op {
            Comparison::Lt | Comparison::Le => self.truths.reaches(&self.falsehoods),
            Comparison::Gt | Comparison::Ge => self.falsehoods.reaches(&self.truths),
            Comparison::Eq => self.truths.differ(),
            Comparison::Ne => self.falsehoods.differ(),
        }
    }

    /// Whether the truths, and only they, compare with `value` as `op` says.
    fn allow(&self, op: Comparison, value: i128) -> bool {
        let holds = |seen: &i128| match op {
            Comparison::Lt => *seen < value,
            Comparison::Le => *seen <= value,
            Comparison::Gt => *seen > value,
            Comparison::Ge => *seen >= value,
            Comparison::Eq => *seen == value,
            Comparison::Ne => *seen != value,
        };
        self.truths.values.iter().all(holds) && !self.falsehoods.values.iter().any(holds)
    }

    /// Draws a value that the truths, and only they, compare with as `op` says.
    fn choose(&self, op: Comparison, ty: IntTy, rng: &mut Rng) -> Option<i128> {
        let (min, max) = (ty.to_wide(ty.min()), ty.to_wide(ty.max()));
        let (t, f) = (&self.truths, &self.falsehoods);
        let (low, high) = match op {
            Comparison::Lt => (t.highest().map(|v| v + 1), f.lowest()),
            Comparison::Le => (t.highest(), f.lowest().map(|v| v - 1)),
            Comparison::Gt => (f.highest(), t.lowest().map(|v| v - 1)),
            Comparison::Ge => (f.highest().map(|v| v + 1), t.lowest()),
            Comparison::Eq => return choose_equal(&t.values, &f.values, ty, rng),
            Comparison::Ne => return choose_equal(&f.values, &t.values, ty, rng),
        };
        let bound = |value: Option<i128>, limit: i128| Bound {
            value: value.unwrap_or(limit).clamp(min, max),
            seen: value.is_some(),
        };
        // A bound beyond the type leaves nothing, not the limit.
        let fits = low.is_none_or(|low| low <= max) && high.is_none_or(|high| high >= min);
        let (low, high) = (bound(low, min), bound(high, max));
        (fits && low.value <= high.value).then(|| choose_in_range(low, high, rng))
    }
}

/// Draws a value that equals all of `same` and none of `others`.
fn choose_equal(same: &[i128], others: &[i128], ty: IntTy, rng: &mut Rng) -> Option<i128> {
    let value = match same {
        [] => {
            let mut drawn = (0..8).map(|_| ty.to_wide(choose_value(ty, 0, rng)));
            drawn.find(|value| !others.contains(value))?
        }
        [first, rest @ ..] if rest.iter().all(|value| value == first) => *first,
        _ => return None,
    };
    (!others.contains(&value)).then_some(value)
}

/// The type of what a `switch` decides on, which is an integer's.
pub(super) fn switch_ty(ty: ValueTy) -> IntTy {
    ty.as_int().map_or(IntTy::I32, IntTy::from)
}

fn switch<C: CellSource>(
    ctx: &EvalContext<'_>,
    on: ExprId,
    cases: &[(ConstOrHole, BlockId)],
    default: BlockId,
    decisions: &[Decision<C>],
    holes: &mut [Option<i64>],
    rng: &mut Rng,
) -> Result<(), usize> {
    let mut fresh = Vec::new();
    collect(ctx, on, &mut fresh);
    fresh.retain(|site| holes[site.hole.index()].is_none());
    let ty = switch_ty(ctx.ty(on));
    let before = holes.to_vec();
    let n_draws = if fresh.is_empty() { 1 } else { MAX_DRAWS };
    for draw in 0..n_draws {
        for site in &fresh {
            let value = choose_for_role(ctx.value_policy, site, (draw / 8) as Bias, rng);
            holes[site.hole.index()] = Some(value);
        }
        let values: Result<Vec<i64>, _> =
            decisions.iter().map(|decision| ctx.eval(on, decision.cells, holes)).collect();
        if let Ok(values) = values
            && place_labels(ty, cases, default, decisions, &values, holes, rng)
        {
            return Ok(());
        }
        holes.copy_from_slice(&before);
    }
    Err(decisions.last().map_or(0, |decision| decision.step))
}

/// Picks labels from the values at the visits.
fn place_labels<C: CellSource>(
    ty: IntTy,
    cases: &[(ConstOrHole, BlockId)],
    default: BlockId,
    decisions: &[Decision<C>],
    values: &[i64],
    holes: &mut [Option<i64>],
    rng: &mut Rng,
) -> bool {
    let known = |fill: &ConstOrHole, holes: &[Option<i64>]| match fill {
        ConstOrHole::Const(value) => Some(value.word()),
        ConstOrHole::Hole(hole) => holes[hole.index()],
    };
    for (decision, value) in std::iter::zip(decisions, values) {
        let labelled =
            cases.iter().find(|(fill, _)| known(fill, holes) == Some(*value)).map(|(_, to)| *to);
        match labelled {
            Some(target) if target == decision.target => continue,
            Some(_) => return false,
            None if decision.target == default => continue,
            None => {}
        }
        let free = cases.iter().find_map(|(fill, target)| match fill {
            ConstOrHole::Hole(hole)
                if *target == decision.target && holes[hole.index()].is_none() =>
            {
                Some(*hole)
            }
            _ => None,
        });
        match free {
            Some(hole) => holes[hole.index()] = Some(*value),
            None => return false,
        }
    }
    // A visit that came before a label was placed may have been caught by it.
    let goes_to = |value: i64, holes: &[Option<i64>]| {
        let found = cases.iter().find(|(fill, _)| known(fill, holes) == Some(value));
        found.map_or(default, |(_, target)| *target)
    };
    let all_right = std::iter::zip(decisions, values)
        .all(|(decision, value)| goes_to(*value, holes) == decision.target);
    if !all_right {
        return false;
    }
    // The labels that are left lead nowhere on this path.
    for (fill, _) in cases {
        let ConstOrHole::Hole(hole) = fill else { continue };
        if holes[hole.index()].is_some() {
            continue;
        }
        let free = (0..64).map(|draw| choose_value(ty, if draw < 32 { 2 } else { 0 }, rng)).find(
            |value| {
                !values.contains(value)
                    && cases.iter().all(|(other, _)| known(other, holes) != Some(*value))
            },
        );
        match free {
            Some(value) => holes[hole.index()] = Some(value),
            None => return false,
        }
    }
    true
}
