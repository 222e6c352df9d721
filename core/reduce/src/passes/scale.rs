//! Smaller numbers, all at once: a step and a bound that belong together stay together.

use super::Edit;
use pathsmith_edit::Draft;
use pathsmith_edit::Facts;
use pathsmith_symlang::lang::{BinOp, Const, ConstOrHole, Expr, Program, Scalar, ScalarTy, VarRef};
use pathsmith_symlang::semantics::table;
use pathsmith_symlang::{ExprId, FuncId, VarId};

/// So many of a function's own numbers are tried as divisors.
const MAX_DIVISORS: usize = 6;
/// These are tried too.
const DIVISORS: [i128; 3] = [1 << 24, 1 << 12, 1 << 4];

/// Divides all numbers of a function by one of them, as far as they are not smaller.
pub(super) fn divided(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        if facts.is_guard(id) {
            continue;
        }
        let mut constants = Vec::new();
        function.for_each_expr(|expr_id, expr| {
            if let Expr::Const(constant) = expr {
                constants.push((expr_id, *constant));
            }
        });
        let mut numbers: Vec<i128> =
            constants.iter().map(|(_, constant)| magnitude(constant.scalar())).collect();
        // Less than this is not worth the while.
        numbers.retain(|number| *number > 4);
        numbers.sort_unstable();
        numbers.dedup();
        let Some(most) = numbers.last().copied() else { continue };
        let powers = DIVISORS.into_iter().filter(|divisor| *divisor < most);
        let divisors = numbers.iter().copied().take(MAX_DIVISORS).chain(powers);
        for divisor in divisors.collect::<Vec<_>>() {
            let constants = constants.clone();
            edits.push(Edit::new(move |draft| divide(draft, id, &constants, divisor)));
        }
    }
    edits
}

/// Begins a variable at 0, and compares it with numbers that are smaller by as much.
pub(super) fn shifted(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        if facts.is_guard(id) {
            continue;
        }
        for (at, var) in function.vars.iter().enumerate() {
            let [ConstOrHole::Const(start)] = var.init[..] else { continue };
            let mut bounds = Vec::new();
            function.for_each_expr(|_, expr| {
                let Expr::Binary(op, a, b) = *expr else { return };
                let is_var = |id| {
                    let of = VarRef::Var(VarId::new(at));
                    matches!(function.expr(id), Expr::Read(place) if place.var() == of)
                };
                if !op.is_comparison() && op != BinOp::Cmp {
                    return;
                }
                match (function.expr(a), function.expr(b)) {
                    (_, Expr::Const(bound)) if is_var(a) => bounds.push((b, *bound)),
                    (Expr::Const(bound), _) if is_var(b) => bounds.push((a, *bound)),
                    _ => {}
                }
            });
            if start.word() == 0 || bounds.is_empty() {
                continue;
            }
            edits.push(Edit::new(move |draft| {
                let zero = Scalar::new(start.ty(), 0);
                draft.function(id).vars[at].init = vec![ConstOrHole::Const(zero)];
                for (expr, bound) in &bounds {
                    // What a comparison with a read is made with has the type of the variable.
                    let value = table::binary(BinOp::Sub, bound.ty(), bound.word(), start.word());
                    draft.put_constant(id, *expr, Const::new(bound.ty(), value.word));
                }
            }));
        }
    }
    edits
}

/// A number without its sign and fraction; of those that are not finite, 0.
fn magnitude(value: Scalar) -> i128 {
    match value.ty() {
        ScalarTy::Int(ty) => ty.to_wide(value.word()).abs(),
        ScalarTy::Float(ty) => {
            let number = ty.value(value.word());
            if number.is_finite() { number.abs() as i128 } else { 0 }
        }
    }
}

fn divide(draft: &mut Draft, id: FuncId, constants: &[(ExprId, Const)], divisor: i128) {
    let by = |value: Scalar| {
        if magnitude(value) < divisor {
            return value;
        }
        let quotient = match value.ty() {
            ScalarTy::Int(ty) => (ty.to_wide(value.word()) / divisor) as i64,
            ScalarTy::Float(ty) => ty.word((ty.value(value.word()) / divisor as f64).trunc()),
        };
        Scalar::new(value.ty(), quotient)
    };
    for (expr, constant) in constants {
        let divided = by(constant.scalar());
        draft.put_constant(id, *expr, Const::new(constant.ty(), divided.word()));
    }
    let function = draft.function(id);
    for var in &mut function.vars {
        for fill in &mut var.init {
            if let ConstOrHole::Const(value) = fill {
                *value = by(*value);
            }
        }
    }
    for realization in &mut function.realizations {
        realization.args.iter_mut().for_each(|arg| *arg = by(*arg));
    }
}
