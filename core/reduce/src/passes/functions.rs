//! Fewer functions, and functions that do less.

use super::Edit;
use super::calls::{calls_of, put_value};
use pathsmith_edit::Draft;
use pathsmith_edit::Facts;
use pathsmith_edit::Reach;
use pathsmith_symlang::lang::{Block, Calls, Const, Expr, Function, Program, Return, Scalar, Term};
use pathsmith_symlang::{ExprId, FuncId};

/// So many different calls of a function are tried as its realization.
const MAX_INPUTS: usize = 2;

/// The functions that could stand for the whole program, those that do most first, each with
/// arguments that it was called with; none, if it has realizations of its own.
fn soloists(program: &Program, facts: &Facts) -> Vec<(FuncId, Option<Vec<Scalar>>)> {
    let mut ids: Vec<FuncId> = program.functions_with_ids().map(|(id, _)| id).collect();
    ids.retain(|id| facts.function(*id).ran() && !facts.is_guard(*id));
    ids.sort_by_key(|id| std::cmp::Reverse(facts.function(*id).n_visits));
    let mut soloists = Vec::new();
    for id in ids {
        if program.function(id).realizations.is_empty() {
            let calls = facts.function(id).calls.iter().take(MAX_INPUTS);
            soloists.extend(calls.map(|args| (id, Some(args.clone()))));
        } else {
            soloists.push((id, None));
        }
    }
    soloists
}

/// Makes a function the only one that is realized.
fn make_solo(draft: &mut Draft, solo: FuncId, args: Option<&Vec<Scalar>>) {
    for at in 0..draft.program.functions.len() {
        let id = FuncId::new(at);
        if id != solo {
            let n = draft.program.function(id).realizations.len();
            (0..n).for_each(|nth| draft.drop_realization(id, nth));
        }
    }
    if let Some(args) = args {
        draft.add_realization(solo, args.clone());
    }
    if draft.program.main.is_some() {
        draft.program.main = Some(solo);
    }
}

/// Keeps one function; what it called gives the values that it gave.
pub(super) fn alone(program: &Program, facts: &Facts) -> Vec<Edit> {
    if program.functions.len() < 2 {
        return Vec::new();
    }
    let soloists = soloists(program, facts).into_iter().map(|(solo, args)| {
        let values: Vec<(ExprId, Const)> = calls_of(program, solo)
            .map(|(call, _)| (call, call_value(program, facts, solo, call)))
            .collect();
        Edit::new(move |draft| {
            for (call, value) in &values {
                draft.put_constant(solo, *call, *value);
            }
            let n = draft.program.functions.len();
            (0..n).map(FuncId::new).filter(|id| *id != solo).for_each(|id| draft.drop_function(id));
            make_solo(draft, solo, args.as_ref());
        })
    });
    soloists.collect()
}

/// Keeps one function and those that it calls, which return what they returned first.
pub(super) fn over_stubs(program: &Program, facts: &Facts) -> Vec<Edit> {
    let soloists = soloists(program, facts).into_iter().filter_map(|(solo, args)| {
        let callees = called_by(program, facts, solo);
        if callees.is_empty() || callees.iter().all(|(callee, _)| is_stub(program, *callee)) {
            return None;
        }
        Some(Edit::new(move |draft| {
            for (callee, output) in &callees {
                make_stub(draft.function(*callee), *output);
            }
            make_solo(draft, solo, args.as_ref());
        }))
    });
    soloists.collect()
}

/// Whom a function calls beside itself, and what they returned first.
fn called_by(program: &Program, facts: &Facts, id: FuncId) -> Vec<(FuncId, Const)> {
    let mut callees: Vec<FuncId> = calls_of(program, id).map(|(_, callee)| callee).collect();
    callees.sort_unstable();
    callees.dedup();
    callees.retain(|callee| *callee != id);
    callees.into_iter().map(|callee| (callee, first_output(program, facts, callee))).collect()
}

fn first_output(program: &Program, facts: &Facts, id: FuncId) -> Const {
    let output = facts.function(id).returned.map_or(0, |seen| seen.first);
    Const::new(program.function(id).ret, output)
}

