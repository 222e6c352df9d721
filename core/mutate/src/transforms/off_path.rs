//! Code that no realization reaches: statements and blocks deleted and inserted.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::choose::choose_bool;
use pathsmith_symlang::lang::Term;
use pathsmith_symlang::{BlockId, FuncId, Rng};

use crate::edits::{choose_dead_blocks, choose_dead_stmts, split};
use crate::profile::Point;
use crate::sites::{choose_from, choose_site};
use crate::subject::Subject;
use crate::synth::Synth;

/// Deletes a statement that never runs, or a block.
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
        let (dead, program) = (&subject.sites.dead, &draft.program);
        let is_stmt = |point: &Point| {
            point.at < program.function(point.function).block(point.block).stmts.len()
        };
        // What a function leaves in memory is that of the globals that it names.
        let stmt = choose_site(dead, rng, is_stmt);
        if choose_bool(0.5, rng) || stmt.is_none() {
            let is_block = |point: &Point| point.at == 0 && point.block != BlockId::FIRST;
            let block = choose_site(dead, rng, is_block);
            if block.is_some_and(|at| delete_block(draft, at.function, at.block, rng)) {
                return true;
            }
        }
        let Some(point) = stmt else { return false };
        let before = draft.program.globals_named(draft.program.function(point.function));
        let removed =
            draft.function(point.function).blocks[point.block.index()].stmts.remove(point.at);
        if before == draft.program.globals_named(draft.program.function(point.function)) {
            return true;
        }
        draft.function(point.function).blocks[point.block.index()].stmts.insert(point.at, removed);
        false
    }
}

/// Leads all edges to a block to one of its targets. Returns false, and does nothing, if the exit or
/// the name of a global would be lost.
fn delete_block(draft: &mut Draft, id: FuncId, block: BlockId, rng: &mut Rng) -> bool {
    let before = draft.program.function(id).clone();
    let globals = draft.program.globals_named(&before);
    let mut targets = Vec::new();
    before.block(block).term.for_each_target(|target| targets.push(target));
    targets.retain(|target| *target != block);
    let Some(to) = choose_from(&targets, rng) else { return false };
    let function = draft.function(id);
    for from in &mut function.blocks {
        from.term.map_targets(|target| if target == block { to } else { target });
    }
    let mut after = function.clone();
    let reached = pathsmith_edit::Reach::blocks_of(&after);
    let returns = |at: usize| matches!(after.blocks[at].term, Term::Return(_));
    let keeps_exit = (0..after.blocks.len()).any(|at| reached[at] && returns(at));
    for (at, block) in after.blocks.iter_mut().enumerate().filter(|(at, _)| !reached[*at]) {
        debug_assert!(at > 0, "the entry is reached");
        (block.stmts, block.term) = (Vec::new(), Term::Goto(BlockId::new(at)));
    }
    let is_fine = keeps_exit && globals == draft.program.globals_named(&after);
    if !is_fine {
        *draft.function(id) = before;
    }
    is_fine
}

/// Inserts statements, blocks and loops where nothing runs. They need not be defined.
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
        let Some(point) = choose_site(&subject.sites.dead, rng, |_| true) else { return false };
        let Some(synth) = Synth::new(&draft.program, &subject.profile, point) else {
            return false;
        };
        let function = draft.function(point.function);
        if choose_bool(0.5, rng) {
            let rest = split(function, point.block, point.at);
            let first = choose_dead_blocks(function, rest, &synth, &subject.sizes, rng);
            function.blocks[point.block.index()].term = Term::Goto(first);
            return true;
        }
        let stmts = choose_dead_stmts(function, &synth, &subject.sizes, rng);
        let is_edited = !stmts.is_empty();
        function.blocks[point.block.index()].stmts.splice(point.at..point.at, stmts);
        is_edited
    }
}
