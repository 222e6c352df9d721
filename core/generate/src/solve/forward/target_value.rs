//! Constants that put the result of a statement where we want it.

mod float;

use rand::RngExt;

use self::float::target_float;

use super::draw::{Bias, MAX_POLICY_BIAS, choose_log, choose_value};
use super::eval_context::EvalContext;
use super::roles::Additive;
use super::stmt_info::StmtInfo;
use crate::values::choose_order_constant;
use pathsmith_symlang::ExprId;
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool, choose_share};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::{BinOp, Expr, Function, IntTy, Place, PlaceForm, ScalarTy, ValueTy};

/// Mostly 1: what variables hold leaves room for other inputs to differ, as next to the limits of
/// a type everything overflows.
pub(super) fn choose_tameness(rng: &mut Rng) -> Bias {
    Bias::from(choose_bool(0.85, rng))
}

/// Sets an additive hole so that the statement gives a value that we choose.
#[expect(clippy::too_many_arguments, reason = "all of it is needed once")]
pub(super) fn target_value(
    ctx: &EvalContext<'_>,
    info: &StmtInfo,
    found: Additive,
    cells: &[i64],
    holes: &mut [Option<i64>],
    bias: Bias,
    visits_to_come: Option<usize>,
    rng: &mut Rng,
) {
    let at = found.hole.index();
    let (elem, value_ty) = match (info.elem, info.ty) {
        (ScalarTy::Int(elem), ValueTy::Int(ty)) => (elem, ty),
        (ScalarTy::Float(ty), _) | (_, ValueTy::Float(ty)) => {
            target_float(ctx, info, ty, found, cells, holes, bias, visits_to_come, rng);
            return;
        }
    };
    if let Some(n_visits) = visits_to_come {
        // A step: as large as leaves room for all visits, or smaller.
        let ty = elem;
        if bias <= MAX_POLICY_BIAS + 1
            && let PlaceForm::Scalar(var) = info.place.form()
        {
            let from = cells[ctx.start(var)];
            if let Some(step) = ctx.value_policy.choose_step(ty, from, n_visits, rng) {
                holes[at] = Some(value_ty.wrap(step));
                return;
            }
        }
        let room = ty.to_wide(ty.max()) - if ty.is_signed() { ty.to_wide(ty.min()) } else { 0 };
        // A single step is no count: small, it takes other inputs round a loop a few times.
        let limit = if n_visits == 1 && choose_bool(0.7, rng) { 1 << 10 } else { 1 << 40 };
        let largest = (room / 4 / (n_visits as i128 + 1)).clamp(1, limit) as i64;
        let step = choose_log(1, largest, rng);
        let down = ty.is_signed() && rng.random_bool(0.5);
        holes[at] = Some(value_ty.wrap(if down { -step } else { step }));
        return;
    }
    holes[at] = Some(0);
    let Ok(rest) = ctx.eval(info.value, cells, holes) else {
        holes[at] = Some(choose_value(value_ty.into(), bias, rng));
        return;
    };
    if bias <= MAX_POLICY_BIAS {
        if let Some(value) = choose_order(ctx, info, found, rest, cells, holes, rng) {
            holes[at] = Some(value);
            return;
        }
        if ctx.value_policy.knobs.choose_zero(rng) {
            return;
        }
    }
    let by_policy = match bias <= MAX_POLICY_BIAS {
        true => ctx.value_policy.choose_result(elem, rng),
        false => None,
    };
    let target = match choose_bool(0.15, rng) && !cells.is_empty() {
        _ if by_policy.is_some() => by_policy.unwrap_or_default(),
        true => elem.wrap(cells[choose_below(cells.len(), rng)]),
        false => choose_value(elem, bias.max(choose_tameness(rng)), rng),
    };
    let wide = IntTy::from(value_ty);
    let difference = wide.to_wide(target) - wide.to_wide(rest);
    let needed = if found.negated { -difference } else { difference };
    let value = match wide.from_wide(needed) {
        Some(value) => value,
        None if value_ty.is_signed() && ctx.dialect == Dialect::C => {
            choose_value(wide, bias.max(1), rng)
        }
        None => value_ty.wrap(needed as i64),
    };
    holes[at] = Some(value);
}

