//! Blocks joined with the only one that leads to them.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::lang::{Function, Term};
use pathsmith_symlang::{BlockId, Rng};

use crate::sites::choose_site;
use crate::subject::Subject;

/// Appends a block to the only one that leads to it, if that leads nowhere else.
#[derive(Clone, Copy, Debug)]
pub(super) struct Merge;

impl Transform for Merge {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "merge"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        let program = &draft.program;
        let edge = choose_site(&subject.sites.edges, rng, |edge| {
            can_merge(program.function(edge.function), edge.from, edge.to)
        });
        let Some(edge) = edge else { return false };
        let function = draft.function(edge.function);
        let second = &mut function.blocks[edge.to.index()];
        let stmts = std::mem::take(&mut second.stmts);
        // Nothing leads to it any more.
        let term = std::mem::replace(&mut second.term, Term::Goto(edge.to));
        let first = &mut function.blocks[edge.from.index()];
        first.stmts.extend(stmts);
        first.term = term;
        true
    }
}

fn can_merge(function: &Function, first: BlockId, second: BlockId) -> bool {
    let leads_there = |from: BlockId| {
        let mut found = false;
        function.block(from).term.for_each_target(|target| found |= target == second);
        found
    };
    first != second
        && matches!(function.block(first).term, Term::Goto(_))
        && (0..function.blocks.len())
            .map(BlockId::new)
            .all(|from| from == first || !leads_there(from))
}
