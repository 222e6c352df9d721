//! Constants that put a sum of floating-point numbers next to where we want it.

use super::super::draw::{Bias, MAX_POLICY_BIAS};
use super::super::eval_context::EvalContext;
use super::super::roles::Additive;
use super::super::stmt_info::StmtInfo;
use super::choose_tameness;
use pathsmith_symlang::Rng;
use pathsmith_symlang::lang::{FloatTy, PlaceForm};

/// Sets an additive hole so that the statement gives about a number that we choose: what rounding
/// makes of it is as good.
#[expect(clippy::too_many_arguments, reason = "all of it is needed once")]
pub(super) fn target_float(
    ctx: &EvalContext<'_>,
    info: &StmtInfo,
    ty: FloatTy,
    found: Additive,
    cells: &[i64],
    holes: &mut [Option<i64>],
    bias: Bias,
    visits_to_come: Option<usize>,
    rng: &mut Rng,
) {
    let at = found.hole.index();
    let values = &ctx.value_policy.knobs.floats;
    if let (Some(n_visits), PlaceForm::Scalar(var)) = (visits_to_come, info.place.form()) {
        let from = cells[ctx.start(var)];
        holes[at] = Some(values.choose_step(ty, from, n_visits, rng));
        return;
    }
    let drawn = holes[at];
    holes[at] = Some(ty.word(0.0));
    let Ok(rest) = ctx.eval(info.value, cells, holes) else {
        holes[at] = drawn;
        return;
    };
    if bias <= MAX_POLICY_BIAS
        && let Some(value) = values.choose_cancelling(ty, rest, rng)
    {
        holes[at] = Some(value);
        return;
    }
    let target = values.choose(ty, bias.max(choose_tameness(rng)), rng);
    let difference = ty.value(target) - ty.value(rest);
    let needed = ty.word(if found.negated { -difference } else { difference });
    let is_finite = ty.value(needed).is_finite();
    holes[at] = if is_finite { Some(needed) } else { drawn };
}
