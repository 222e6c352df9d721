//! Fewer globals.

use super::Edit;
use pathsmith_edit::Facts;
use pathsmith_edit::for_each_var_mut;
use pathsmith_symlang::lang::{Program, VarRef};
use pathsmith_symlang::{FuncId, GlobalId, VarId};

/// Makes a global that one function names a local of it.
pub(super) fn to_locals(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut namers: Vec<Vec<FuncId>> = vec![Vec::new(); program.globals.len()];
    for (id, function) in program.functions_with_ids() {
        for global in program.globals_named(function) {
            namers[global.index()].push(id);
        }
    }
    let mut edits = Vec::new();
    for (at, namers) in namers.into_iter().enumerate() {
        let [id] = namers[..] else { continue };
        if facts.is_guard(id) {
            continue;
        }
        let global = program.globals[at].clone();
        edits.push(Edit::new(move |draft| {
            let function = draft.function(id);
            let local = VarRef::Var(VarId::new(function.vars.len()));
            function.vars.push(global.clone());
            for_each_var_mut(function, |var| {
                if *var == VarRef::Global(GlobalId::new(at)) {
                    *var = local;
                }
            });
        }));
    }
    edits
}
