//! Arrays that no statement assigns: they can be constant tables.

use pathsmith_symlang::lang::effects::may_write;
use pathsmith_symlang::lang::{Function, Program, VarRef};
use pathsmith_symlang::{GlobalId, VarId};

/// Whether a local of `function` is an array that nothing assigns.
pub(crate) fn is_table(function: &Function, id: VarId) -> bool {
    function.var(id).ty.is_array() && !is_assigned(function, VarRef::Var(id))
}

/// Whether a global is an array that no function assigns.
pub(crate) fn is_global_table(program: &Program, id: GlobalId) -> bool {
    let assigns = |function: &Function| is_assigned(function, VarRef::Global(id));
    program.global(id).ty.is_array() && !program.functions.iter().any(assigns)
}

fn is_assigned(function: &Function, var: VarRef) -> bool {
    function.blocks.iter().flat_map(|block| &block.stmts).any(|stmt| may_write(stmt, var))
}
