//! Fewer realizations, and no words.

use super::Edit;
use pathsmith_edit::Facts;
use pathsmith_symlang::lang::Program;

/// Drops a realization.
pub(super) fn dropped(program: &Program, _: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        let dropped = move |nth| Edit::new(move |draft| draft.drop_realization(id, nth));
        edits.extend((0..function.realizations.len()).map(dropped));
    }
    edits
}

/// Drops the lines about the program and its functions.
pub(super) fn docs(program: &Program, _: &Facts) -> Vec<Edit> {
    let has_docs = !program.docs.is_empty() || program.functions.iter().any(|f| !f.docs.is_empty());
    let drop_all = || {
        Edit::new(|draft| {
            draft.program.docs.clear();
            draft.program.functions.iter_mut().for_each(|function| function.docs.clear());
        })
    };
    has_docs.then(drop_all).into_iter().collect()
}
