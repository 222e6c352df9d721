//! Crossover: the body of a function of another program inside of a function.

use std::collections::BTreeMap;

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{
    BinOp, Expr, Function, Program, Scalar, ScalarTy, Stmt, Term, ValueTy, VarRef, WordTy,
};
use pathsmith_symlang::semantics::{Code, Limits, Machine};
use pathsmith_symlang::{BlockId, ExprId, FuncId, GlobalId, Rng};

use crate::edits::{
    add_cast, add_const, add_global, add_read, add_var, assign, assignable, replace, split,
};
use crate::inputs::known_inputs;
use crate::sites::{choose_from, choose_site};
use crate::splice::{MAX_INITIAL, Splice, n_initial_stmts};
use crate::subject::Subject;
use crate::synth::{Synth, Valued};

/// How often variables are drawn for the arguments, before they are given values that the donor is
/// known to be defined for. A guess.
const N_TRIES: usize = 4;

/// In so many states the arguments are tried. A guess.
const MAX_STATES: usize = 32;

/// A donor is tried for no more steps than this. A guess: some hundred times an average path.
const TRIAL: Limits = Limits { steps: 2_000, depth: 10 };

/// Puts the whole body of a donor's function at a random point: its parameters get values of variables
/// in scope, and the next statement uses its result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inline;

impl Transform for Inline {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "inline"
    }

    fn claim(&self) -> Claim {
        Claim::Free
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        let own = subject.donor.is_none().then(|| draft.program.clone());
        let Some(donor) = subject.donor.as_deref().or(own.as_ref()) else { return false };
        let Some(donor_id) = choose_leaf(donor, rng) else { return false };
        let body = donor.function(donor_id);
        let Some(point) = choose_site(&subject.sites.live, rng, |_| true) else { return false };
        let Some(synth) = Synth::new(&draft.program, &subject.profile, point) else {
            return false;
        };
        let args = choose_args(donor, donor_id, &synth, rng);
        let targets = assignable(draft.program.function(point.function), &synth);
        let is_own = subject.donor.is_none();
        let globals = globals_for(draft, donor, body, point.function, is_own, rng);
        let splice = Splice::with_globals(draft, point.function, body, globals);
        let function = draft.function(point.function);
        let rest = split(function, point.block, point.at);
        for (arg, param) in std::iter::zip(&args, splice.params()) {
            let value = arg.install(function);
            function.blocks[point.block.index()].stmts.push(assign(*param, value));
        }
        let first = splice.insert(function, body, rest);
        function.blocks[point.block.index()].term = Term::Goto(first);
        use_result(draft, point.function, rest, &splice, body.ret, &targets, rng);
        true
    }
}

/// A function that calls nothing and can be put into another one, preferably one that is known to be
/// defined on some inputs.
pub(super) fn choose_leaf(donor: &Program, rng: &mut Rng) -> Option<FuncId> {
    let calls = |function: &Function| {
        let mut found = false;
        function.for_each_expr(|_, expr| found |= matches!(expr, Expr::Call(..) | Expr::Hole(..)));
        found
    };
    let is_leaf =
        |function: &Function| !calls(function) && n_initial_stmts(function) <= MAX_INITIAL;
    let all: Vec<FuncId> =
        donor.functions_with_ids().filter(|(_, f)| is_leaf(f)).map(|(id, _)| id).collect();
    let realized: Vec<FuncId> =
        all.iter().copied().filter(|id| !donor.function(*id).realizations.is_empty()).collect();
    choose_from(if realized.is_empty() { &all } else { &realized }, rng)
}

/// Arguments of variables in scope for which the donor is defined in the states of the point; or else
/// expressions that have the values of one of its realizations.
fn choose_args(donor: &Program, id: FuncId, synth: &Synth<'_>, rng: &mut Rng) -> Vec<Valued> {
    let body = donor.function(id);
    let code = Code::new(donor);
    let mut machine = donor.dialect.map(|dialect| Machine::new(&code, dialect));
    let ty_of = |param: usize| body.vars[param].ty.cell_ty().widened();
    for _ in 0..N_TRIES {
        let args: Vec<Valued> =
            (0..body.n_params).map(|at| synth.choose_live(ty_of(at), 0, rng)).collect();
        let n_states = args.first().map_or(1, |arg| arg.values.len()).min(MAX_STATES);
        let is_defined = machine.as_mut().is_some_and(|machine| {
            (0..n_states).all(|state| {
                let of_state = std::iter::zip(body.params(), &args).map(|(param, arg)| {
                    let ty = param.ty.cell_ty();
                    Scalar::new(ty, ty.stored(arg.values[state]))
                });
                let args: Vec<Scalar> = of_state.collect();
                machine.run(id, &args, TRIAL).ending().is_some_and(|end| end.returned().is_some())
            })
        });
        if is_defined {
            return args;
        }
    }
    let known = choose_from(&known_inputs(donor, id), rng);
    let value = |at: usize| known.as_ref().map_or(0, |known| known[at].word());
    (0..body.n_params)
        .map(|at| {
            let word = value(at);
            let made = synth.choose_constant_valued(ty_of(at), word, 1, rng);
            made.unwrap_or_else(|| synth.constant(ty_of(at), word))
        })
        .collect()
}

