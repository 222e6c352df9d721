//! Expressions replaced by equal ones.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::lang::{Expr, Function, Program};
use pathsmith_symlang::{ExprId, Rng};

use crate::edits::copy_expr;
use crate::identities::{IDENTITIES, Identity as Equation, Side, that_may_fit};
use crate::profile::Point;
use crate::sites::{choose_from, choose_site, for_each_in};
use crate::subject::Subject;
use crate::values::{Values, has_call};

/// How many expressions are tried. A guess.
const N_TRIES: usize = 6;

/// How many identities are tried for an expression. A guess.
const N_EQUATIONS: usize = 24;

/// Replaces an expression by one that is equal by the table of identities, and defined in all states
/// that were seen; then perhaps a part of that, and so on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity;

impl Transform for Identity {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "identity"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        for _ in 0..N_TRIES {
            let site = choose_site(&subject.sites.exprs, rng, |_| true);
            let Some((point, expr)) = site else { return false };
            if !apply_some(draft, subject, point, expr, rng) {
                continue;
            }
            for _ in 0..choose_below(subject.sizes.identity_depth as usize, rng) {
                let mut parts = Vec::new();
                let function = draft.program.function(point.function);
                for_each_in(function, expr, &mut |part| parts.push(part));
                if let Some(part) = choose_from(&parts, rng) {
                    apply_some(draft, subject, point, part, rng);
                }
            }
            return true;
        }
        false
    }
}

/// Applies some identity to an expression. Returns false if none applies.
fn apply_some(
    draft: &mut Draft,
    subject: &Subject,
    point: Point,
    expr: ExprId,
    rng: &mut Rng,
) -> bool {
    let function = draft.program.function(point.function);
    let candidates = that_may_fit(&draft.program, function, expr);
    let mut values = None;
    for _ in 0..N_EQUATIONS {
        let Some(at) = choose_from(candidates, rng) else { return false };
        let equation = &IDENTITIES[at];
        let function = draft.program.function(point.function);
        let mut bound = [None; 3];
        if !matches(&draft.program, function, expr, equation, equation.left.root, &mut bound)
            || copies_call(function, equation, &bound)
        {
            continue;
        }
        if values.is_none() {
            let Some(new) = Values::new(&draft.program, &subject.profile, point) else {
                return false;
            };
            values = Some(new);
        }
        let Some(known) = &values else { return false };
        let Some(operands) = known.of_all(&bound) else { continue };
        if !known.are_equal(expr, &equation.right, &operands) {
            continue;
        }
        let function = draft.function(point.function);
        // The expression keeps its place; what it was moves to a new one if the right side needs it.
        let original = function.expr(expr).clone();
        let moved = function.add_expr(original);
        let mut parts = bound.map(|part| part.map(|part| if part == expr { moved } else { part }));
        let mut used = [false; 3];
        let root = build(function, &equation.right, equation.right.root, &mut parts, &mut used);
        let replacement = function.expr(root).clone();
        *function.expr_mut(expr) = replacement;
        return true;
    }
    false
}

/// Whether a right side would evaluate a call several times.
fn copies_call(function: &Function, equation: &Equation, bound: &[Option<ExprId>; 3]) -> bool {
    let uses = equation.right.uses();
    std::iter::zip(bound, uses)
        .any(|(expr, uses)| uses > 1 && expr.is_some_and(|expr| has_call(function, expr)))
}
/// Whether an expression has the form of a left side, and what its variables are then.
fn matches(
    program: &Program,
    function: &Function,
    expr: ExprId,
    equation: &Equation,
    pattern: ExprId,
    bound: &mut [Option<ExprId>; 3],
) -> bool {
    let left = &equation.left;
    if let Some(var) = left.variable(pattern) {
        let is_free = bound[var].is_none();
        bound[var] = Some(expr);
        return is_free && program.expr_ty(function, expr) == equation.ty;
    }
    let mut same = |a: &ExprId, b: &ExprId| matches(program, function, *a, equation, *b, bound);
    match (function.expr(expr), left.function.expr(pattern)) {
        (Expr::Const(a), Expr::Const(b)) => a == b,
        (Expr::Unary(op, a), Expr::Unary(wanted, b)) => op == wanted && same(a, b),
        (Expr::Binary(op, a, b), Expr::Binary(wanted, c, d)) => {
            op == wanted && same(a, c) && same(b, d)
        }
        (Expr::Cast(ty, a), Expr::Cast(wanted, b)) => ty == wanted && same(a, b),
        (Expr::Select(a, b, c), Expr::Select(d, e, f)) => same(a, d) && same(b, e) && same(c, f),
        _ => false,
    }
}

/// Adds a right side to a function. Of what a variable stands for, the first use gets the original.
fn build(
    function: &mut Function,
    side: &Side,
    at: ExprId,
    parts: &mut [Option<ExprId>; 3],
    used: &mut [bool; 3],
) -> ExprId {
    if let Some(var) = side.variable(at)
        && let Some(part) = parts[var]
    {
        return match std::mem::replace(&mut used[var], true) {
            false => part,
            true => copy_expr(function, part),
        };
    }
    let mut expr = side.function.expr(at).clone();
    expr.for_each_operand_mut(|operand| *operand = build(function, side, *operand, parts, used));
    function.add_expr(expr)
}
