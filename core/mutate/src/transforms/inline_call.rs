//! Calls inlined.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::Rng;
use pathsmith_symlang::lang::{Expr, Program, RecursionGuard, Return, Term};
use pathsmith_symlang::{ExprId, FuncId};

use crate::edits::{add_read, assign, split};
use crate::profile::Point;
use crate::sites::choose_site;
use crate::splice::{MAX_INITIAL, Splice, n_initial_stmts};
use crate::subject::Subject;

/// Puts the body of a function in the place of a call of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct InlineCall;

impl Transform for InlineCall {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "inline-call"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        let program = &draft.program;
        let site = choose_site(&subject.sites.exprs, rng, |(point, expr)| {
            callee(program, point, *expr).is_some()
        });
        let Some((point, call)) = site else { return false };
        let Some((callee, args)) = callee(program, &point, call) else { return false };
        let body = program.function(callee).clone();
        let splice = Splice::of_program(draft, point.function, &body);
        let function = draft.function(point.function);
        let rest = split(function, point.block, point.at);
        for (arg, param) in std::iter::zip(args, splice.params()) {
            let stmt = assign(*param, arg);
            function.blocks[point.block.index()].stmts.push(stmt);
        }
        let first = splice.insert(function, &body, rest);
        function.blocks[point.block.index()].term = Term::Goto(first);
        let read = add_read(function, splice.result);
        let read = function.expr(read).clone();
        *function.expr_mut(call) = read;
        true
    }
}

/// What a call calls, with its arguments, if it can be inlined: nothing calls itself inlined for ever,
/// a guard stays one, and what is left in memory depends on the globals that a function names.
fn callee(program: &Program, point: &Point, expr: ExprId) -> Option<(FuncId, Vec<ExprId>)> {
    let caller = program.function(point.function);
    let Expr::Call(callee, args) = caller.expr(expr) else { return None };
    let body = program.function(*callee);
    let returns_value = matches!(body.returned(), Some(Return::Value(_)));
    if *callee == point.function
        || !returns_value
        || n_initial_stmts(body) > MAX_INITIAL
        || RecursionGuard::of(program, *callee).is_some()
    {
        return None;
    }
    let (named, theirs) = (program.globals_named(caller), program.globals_named(body));
    let is_known = theirs.iter().all(|global| named.contains(global));
    is_known.then(|| (*callee, args.to_vec()))
}
