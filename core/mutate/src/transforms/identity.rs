//! Expressions replaced by equal ones.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::lang::{Expr, Function, Program};
use pathsmith_symlang::{ExprId, Rng};

use crate::identities::{IDENTITIES, Identity as Equation, Side};
use crate::profile::{Point, ValueProfile};
use crate::sites::{choose_from, functions};
use crate::subject::Subject;
use crate::transforms::duplicate::copy_expr;
use crate::values::{Values, has_call};

/// How many expressions are tried. A guess.
const N_TRIES: usize = 6;

/// Replaces an expression by one that is equal by the table of identities, and defined in all states
/// that were seen.
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
        let profile = &subject.profile;
        let all = sites(&draft.program);
        for _ in 0..N_TRIES {
            let Some((point, expr)) = choose_from(&all, rng) else { return false };
            let first = choose_below(IDENTITIES.len(), rng);
            let mut all = IDENTITIES.iter().cycle().skip(first).take(IDENTITIES.len());
            if all.any(|equation| apply(draft, profile, point, expr, equation)) {
                return true;
            }
        }
        false
    }
}

/// All expressions, each with the point at which it is evaluated.
pub(super) fn sites(program: &Program) -> Vec<(Point, ExprId)> {
    let mut all = Vec::new();
    for id in functions(program) {
        let function = program.function(id);
        for (block, content) in function.blocks_with_ids() {
            let mut note = |at: usize, root: ExprId| {
                collect(function, root, &mut |expr| {
                    all.push((Point { function: id, block, at }, expr));
                });
            };
            for (at, stmt) in content.stmts.iter().enumerate() {
                stmt.roots().for_each(|root| note(at, root));
            }
            content.term.root().into_iter().for_each(|root| note(content.stmts.len(), root));
        }
    }
    all
}

fn collect(function: &Function, root: ExprId, visit: &mut impl FnMut(ExprId)) {
    visit(root);
    for operand in function.expr(root).operands() {
        collect(function, operand, visit);
    }
}

fn apply(
    draft: &mut Draft,
    profile: &ValueProfile,
    point: Point,
    expr: ExprId,
    equation: &Equation,
) -> bool {
    let function = draft.program.function(point.function);
    let mut bound = [None; 3];
    if !matches(&draft.program, function, expr, equation, equation.left.root, &mut bound) {
        return false;
    }
    let uses = equation.right.uses();
    let is_copied = |(expr, uses): (&Option<ExprId>, usize)| {
        uses > 1 && expr.is_some_and(|expr| has_call(function, expr))
    };
    if std::iter::zip(&bound, uses).any(is_copied) {
        return false;
    }
    let Some(values) = Values::new(&draft.program, profile, point) else { return false };
    let Some(operands) = values.of_all(&bound) else { return false };
    if !values.are_equal(expr, &equation.right, &operands) {
        return false;
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
    true
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
        return is_free && program.expr_ty(function, expr) == equation.ty.into();
    }
    let mut same = |a: &ExprId, b: &ExprId| matches(program, function, *a, equation, *b, bound);
    match (function.expr(expr), left.function.expr(pattern)) {
        (Expr::Const(a), Expr::Const(b)) => a == b,
        (Expr::Unary(op, a), Expr::Unary(wanted, b)) => op == wanted && same(a, b),
        (Expr::Binary(op, a, b), Expr::Binary(wanted, c, d)) => {
            op == wanted && same(a, c) && same(b, d)
        }
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