/// Keeps one function and those that it leads to, those with the fewest first; at first without
/// guards, which give the values that they gave.
pub(super) fn with_callees(program: &Program, facts: &Facts) -> Vec<Edit> {
    let n_realized = program.functions.iter().filter(|f| !f.realizations.is_empty()).count();
    let mut soloists = soloists(program, facts);
    soloists.sort_by_key(|(id, _)| {
        let reached = Reach::functions_from(program, vec![*id]);
        reached.into_iter().filter(|reached| *reached).count()
    });
    let ids = program.functions_with_ids().map(|(id, _)| id);
    let guards: Vec<FuncId> = ids.filter(|id| facts.is_guard(*id)).collect();
    let guarded: Vec<_> =
        guards.iter().flat_map(|guard| values_of(program, facts, *guard)).collect();
    let mut edits = Vec::new();
    for (solo, args) in soloists {
        if !guards.is_empty() {
            let (guards, guarded, args) = (guards.clone(), guarded.clone(), args.clone());
            edits.push(Edit::new(move |draft| {
                guarded.iter().for_each(|(id, call, value)| put_value(draft, *id, *call, *value));
                guards.iter().for_each(|guard| draft.drop_function(*guard));
                make_solo(draft, solo, args.as_ref());
            }));
        }
        if n_realized > 1 || program.function(solo).realizations.is_empty() {
            edits.push(Edit::new(move |draft| make_solo(draft, solo, args.as_ref())));
        }
    }
    edits
}

/// All calls of a function, and the values that they gave first.
fn values_of(program: &Program, facts: &Facts, id: FuncId) -> Vec<(FuncId, ExprId, Const)> {
    let mut values = Vec::new();
    for (caller, _) in program.functions_with_ids() {
        let calls = calls_of(program, caller).filter(|(_, callee)| *callee == id);
        let value = |call| (caller, call, call_value(program, facts, caller, call));
        values.extend(calls.map(|(call, _)| value(call)));
    }
    values
}

/// Drops a function; calls of it give the values that they gave.
pub(super) fn dropped(program: &Program, facts: &Facts) -> Vec<Edit> {
    if program.functions.len() < 2 {
        return Vec::new();
    }
    let mut ids: Vec<FuncId> = program.functions_with_ids().map(|(id, _)| id).collect();
    // Those that never ran are the least likely to matter; then those that only pass on calls.
    ids.sort_by_key(|id| (facts.function(*id).ran(), !facts.is_guard(*id)));
    let edits = ids.into_iter().map(|dropped| {
        let values = values_of(program, facts, dropped);
        Edit::new(move |draft| {
            values
                .iter()
                .for_each(|(caller, call, value)| put_value(draft, *caller, *call, *value));
            draft.drop_function(dropped);
        })
    });
    edits.collect()
}

fn call_value(program: &Program, facts: &Facts, caller: FuncId, call: ExprId) -> Const {
    facts.constant(caller, call, program.expr_ty(program.function(caller), call))
}

/// Makes a function return what it returned first, at once.
pub(super) fn stubs(program: &Program, facts: &Facts) -> Vec<Edit> {
    let calls = Calls::new(program);
    let ids = program.functions_with_ids().map(|(id, _)| id);
    ids.filter(|id| calls.is_called(*id) && !facts.is_guard(*id) && !is_stub(program, *id))
        .map(|id| {
            let output = first_output(program, facts, id);
            Edit::new(move |draft| make_stub(draft.function(id), output))
        })
        .collect()
}

/// Whether a function does nothing but return a constant.
fn is_stub(program: &Program, id: FuncId) -> bool {
    let function = program.function(id);
    let [only] = &function.blocks[..] else { return false };
    let Term::Return(Return::Value(value)) = only.term else { return false };
    only.stmts.is_empty()
        && function.locals().is_empty()
        && matches!(function.expr(value), Expr::Const(_))
}

fn make_stub(function: &mut Function, output: Const) {
    let value = function.add_expr(Expr::Const(output));
    let is_exit = |block: &&Block| matches!(block.term, Term::Return(_));
    let exit = function.blocks.iter().find(is_exit);
    let name = exit.map_or_else(|| "exit".to_owned(), |exit| exit.name.clone());
    let term = Term::Return(Return::Value(value));
    function.blocks = vec![Block { name, stmts: Vec::new(), term }];
    function.vars.truncate(function.n_params);
}