/// What stands for the globals of the donor: globals, unless the function is called, and must not
/// assign any.
pub(super) fn globals_for(
    draft: &mut Draft,
    donor: &Program,
    body: &Function,
    id: FuncId,
    is_own: bool,
    rng: &mut Rng,
) -> BTreeMap<GlobalId, VarRef> {
    let mut globals = BTreeMap::new();
    // Recursion guards need functions that leave nothing in memory.
    let is_called = is_called(&draft.program, id) || draft.program.functions.len() > 1;
    for named in donor.globals_named(body) {
        let var = donor.global(named);
        let stands = if is_called || (!is_own && choose_bool(0.5, rng)) {
            add_var(draft, id, var.ty.clone(), var.init.clone())
        } else if is_own {
            VarRef::Global(named)
        } else {
            add_global(draft, var.ty.clone(), var.init.clone())
        };
        globals.insert(named, stands);
    }
    globals
}

fn is_called(program: &Program, id: FuncId) -> bool {
    let mut found = false;
    for function in &program.functions {
        function.for_each_expr(|_, expr| {
            found |= matches!(expr, Expr::Call(callee, _) if *callee == id);
        });
    }
    found
}

/// Lets the next statement use the result: a part of it becomes one with the result. If nothing is
/// evaluated next, a variable is assigned.
fn use_result(
    draft: &mut Draft,
    id: FuncId,
    next: BlockId,
    splice: &Splice,
    ret: ValueTy,
    targets: &[(VarRef, ScalarTy)],
    rng: &mut Rng,
) {
    let function = draft.program.function(id);
    let block = function.block(next);
    let root = match block.stmts.first() {
        Some(Stmt::Assign { value, .. }) => Some(*value),
        None => block.term.root(),
    };
    let mut parts = Vec::new();
    if let Some(root) = root {
        values_in(function, root, &mut parts);
    }
    match choose_from(&parts, rng) {
        Some(part) => {
            let ty = draft.program.expr_ty(function, part);
            let how = choose_below(6, rng);
            let function = draft.function(id);
            replace(function, part, |function, old| joined(function, old, ty, splice, ret, how));
        }
        None => {
            let Some((var, ty)) = choose_from(targets, rng) else { return };
            let how = choose_below(6, rng);
            let function = draft.function(id);
            let old = add_read(function, var);
            let value = joined(function, old, ty.widened(), splice, ret, how);
            function.blocks[next.index()].stmts.insert(0, assign(var, value));
        }
    }
}

/// The old value together with the result, by an operator that is always defined.
fn joined(
    function: &mut Function,
    old: ExprId,
    ty: ValueTy,
    splice: &Splice,
    ret: ValueTy,
    how: usize,
) -> ExprId {
    let read = add_read(function, splice.result);
    let result = add_cast(function, read, ret, ty);
    let [first, second, last] = match ty {
        ValueTy::Int(_) => [BinOp::Xor, BinOp::And, BinOp::Or],
        ValueTy::Float(_) => [BinOp::Add, BinOp::Mul, BinOp::Sub],
    };
    let op = match how {
        0 => first,
        1 => second,
        2 => BinOp::Min,
        3 => BinOp::Max,
        4 => {
            let zero = add_const(function, WordTy::I32, 0);
            let read = add_read(function, splice.result);
            let cond = add_cast(function, read, ret, ValueTy::CONDITION);
            let cond = function.add_expr(Expr::Binary(BinOp::Gt, cond, zero));
            return function.add_expr(Expr::Select(cond, old, result));
        }
        _ => last,
    };
    function.add_expr(Expr::Binary(op, old, result))
}

/// The parts of an expression that are no indices.
pub(super) fn values_in(function: &Function, root: ExprId, parts: &mut Vec<ExprId>) {
    parts.push(root);
    match function.expr(root) {
        Expr::Read(_) | Expr::Call(..) => {}
        other @ (Expr::Const(_)
        | Expr::Hole(..)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select(..)
        | Expr::Cast(..)) => {
            other.operands().for_each(|operand| values_in(function, operand, parts));
        }
    }
}
