//! Code that no realization reaches: statements deleted and inserted.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::Rng;

use crate::profile::Point;
use crate::sites::{choose_dead_stmts, choose_from, points};
use crate::subject::Subject;
use crate::synth::{Runs, Synth};

/// Deletes a statement that never runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delete;

impl Transform for Delete {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "off-path-delete"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        let profile = &subject.profile;
        let mut all = points(&draft.program, profile, Runs::Dead);
        let is_stmt = |point: &Point| {
            point.at < draft.program.function(point.function).block(point.block).stmts.len()
        };
        all.retain(is_stmt);
        let Some(point) = choose_from(&all, rng) else { return false };
        // What a function leaves in memory is that of the globals that it names.
        let before = draft.program.globals_named(draft.program.function(point.function));
        draft.function(point.function).blocks[point.block.index()].stmts.remove(point.at);
        before == draft.program.globals_named(draft.program.function(point.function))
    }
}

/// Inserts statements where nothing runs. They need not be defined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Insert;

impl Transform for Insert {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "off-path-insert"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        let profile = &subject.profile;
        let Some(point) = choose_from(&points(&draft.program, profile, Runs::Dead), rng) else {
            return false;
        };
        let Some(synth) = Synth::new(&draft.program, profile, point) else { return false };
        let function = draft.function(point.function);
        let stmts = choose_dead_stmts(function, &synth, &subject.sizes, rng);
        let is_edited = !stmts.is_empty();
        function.blocks[point.block.index()].stmts.splice(point.at..point.at, stmts);
        is_edited
    }
}
