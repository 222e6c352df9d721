//! Crossover: a caller of two functions, one of which may be of another program.

use pathsmith_edit::{Claim, Draft, Reach, Transform, for_each_var_mut};
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::{
    BinOp, Block, ConstOrHole, Ending, Expr, Function, Program, Realization, RecursionGuard,
    Return, Scalar, Term, ValueTy, Var, VarRef, VarTy,
};
use pathsmith_symlang::{BlockId, ExprId, FuncId, Rng, VarId};

use crate::edits::{
    add_cast, add_const, add_global, add_read, assign, fresh_function_name, param_prefix,
};
use crate::inputs::known_inputs;
use crate::sites::choose_from;
use crate::splice::Splice;
use crate::subject::Subject;
use crate::transforms::inline::choose_leaf;

/// Adds a caller of two functions, which chains their results, combines them by an operator, or runs
/// both bodies on the same array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sequence;

impl Transform for Sequence {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "sequence"
    }

    fn claim(&self) -> Claim {
        Claim::Free
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        let own = draft.program.clone();
        let donor = subject.donor.as_deref().unwrap_or(&own);
        let is_callable =
            |id: &FuncId| !assigns_global(&own, *id) && !known_inputs(&own, *id).is_empty();
        let callable: Vec<FuncId> =
            subject.sites.functions.iter().copied().filter(is_callable).collect();
        let Some(second) = choose_leaf(donor, rng) else { return false };
        let is_second_callable = !donor.function(second).writes_global();
        match choose_from(&callable, rng) {
            Some(first) if is_second_callable && choose_below(3, rng) != 0 => {
                let is_own = subject.donor.is_none();
                let second_id = if is_own { second } else { import(draft, donor, second) };
                let inputs = known_inputs(donor, second);
                call_both(draft, first, (second_id, donor.function(second), &inputs), rng)
            }
            Some(_) | None => {
                let Some(first) = choose_leaf(&own, rng) else { return false };
                run_both(draft, first, donor, second, rng)
            }
        }
    }
}

/// Whether a function assigns to a global, or calls what does.
fn assigns_global(program: &Program, id: FuncId) -> bool {
    let reached = Reach::functions_from(program, vec![id]);
    let guards = |id| RecursionGuard::of(program, id).is_some();
    program
        .functions_with_ids()
        .any(|(id, function)| reached[id.index()] && function.writes_global() && !guards(id))
}

/// Adds a function of another program, which calls nothing. Its globals become new ones.
fn import(draft: &mut Draft, donor: &Program, id: FuncId) -> FuncId {
    let mut function = donor.function(id).clone();
    rename_globals(draft, donor, &mut function);
    function.name = fresh_function_name(&draft.program, "donated");
    draft.add_function(function)
}

fn rename_globals(draft: &mut Draft, donor: &Program, function: &mut Function) {
    let named = donor.globals_named(function);
    let new: Vec<VarRef> = named
        .iter()
        .map(|id| {
            let var = donor.global(*id);
            add_global(draft, var.ty.clone(), var.init.clone())
        })
        .collect();
    for_each_var_mut(function, |var| {
        if let VarRef::Global(id) = var
            && let Some(at) = named.iter().position(|named| named == id)
        {
            *var = new[at];
        }
    });
}

/// A function without blocks, with the parameters of two functions.
fn caller(draft: &Draft, first: &Function, second: &Function, ret: ValueTy) -> Function {
    let mut caller = Function::new(fresh_function_name(&draft.program, "sequence"), ret);
    let prefix = param_prefix(&draft.program);
    for (at, var) in first.params().iter().chain(second.params()).enumerate() {
        let (name, ty) = (format!("{prefix}{at}"), var.ty.clone());
        caller.vars.push(Var { name, ty, init: Vec::new() });
    }
    caller.n_params = caller.vars.len();
    caller
}

/// Arguments of both, as they are known to be defined for each.
fn realizations(first: &[Vec<Scalar>], second: &[Vec<Scalar>], ret: ValueTy) -> Vec<Realization> {
    if first.is_empty() || second.is_empty() {
        return Vec::new();
    }
    let n = first.len().max(second.len());
    let args = (0..n).map(|at| [&first[at % first.len()][..], &second[at % second.len()]].concat());
    let realized = args.map(|args| Realization {
        args,
        path: Path::default(),
        ending: Ending::Returns(Scalar::new(ret, 0)),
        leaving: None,
    });
    realized.collect()
}

