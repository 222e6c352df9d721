//! Smaller expressions.

use super::Edit;
use crate::size::small;
use pathsmith_edit::Facts;
use pathsmith_symlang::lang::{Const, Expr, Function, Program};
use pathsmith_symlang::{ExprId, FuncId};

/// The expressions of functions that may be edited, a node before its operands.
pub(super) fn nodes(program: &Program, facts: &Facts) -> Vec<(FuncId, ExprId)> {
    let mut nodes = Vec::new();
    for (id, function) in program.functions_with_ids() {
        if !facts.is_guard(id) {
            function.roots().for_each(|root| add_tree(function, id, root, &mut nodes));
        }
    }
    nodes
}

fn add_tree(function: &Function, id: FuncId, root: ExprId, nodes: &mut Vec<(FuncId, ExprId)>) {
    nodes.push((id, root));
    for operand in function.expr(root).operands() {
        add_tree(function, id, operand, nodes);
    }
}

fn put(id: FuncId, expr: ExprId, constant: Const) -> Edit {
    Edit::new(move |draft| draft.put_constant(id, expr, constant))
}

/// Puts the value that a statement, condition or index had first in its place.
pub(super) fn values(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        if facts.is_guard(id) {
            continue;
        }
        for root in function.roots() {
            if !matches!(function.expr(root), Expr::Const(_)) {
                let ty = program.expr_ty(function, root);
                edits.push(put(id, root, facts.constant(id, root, ty)));
            }
        }
    }
    edits
}

/// Puts an operand in the place of its operator.
pub(super) fn operands(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, expr) in nodes(program, facts) {
        let function = program.function(id);
        let ty = program.expr_ty(function, expr);
        for operand in function.expr(expr).operands() {
            edits.push(Edit::new(move |draft| draft.put_operand(id, expr, operand, ty)));
            // Of a cast there and back, neither alone can go.
            if let (Expr::Cast(..), Expr::Cast(_, inner)) =
                (function.expr(expr), function.expr(operand))
            {
                let inner = *inner;
                edits.push(Edit::new(move |draft| draft.put_operand(id, expr, inner, ty)));
            }
        }
    }
    edits
}

/// Puts a constant in the place of any expression: the value it had first; where it had others
/// too, also 0, or 1 if 0 was the first.
pub(super) fn constants(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, expr) in nodes(program, facts) {
        let function = program.function(id);
        if matches!(function.expr(expr), Expr::Const(_)) {
            continue;
        }
        let ty = program.expr_ty(function, expr);
        let first = facts.constant(id, expr, ty);
        let mut values = vec![first];
        if facts.seen(id, expr).is_some_and(|seen| !seen.is_constant()) {
            values.push(small(ty, i8::from(first.word() == 0)));
        }
        edits.extend(values.into_iter().map(|value| put(id, expr, value)));
    }
    edits
}
