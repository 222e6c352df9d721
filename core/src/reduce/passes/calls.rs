//! Fewer calls.

use super::Edit;
use crate::ids::{ExprId, FuncId};
use crate::lang::{Const, Expr, Program};
use crate::reduce::draft::Draft;
use crate::reduce::facts::Facts;

/// The calls in a function, and whom they call.
pub(super) fn calls_of(
    program: &Program,
    caller: FuncId,
) -> impl Iterator<Item = (ExprId, FuncId)> + use<> {
    let mut calls = Vec::new();
    program.function(caller).for_each_expr(|id, expr| {
        if let Expr::Call(callee, _) = expr {
            calls.push((id, *callee));
        }
    });
    calls.into_iter()
}

/// Puts a value in the place of a call, if it is still one.
pub(super) fn put_value(draft: &mut Draft, caller: FuncId, call: ExprId, value: Const) {
    if matches!(draft.function(caller).expr(call), Expr::Call(..)) {
        draft.put_constant(caller, call, value);
    }
}

/// Puts the value that a call gave first in its place.
pub(super) fn by_values(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (caller, function) in program.functions_with_ids() {
        if facts.is_gate(caller) {
            continue;
        }
        for (call, _) in calls_of(program, caller) {
            let value = facts.constant(caller, call, program.expr_ty(function, call));
            edits.push(Edit::new(move |draft| put_value(draft, caller, call, value)));
        }
    }
    edits
}

/// Calls the function behind a gate, wherever the gate is called.
pub(super) fn past_gates(program: &Program, facts: &Facts) -> Vec<Edit> {
    let gates = program.functions_with_ids().filter_map(|(id, _)| {
        let body = facts.function(id).gate?.body;
        Some(Edit::new(move |draft| {
            for function in &mut draft.program.functions {
                for expr in function.exprs_mut() {
                    if let Expr::Call(callee, _) = expr
                        && *callee == id
                    {
                        *callee = body;
                    }
                }
            }
            draft.drop_function(id);
        }))
    });
    gates.collect()
}
