//! Shorter arrays.

use super::Edit;
use pathsmith_edit::Facts;
use pathsmith_edit::{Draft, places};
use pathsmith_symlang::lang::{Expr, Function, Place, PlaceForm, Program, Var, VarRef, VarTy};
use pathsmith_symlang::{FuncId, GlobalId, VarId};

/// Makes an array a scalar, or shorter: as long as its indices ask for, or half as long.
pub(super) fn shrunk(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        for (at, var) in function.vars.iter().enumerate() {
            let needed = needed(facts, id, function, VarRef::Var(VarId::new(at)));
            shrink(var, Owner::Function(id, at), needed, &mut edits);
        }
    }
    for (at, global) in program.globals.iter().enumerate() {
        let namers = program
            .functions_with_ids()
            .map(|(id, function)| needed(facts, id, function, VarRef::Global(GlobalId::new(at))));
        shrink(global, Owner::Program(at), namers.max().unwrap_or(0), &mut edits);
    }
    edits
}

/// Where an array is declared.
#[derive(Clone, Copy)]
enum Owner {
    Function(FuncId, usize),
    Program(usize),
}

impl Owner {
    fn var(self, draft: &mut Draft) -> &mut Var {
        match self {
            Self::Function(id, at) => &mut draft.function(id).vars[at],
            Self::Program(at) => &mut draft.program.globals[at],
        }
    }

    /// How `function` names it, if it can.
    fn named_in(self, function: FuncId) -> Option<VarRef> {
        match self {
            Self::Function(id, at) => (id == function).then(|| VarRef::Var(VarId::new(at))),
            Self::Program(at) => Some(VarRef::Global(GlobalId::new(at))),
        }
    }
}

/// How long an array has to be for the indices that were seen.
fn needed(facts: &Facts, id: FuncId, function: &Function, var: VarRef) -> u32 {
    let mut needed = 0;
    for place in places(function) {
        if let PlaceForm::Element(indexed, index) = place.form()
            && indexed == var
            && let Some(seen) = facts.seen(id, index)
            && let Ok(last) = u32::try_from(seen.range.1)
        {
            needed = needed.max(last.saturating_add(1));
        }
    }
    needed
}

fn shrink(var: &Var, owner: Owner, needed: u32, edits: &mut Vec<Edit>) {
    let VarTy::Array(elem, len) = &var.ty else { return };
    let len = *len;
    let scalar = VarTy::clone(elem);
    edits.push(Edit::new(move |draft| {
        let var = owner.var(draft);
        var.ty = scalar.clone();
        var.init.truncate(1);
        for at in 0..draft.program.functions.len() {
            let id = FuncId::new(at);
            if let Some(var) = owner.named_in(id) {
                make_scalar(draft.function(id), var);
            }
        }
    }));
    let mut lens = vec![1, needed.max(1), len / 2, len - 1];
    lens.dedup();
    lens.retain(|shorter| (1..len).contains(shorter));
    edits.extend(lens.into_iter().map(|len| {
        let elem = elem.clone();
        Edit::new(move |draft| {
            let var = owner.var(draft);
            var.ty = VarTy::Array(elem.clone(), len);
            var.init.truncate(len as usize);
        })
    }));
}

fn make_scalar(function: &mut Function, var: VarRef) {
    let make = |place: &mut Place| {
        if place.var() == var {
            *place = Place::scalar(var);
        }
    };
    for stmt in function.blocks.iter_mut().flat_map(|block| &mut block.stmts) {
        make(stmt.assigned_mut());
    }
    for expr in function.exprs_mut() {
        if let Expr::Read(place) = expr {
            make(place);
        }
    }
}
