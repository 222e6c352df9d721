//! Smaller numbers, all at once: a step and a bound that belong together stay together.

use super::Edit;
use crate::ids::{ExprId, FuncId};
use crate::lang::{Const, Expr, Fill, Program, StorageTy};
use crate::reduce::draft::Draft;
use crate::reduce::facts::Facts;

/// So many of a function's own numbers are tried as divisors.
const MAX_DIVISORS: usize = 6;
/// These are tried too.
const DIVISORS: [i128; 3] = [1 << 24, 1 << 12, 1 << 4];

/// Divides all numbers of a function by one of them, as far as they are not smaller.
pub(super) fn divided(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        if facts.is_gate(id) {
            continue;
        }
        let mut constants = Vec::new();
        function.for_each_expr(|expr_id, expr| {
            if let Expr::Const(constant) = expr {
                constants.push((expr_id, *constant));
            }
        });
        let mut numbers: Vec<i128> =
            constants.iter().map(|(_, constant)| magnitude(constant.to_wide())).collect();
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

fn magnitude(number: i128) -> i128 {
    number.unsigned_abs() as i128
}

fn divide(draft: &mut Draft, id: FuncId, constants: &[(ExprId, Const)], divisor: i128) {
    let by = |ty: StorageTy, value: i64| {
        let wide = ty.to_wide(value);
        if magnitude(wide) < divisor { value } else { ty.wrap((wide / divisor) as i64) }
    };
    for (expr, constant) in constants {
        let ty = constant.ty();
        draft.put_constant(id, *expr, Const::new(ty, by(ty.into(), constant.value())));
    }
    let function = draft.function(id);
    for var in &mut function.vars {
        let elem = var.ty.elem();
        for fill in &mut var.init {
            if let Fill::Value(value) = fill {
                *value = by(elem, *value);
            }
        }
    }
    let params: Vec<StorageTy> = function.params().iter().map(|param| param.ty.elem()).collect();
    for realization in &mut function.realizations {
        for (arg, ty) in std::iter::zip(&mut realization.args, &params) {
            *arg = by(*ty, *arg);
        }
    }
}
