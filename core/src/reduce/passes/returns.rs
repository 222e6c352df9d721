//! Values in the place of checksums.

use super::Edit;
use super::branches::exit_of;
use super::calls::calls_of;
use crate::ids::{FuncId, GlobalId, VarId};
use crate::lang::{ArithTy, Const, Expr, Function, Place, Program, Return, Term, VarRef, VarTy};
use crate::reduce::draft::Draft;
use crate::reduce::facts::Facts;

/// So many elements of an array are tried.
const MAX_ELEMENTS: u32 = 8;

/// Returns one of the variables that a checksum covers, in its place. Those that were assigned last
/// come first.
pub(super) fn values(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        let is_behind_gate =
            facts.functions.iter().any(|other| other.gate.is_some_and(|gate| gate.body == id));
        let returns = &function.block(exit_of(function)).term;
        if is_behind_gate || !matches!(returns, Term::Return(Return::Checksum)) {
            continue;
        }
        for var in covered(program, function) {
            let decl = program.var(function, var);
            let ty = decl.ty.elem().widened();
            let elements = match decl.ty {
                VarTy::Scalar(_) => vec![None],
                VarTy::Array(_, len) => (0..len.min(MAX_ELEMENTS)).map(Some).collect(),
            };
            let edit = |element| Edit::new(move |draft| put_return(draft, id, var, element, ty));
            edits.extend(elements.into_iter().map(edit));
        }
    }
    edits
}

/// What the checksum covers, last assigned first.
fn covered(program: &Program, function: &Function) -> Vec<VarRef> {
    let stmts = function.blocks.iter().rev().flat_map(|block| block.stmts.iter().rev());
    let assigned = stmts.map(|stmt| stmt.place.var());
    let vars = (0..function.vars.len()).map(|at| VarRef::Var(VarId::new(at)));
    let globals =
        program.globals_named(function).into_iter().map(|id: GlobalId| VarRef::Global(id));
    let mut covered = Vec::new();
    for var in assigned.chain(vars).chain(globals) {
        if !covered.contains(&var) {
            covered.push(var);
        }
    }
    covered
}

fn put_return(draft: &mut Draft, id: FuncId, var: VarRef, element: Option<u32>, ty: ArithTy) {
    // Callers go on with a u32, as they did.
    for caller in (0..draft.program.functions.len()).map(FuncId::new) {
        let calls: Vec<_> =
            calls_of(&draft.program, caller).filter(|(_, callee)| *callee == id).collect();
        if ty != draft.program.function(id).ret {
            let function = draft.function(caller);
            for (call, _) in calls {
                let inner = function.expr(call).clone();
                let inner = function.add_expr(inner);
                *function.expr_mut(call) = Expr::Cast(ArithTy::U32.into(), inner);
            }
        }
    }
    let function = draft.function(id);
    let place = match element {
        None => Place::Scalar(var),
        Some(element) => {
            let index = Const::new(ArithTy::I32, element.into());
            Place::Element(var, function.add_expr(Expr::Const(index)))
        }
    };
    let value = function.add_expr(Expr::Read(place));
    let exit = exit_of(function);
    function.blocks[exit.index()].term = Term::Return(Return::Value(value));
    function.ret = ty;
}
