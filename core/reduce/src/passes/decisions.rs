//! Simpler conditions that decide alike.

use super::Edit;
use super::branches::blocks;
use pathsmith_edit::{Facts, Seen};
use pathsmith_symlang::ExprId;
use pathsmith_symlang::lang::{BinOp, Const, Expr, Function, Program, Term, ValueTy, WordTy};

/// Compares a part of a condition with a number, so that it decides as the whole was seen to.
pub(super) fn simplified(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function, block) in blocks(program, facts) {
        let Term::If { cond, then, otherwise } = function.block(block).term else { continue };
        let mut parts = Vec::new();
        add_parts(function, cond, &mut parts);
        for part in parts {
            let ways = facts.function(id).decided[part.index()];
            let [Some(no), Some(yes)] = ways else { continue };
            let Some((op, bound)) = separated(yes, no) else { continue };
            let word = match program.expr_ty(function, part) {
                ValueTy::Int(word) => word,
                // What was seen of them is ordered by their bits.
                ValueTy::Float(_) => continue,
            };
            let bound = Const::new(word, bound);
            // A number beyond the type's range wraps, and separates nothing.
            if word == WordTy::U64 && bound.word() < 0 {
                continue;
            }
            edits.push(Edit::new(move |draft| {
                let function = draft.function(id);
                let bound = function.add_expr(Expr::Const(bound));
                let cond = function.add_expr(Expr::Binary(op, part, bound));
                function.blocks[block.index()].term = Term::If { cond, then, otherwise };
            }));
        }
    }
    edits
}

/// The operands of a condition, and theirs; constants decide nothing.
fn add_parts(function: &Function, of: ExprId, parts: &mut Vec<ExprId>) {
    for operand in function.expr(of).operands() {
        if !matches!(function.expr(operand), Expr::Const(_)) {
            parts.push(operand);
            add_parts(function, operand, parts);
        }
    }
}

/// A comparison with a number that holds for `yes` and does not for `no`; the number is as small
/// as it can be.
fn separated(yes: Seen, no: Seen) -> Option<(BinOp, i64)> {
    // The smallest number above `low` and up to `high`.
    let between = |low: i64, high: i64| {
        if low < 0 && high >= 0 {
            0
        } else if low >= 0 {
            low + 1
        } else {
            high
        }
    };
    if yes.range.1 < no.range.0 {
        Some((BinOp::Lt, between(yes.range.1, no.range.0)))
    } else if no.range.1 < yes.range.0 {
        Some((BinOp::Ge, between(no.range.1, yes.range.0)))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_separated_by_the_smallest() {
        let seen = |low, high| Seen { first: low, range: (low, high) };
        assert_eq!(separated(seen(-5, -3), seen(2, 9)), Some((BinOp::Lt, 0)));
        assert_eq!(separated(seen(3, 5), seen(8, 9)), Some((BinOp::Lt, 6)));
        assert_eq!(separated(seen(-3, -2), seen(-9, -8)), Some((BinOp::Ge, -3)));
        assert_eq!(separated(seen(0, 5), seen(5, 9)), None);
    }
}