/// Calls both: the second gets the result of the first for a parameter, or their results are combined.
fn call_both(
    draft: &mut Draft,
    first_id: FuncId,
    (second_id, second, inputs): (FuncId, &Function, &[Vec<Scalar>]),
    rng: &mut Rng,
) -> bool {
    let first_inputs = known_inputs(&draft.program, first_id);
    let first = draft.program.function(first_id).clone();
    let ret = second.ret;
    let mut caller = caller(draft, &first, second, ret);
    let result = VarRef::Var(VarId::new(caller.vars.len()));
    let init = vec![ConstOrHole::Const(Scalar::new(first.ret, 0))];
    caller.vars.push(Var {
        name: param_prefix(&draft.program),
        ty: VarTy::scalar(first.ret),
        init,
    });
    let param = |caller: &mut Function, at: usize| -> ExprId {
        add_read(caller, VarRef::Var(VarId::new(at)))
    };
    let args = (0..first.n_params).map(|at| param(&mut caller, at)).collect();
    let call = caller.add_expr(Expr::Call(first_id, args));
    let stmts = vec![assign(result, call)];
    let chained = (second.n_params > 0 && choose_below(2, rng) == 0)
        .then(|| choose_below(second.n_params, rng));
    let mut args: Vec<ExprId> = Vec::with_capacity(second.n_params);
    for at in 0..second.n_params {
        let own = param(&mut caller, first.n_params + at);
        args.push(if chained == Some(at) {
            let to = second.vars[at].ty.cell_ty().widened();
            let read = add_read(&mut caller, result);
            let passed = add_cast(&mut caller, read, first.ret, to);
            // A part of the result only, mostly: what it is defined for is near its own argument.
            match choose_below(3, rng) {
                0 => passed,
                _ => match to {
                    ValueTy::Int(word) => {
                        let mask = add_const(&mut caller, word, 1);
                        let part = caller.add_expr(Expr::Binary(BinOp::And, passed, mask));
                        caller.add_expr(Expr::Binary(BinOp::Xor, own, part))
                    }
                    ValueTy::Float(_) => caller.add_expr(Expr::Binary(BinOp::Min, own, passed)),
                },
            }
        } else {
            own
        });
    }
    let call = caller.add_expr(Expr::Call(second_id, args.into()));
    let read = add_read(&mut caller, result);
    let own = add_cast(&mut caller, read, first.ret, ret);
    let ops = match ret {
        ValueTy::Int(_) => {
            [BinOp::Xor, BinOp::Or, BinOp::And, BinOp::Min, BinOp::Max, BinOp::Subsat]
        }
        ValueTy::Float(_) => {
            [BinOp::Add, BinOp::Mul, BinOp::Div, BinOp::Min, BinOp::Max, BinOp::Sub]
        }
    };
    let value = match chained {
        Some(_) if choose_below(2, rng) == 0 => call,
        Some(_) | None => {
            let op = ops[choose_below(ops.len(), rng)];
            caller.add_expr(Expr::Binary(op, own, call))
        }
    };
    let term = Term::Return(Return::Value(value));
    caller.blocks.push(Block { name: "entry".to_owned(), stmts, term });
    caller.realizations = realizations(&first_inputs, inputs, ret);
    let is_used = !caller.realizations.is_empty();
    draft.add_function(caller);
    is_used
}

/// Runs both bodies, one behind the other. If both have an array of the same kind, they share it.
fn run_both(
    draft: &mut Draft,
    first_id: FuncId,
    donor: &Program,
    second_id: FuncId,
    rng: &mut Rng,
) -> bool {
    let inputs = known_inputs(&draft.program, first_id);
    let first = draft.program.function(first_id).clone();
    let (mut second, ret) = (donor.function(second_id).clone(), first.ret);
    let is_own = *donor == draft.program;
    if !is_own {
        rename_globals(draft, donor, &mut second);
    }
    let mut new = caller(draft, &first, &second, ret);
    new.blocks.push(Block {
        name: "entry".to_owned(),
        stmts: Vec::new(),
        term: Term::Goto(BlockId::FIRST),
    });
    new.realizations = realizations(&inputs, &known_inputs(donor, second_id), ret);
    if new.realizations.is_empty() {
        return false;
    }
    let id = draft.add_function(new);
    let one = Splice::of_program(draft, id, &first);
    let mut two = Splice::of_program(draft, id, &second);
    share_array(draft, &first, &second, &one, &mut two, id, rng);
    let function = draft.function(id);
    let ops = match ret {
        ValueTy::Int(_) => [BinOp::Xor, BinOp::Or, BinOp::Min, BinOp::Max],
        ValueTy::Float(_) => [BinOp::Add, BinOp::Sub, BinOp::Min, BinOp::Max],
    };
    let op = ops[choose_below(ops.len(), rng)];
    let left = add_read(function, one.result);
    let right = add_read(function, two.result);
    let right = add_cast(function, right, second.ret, ret);
    let value = function.add_expr(Expr::Binary(op, left, right));
    let exit = BlockId::new(function.blocks.len());
    function.blocks.push(Block {
        name: "exit".to_owned(),
        stmts: Vec::new(),
        term: Term::Return(Return::Value(value)),
    });
    let n_first = first.n_params;
    let behind = two.insert_with_params(function, &second, exit, n_first);
    let begin = one.insert_with_params(function, &first, behind, 0);
    function.blocks[0].term = Term::Goto(begin);
    true
}

/// Lets an array of the first stand for one of the second with elements of the same type that is no
/// longer.
fn share_array(
    draft: &Draft,
    first: &Function,
    second: &Function,
    one: &Splice,
    two: &mut Splice,
    id: FuncId,
    rng: &mut Rng,
) {
    let function = draft.program.function(id);
    let mut pairs = Vec::new();
    for (at, var) in second.vars.iter().enumerate().filter(|(_, var)| var.ty.is_array()) {
        for (with, other) in first.vars.iter().enumerate().filter(|(_, var)| var.ty.is_array()) {
            let fits =
                var.ty.cell_ty() == other.ty.cell_ty() && var.ty.n_cells() <= other.ty.n_cells();
            if fits {
                let with = one.var(VarRef::Var(VarId::new(with)));
                debug_assert!(draft.program.var(function, with).ty.is_array());
                pairs.push((at, with));
            }
        }
    }
    if let Some((at, with)) = choose_from(&pairs, rng) {
        two.share(at, with);
    }
}
