//! Fewer statements.

use super::Edit;
use super::branches::blocks;
use pathsmith_edit::Facts;
use pathsmith_symlang::lang::{Expr, PlaceForm, Program, Stmt, VarRef};
use pathsmith_symlang::{ExprId, VarId};

/// Drops a statement.
pub(super) fn dropped(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function, block) in blocks(program, facts) {
        let dropped = move |at| Edit::new(move |draft| draft.drop_stmt(id, block, at));
        edits.extend((0..function.block(block).stmts.len()).map(dropped));
    }
    edits
}

/// Puts what is assigned to a variable in the place where it is read, if there is one of each.
pub(super) fn inlined(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        if facts.is_guard(id) {
            continue;
        }
        let n_vars = function.vars.len();
        let (mut reads, mut assigned) = (vec![Vec::new(); n_vars], vec![Vec::new(); n_vars]);
        function.for_each_expr(|expr_id, expr| {
            if let Expr::Read(place) = expr
                && let PlaceForm::Scalar(VarRef::Var(var)) = place.form()
            {
                reads[var.index()].push(expr_id);
            }
        });
        for (block, data) in function.blocks_with_ids() {
            for (nth, stmt) in data.stmts.iter().enumerate() {
                let Stmt::Assign { place, value } = stmt;
                if let PlaceForm::Scalar(VarRef::Var(var)) = place.form() {
                    assigned[var.index()].push((block, nth, *value));
                }
            }
        }
        for (at, var) in function.vars.iter().enumerate().skip(function.n_params) {
            let ([read], [(block, nth, value)]) = (&reads[at][..], &assigned[at][..]) else {
                continue;
            };
            let (read, block, nth, value): (ExprId, _, usize, ExprId) =
                (*read, *block, *nth, *value);
            let kept_in = var.ty.cell_ty();
            let narrow = kept_in.as_value().is_none().then_some(kept_in);
            edits.push(Edit::new(move |draft| {
                let function = draft.function(id);
                let expr = function.expr(value).clone();
                *function.expr_mut(read) = match narrow {
                    None => expr,
                    Some(ty) => Expr::Cast(ty, function.add_expr(expr)),
                };
                draft.drop_stmt(id, block, nth);
                draft.drop_var(id, VarId::new(at));
            }));
        }
    }
    edits
}
