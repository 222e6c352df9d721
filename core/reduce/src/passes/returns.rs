//! Values in the place of checksums.

use super::Edit;
use super::branches::exit_of;
use super::calls::{calls_of, guards_before};
use pathsmith_edit::Draft;
use pathsmith_edit::Facts;
use pathsmith_symlang::lang::{
    BinOp, Const, ConstOrHole, Expr, FloatTy, Function, Place, Program, Return, Scalar, Term, UnOp,
    ValueTy, VarRef, VarTy, WordTy,
};
use pathsmith_symlang::{ExprId, FuncId, VarId};

/// So many elements of an array are tried.
const MAX_ELEMENTS: u32 = 8;

/// Takes a variable out of a checksum. A checksum of nothing is a constant: then only what the
/// function leaves in memory is observed.
pub(super) fn fewer(program: &Program, _: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        for var in program.checksum_vars(function) {
            edits.push(Edit::new(move |draft| unlist(draft, id, var)));
        }
    }
    edits
}

/// Takes a variable that goes out of the list of a checksum, if that has one.
pub(super) fn unlist_var(draft: &mut Draft, id: FuncId, var: VarId) {
    let var = VarRef::Var(var);
    if draft.program.function(id).listed_vars().contains(&var) {
        unlist(draft, id, var);
    }
}

/// Takes a variable out of the checksum that a function returns, if it returns one.
fn unlist(draft: &mut Draft, id: FuncId, var: VarRef) {
    let function = draft.program.function(id);
    if !matches!(function.returned(), Some(Return::Checksum | Return::ChecksumOf(_))) {
        return;
    }
    let mut vars = draft.program.checksum_vars(function);
    vars.retain(|other| *other != var);
    let function = draft.function(id);
    let exit = exit_of(function);
    let returned = if vars.is_empty() {
        Return::Value(function.add_expr(Expr::Const(Const::new(function.ret, 0))))
    } else {
        Return::ChecksumOf(vars)
    };
    function.blocks[exit.index()].term = Term::Return(returned);
}

/// Returns one of the variables that a checksum covers, in its place. Those that were assigned last
/// come first.
pub(super) fn values(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        let guards = guards_before(facts, id);
        for var in covered(program, function) {
            let decl = program.var(function, var);
            let ty = decl.ty.cell_ty().widened();
            let elements = match &decl.ty {
                VarTy::Scalar(_) => vec![None],
                VarTy::Array(_, len) => (0..*len.min(&MAX_ELEMENTS)).map(Some).collect(),
            };
            let edit = |element| {
                let guards = guards.clone();
                Edit::new(move |draft| {
                    change_ty(draft, id, &guards, ty);
                    put_return(draft, id, var, element, ty);
                })
            };
            edits.extend(elements.into_iter().map(edit));
        }
    }
    edits
}

/// Returns the exclusive or of all scalars that a checksum covers, in its place, or the sum if there
/// are floating-point numbers among them: a person can tell what it is.
pub(super) fn mixed(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        let vars = covered(program, function);
        let tys: Vec<ValueTy> =
            vars.iter().map(|var| program.var(function, *var).ty.cell_ty().widened()).collect();
        let is_scalar = |var: &VarRef| !program.var(function, *var).ty.is_array();
        let (Some(first), true) = (tys.first(), vars.iter().all(is_scalar)) else { continue };
        let ty = match tys.iter().all(|ty| ty == first) {
            true => *first,
            false if !tys.iter().all(|ty| ty.is_int()) => FloatTy::F64.into(),
            false if tys.iter().any(|ty| ty.bits() == 64) => WordTy::U64.into(),
            false => WordTy::U32.into(),
        };
        let guards = guards_before(facts, id);
        edits.push(Edit::new(move |draft| {
            change_ty(draft, id, &guards, ty);
            put_mixture(draft, id, &vars, &tys, ty);
        }));
    }
    edits
}

