//! Fewer calls.

use super::Edit;
use pathsmith_edit::Facts;
use pathsmith_edit::{Draft, places};
use pathsmith_symlang::lang::{
    Block, Const, Expr, Function, PlaceForm, Program, Return, Term, VarRef,
};
use pathsmith_symlang::{ExprId, FuncId};

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
        if facts.is_guard(caller) {
            continue;
        }
        for (call, _) in calls_of(program, caller) {
            let value = facts.constant(caller, call, program.expr_ty(function, call));
            edits.push(Edit::new(move |draft| put_value(draft, caller, call, value)));
        }
    }
    edits
}

/// Calls the function behind a recursion guard, wherever the guard is called.
pub(super) fn past_guards(program: &Program, facts: &Facts) -> Vec<Edit> {
    let guards = program.functions_with_ids().filter_map(|(id, _)| {
        let body = facts.function(id).guard?.body;
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
    guards.collect()
}

/// The guards that a function stands behind, which have the parameters that it has.
pub(super) fn guards_before(facts: &Facts, id: FuncId) -> Vec<FuncId> {
    let guards = facts.functions.iter().enumerate();
    guards
        .filter(|(_, other)| other.guard.is_some_and(|guard| guard.body == id))
        .map(|(at, _)| FuncId::new(at))
        .collect()
}

/// Puts what a function returns in the place of its calls, where that is all it does.
pub(super) fn inlined(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        let [Block { stmts, term: Term::Return(Return::Value(value)), .. }] = &function.blocks[..]
        else {
            continue;
        };
        let reads_params = places(function).iter().all(|place| match place.var() {
            VarRef::Var(var) => var.index() < function.n_params,
            VarRef::Global(_) => false,
        });
        if !stmts.is_empty() || !reads_params || facts.is_guard(id) {
            continue;
        }
        let (callee, value) = (function.clone(), *value);
        edits.push(Edit::new(move |draft| {
            for caller in (0..draft.program.functions.len()).map(FuncId::new) {
                let calls: Vec<_> = calls_of(&draft.program, caller).collect();
                let calls = calls.into_iter().filter(|(_, callee)| *callee == id);
                let caller = draft.function(caller);
                for (call, _) in calls {
                    if let Expr::Call(_, args) = caller.expr(call).clone() {
                        let body = substituted(&callee, value, &args, caller);
                        let body = caller.expr(body).clone();
                        *caller.expr_mut(call) = body;
                    }
                }
            }
            draft.drop_function(id);
        }));
    }
    edits
}

/// A copy of what `callee` returns in `caller`, with arguments in the place of parameters.
fn substituted(callee: &Function, of: ExprId, args: &[ExprId], caller: &mut Function) -> ExprId {
    if let Expr::Read(place) = callee.expr(of)
        && let PlaceForm::Scalar(VarRef::Var(var)) = place.form()
    {
        let copy = copied(caller, args[var.index()]);
        let kept_in = callee.var(var).ty.cell_ty();
        return match kept_in.as_value() {
            Some(_) => copy,
            None => caller.add_expr(Expr::Cast(kept_in, copy)),
        };
    }
    let mut expr = callee.expr(of).clone();
    expr.for_each_operand_mut(|operand| {
        *operand = substituted(callee, *operand, args, caller);
    });
    caller.add_expr(expr)
}

fn copied(function: &mut Function, root: ExprId) -> ExprId {
    let mut expr = function.expr(root).clone();
    expr.for_each_operand_mut(|operand| *operand = copied(function, *operand));
    function.add_expr(expr)
}
