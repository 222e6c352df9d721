//! Fewer statements.

use super::Edit;
use super::branches::blocks;
use crate::lang::Program;
use crate::reduce::facts::Facts;

/// Drops a statement.
pub(super) fn dropped(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function, block) in blocks(program, facts) {
        let dropped = move |at| Edit::new(move |draft| draft.drop_stmt(id, block, at));
        edits.extend((0..function.block(block).stmts.len()).map(dropped));
    }
    edits
}
