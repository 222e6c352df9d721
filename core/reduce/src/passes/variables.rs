//! Fewer variables.

use super::Edit;
use super::calls::guards_before;
use super::returns::unlist_var;
use pathsmith_edit::Facts;
use pathsmith_symlang::lang::{Const, ConstOrHole, Expr, Program, VarRef, effects};
use pathsmith_symlang::{ExprId, VarId};

/// Drops a variable: what assigns to it goes, and what reads it has the value that it had there.
pub(super) fn dropped(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        if facts.is_guard(id) {
            continue;
        }
        let mut reads: Vec<Vec<(ExprId, Const)>> = vec![Vec::new(); function.vars.len()];
        function.for_each_expr(|expr_id, expr| {
            if let Expr::Read(place) = expr
                && let VarRef::Var(var) = place.var()
            {
                let ty = function.var(var).ty.cell_ty().widened();
                reads[var.index()].push((expr_id, facts.constant(id, expr_id, ty)));
            }
        });
        let guards = guards_before(facts, id);
        for (at, reads) in reads.into_iter().enumerate() {
            let (var, guards) = (VarId::new(at), guards.clone());
            let assigned: Vec<_> = function
                .blocks_with_ids()
                .flat_map(|(block, data)| {
                    data.stmts.iter().enumerate().map(move |(nth, stmt)| (block, nth, stmt))
                })
                .filter(|(_, _, stmt)| effects::may_write(stmt, VarRef::Var(var)))
                .map(|(block, nth, _)| (block, nth))
                .collect();
            let is_param = at < function.n_params;
            edits.push(Edit::new(move |draft| {
                for (read, value) in &reads {
                    if matches!(draft.function(id).expr(*read), Expr::Read(_)) {
                        draft.put_constant(id, *read, *value);
                    }
                }
                for (block, nth) in &assigned {
                    draft.drop_stmt(id, *block, *nth);
                }
                unlist_var(draft, id, var);
                draft.drop_var(id, var);
                if is_param {
                    guards.iter().for_each(|guard| draft.drop_var(*guard, var));
                }
            }));
        }
    }
    edits
}

/// Makes a parameter a local that begins as what was passed for it first.
pub(super) fn params_to_locals(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        let Some(args) = facts.function(id).calls.first() else { continue };
        if facts.is_guard(id) || !guards_before(facts, id).is_empty() {
            continue;
        }
        for (at, arg) in args.iter().copied().enumerate().take(function.n_params) {
            edits.push(Edit::new(move |draft| {
                draft.function(id).vars[at].init = vec![ConstOrHole::Const(arg)];
                draft.make_local(id, VarId::new(at));
            }));
        }
    }
    edits
}