/// Draws a constant with which a sum is defined as it is written and would not be in another
/// order, where that is what policies ask for and there is one.
fn choose_order(
    ctx: &EvalContext<'_>,
    info: &StmtInfo,
    found: Additive,
    rest: i64,
    cells: &[i64],
    holes: &[Option<i64>],
    rng: &mut Rng,
) -> Option<i64> {
    if !choose_share(ctx.value_policy.knobs.order_share, rng) {
        return None;
    }
    let Expr::Binary(op, sum, _) = *ctx.function.expr(info.value) else { return None };
    if !matches!(op, BinOp::Add | BinOp::Sub) {
        return None;
    }
    let mut terms = Vec::new();
    collect_terms(ctx.function, sum, false, &mut terms);
    let ty = IntTy::from(info.ty.as_int()?);
    let first = choose_below(terms.len(), rng);
    terms.rotate_left(first);
    if choose_bool(FIXED_FIRST, rng) {
        // What optimizers put together first is what they know, or what stays the same.
        terms.sort_by_key(|(term, _)| is_read_of(ctx.function, *term, &info.place));
    }
    terms.into_iter().find_map(|(term, negated)| {
        let value = ty.to_wide(ctx.eval(term, cells, holes).ok()?);
        let value = if negated { -value } else { value };
        let added = choose_order_constant(ty, ty.to_wide(rest), value, rng)?;
        let added = ty.to_wide(added);
        ty.from_wide(if found.negated { -added } else { added })
    })
}

/// Whether the constant that a statement adds would overflow if it were added to one of the terms
/// first.
pub(super) fn has_order(
    ctx: &EvalContext<'_>,
    info: &StmtInfo,
    cells: &[i64],
    holes: &[Option<i64>],
) -> bool {
    let Some(found) = info.additive else { return false };
    let Some(added) = holes[found.hole.index()] else { return false };
    let Expr::Binary(BinOp::Add | BinOp::Sub, sum, _) = *ctx.function.expr(info.value) else {
        return false;
    };
    let Some(ty) = info.ty.as_int().map(IntTy::from) else { return false };
    let added = if found.negated { -ty.to_wide(added) } else { ty.to_wide(added) };
    let mut terms = Vec::new();
    collect_terms(ctx.function, sum, false, &mut terms);
    terms.into_iter().any(|(term, negated)| {
        !is_read_of(ctx.function, term, &info.place)
            && ctx.eval(term, cells, holes).is_ok_and(|value| {
                let value = if negated { -ty.to_wide(value) } else { ty.to_wide(value) };
                ty.from_wide(value + added).is_none()
            })
    })
}

/// How often a constant is to overflow with a term that the statement does not change.
const FIXED_FIRST: f64 = 0.8;

/// Whether an expression is nothing but a variable that is assigned to.
fn is_read_of(function: &Function, id: ExprId, place: &Place) -> bool {
    matches!(function.expr(id), Expr::Read(read) if read == place)
}

/// The terms of a sum, each with whether it is subtracted.
fn collect_terms(function: &Function, id: ExprId, negated: bool, terms: &mut Vec<(ExprId, bool)>) {
    match *function.expr(id) {
        Expr::Binary(BinOp::Add, lhs, rhs) => {
            collect_terms(function, lhs, negated, terms);
            collect_terms(function, rhs, negated, terms);
        }
        Expr::Binary(BinOp::Sub, lhs, rhs) => {
            collect_terms(function, lhs, negated, terms);
            collect_terms(function, rhs, !negated, terms);
        }
        _ => terms.push((id, negated)),
    }
}