fn put_mixture(draft: &mut Draft, id: FuncId, vars: &[VarRef], tys: &[ValueTy], ty: ValueTy) {
    let function = draft.function(id);
    let op = match ty {
        ValueTy::Int(_) => BinOp::Xor,
        ValueTy::Float(_) => BinOp::Add,
    };
    let mut mixture = None;
    for (var, var_ty) in std::iter::zip(vars, tys) {
        let mut value = function.add_expr(Expr::Read(Place::scalar(*var)));
        if *var_ty != ty {
            value = function.add_expr(Expr::Cast(ty.into(), value));
        }
        mixture = Some(match mixture {
            None => value,
            Some(before) => function.add_expr(Expr::Binary(op, before, value)),
        });
    }
    let Some(mixture) = mixture else { return };
    let exit = exit_of(function);
    function.blocks[exit.index()].term = Term::Return(Return::Value(mixture));
    function.ret = ty;
}

/// What the checksum covers, last assigned first. Nothing if the function returns a value.
fn covered(program: &Program, function: &Function) -> Vec<VarRef> {
    let listed = program.checksum_vars(function);
    let stmts = function.blocks.iter().rev().flat_map(|block| block.stmts.iter().rev());
    let assigned = stmts.map(|stmt| stmt.assigned().var()).filter(|var| listed.contains(var));
    let mut covered = Vec::new();
    for var in assigned.chain(listed.iter().copied()) {
        if !covered.contains(&var) {
            covered.push(var);
        }
    }
    covered
}

/// Makes calls of a function and of the guards before it give a `ty`; their callers go on with a
/// `u32`, as they did.
fn change_ty(draft: &mut Draft, id: FuncId, guards: &[FuncId], ty: ValueTy) {
    let old = draft.program.function(id).ret;
    if ty == old {
        return;
    }
    for caller in (0..draft.program.functions.len()).map(FuncId::new) {
        if guards.contains(&caller) {
            let guard = draft.function(caller);
            guard.ret = ty;
            let out = guard.n_params;
            if let Some(out) = guard.vars.get_mut(out) {
                let zero = Scalar::new(ty, 0);
                (out.ty, out.init) = (VarTy::scalar(ty), vec![ConstOrHole::Const(zero)]);
            }
            continue;
        }
        let calls: Vec<_> = calls_of(&draft.program, caller)
            .filter(|(_, callee)| *callee == id || guards.contains(callee))
            .collect();
        let function = draft.function(caller);
        for (call, _) in calls {
            let inner = function.expr(call).clone();
            let inner = function.add_expr(inner);
            *function.expr_mut(call) = converted(inner, ty, old);
        }
    }
}

/// A conversion that is defined for all values.
fn converted(expr: ExprId, from: ValueTy, to: ValueTy) -> Expr {
    match (from, to) {
        (ValueTy::Float(_), ValueTy::Int(WordTy::I32)) => Expr::Unary(UnOp::SatI32, expr),
        (ValueTy::Float(_), ValueTy::Int(WordTy::U32)) => Expr::Unary(UnOp::SatU32, expr),
        (ValueTy::Float(_), ValueTy::Int(WordTy::I64)) => Expr::Unary(UnOp::SatI64, expr),
        (ValueTy::Float(_), ValueTy::Int(WordTy::U64)) => Expr::Unary(UnOp::SatU64, expr),
        (ValueTy::Int(_), ValueTy::Int(_) | ValueTy::Float(_))
        | (ValueTy::Float(_), ValueTy::Float(_)) => Expr::Cast(to.into(), expr),
    }
}

fn put_return(draft: &mut Draft, id: FuncId, var: VarRef, element: Option<u32>, ty: ValueTy) {
    let function = draft.function(id);
    let place = match element {
        None => Place::scalar(var),
        Some(element) => {
            let index = Const::new(WordTy::I32, element.into());
            Place::element(var, function.add_expr(Expr::Const(index)))
        }
    };
    let value = function.add_expr(Expr::Read(place));
    let exit = exit_of(function);
    function.blocks[exit.index()].term = Term::Return(Return::Value(value));
    function.ret = ty;
}
