//! Fewer blocks.

use super::Edit;
use super::branches::{blocks, exit_of, targets};
use pathsmith_edit::Facts;
use pathsmith_edit::Reach;
use pathsmith_symlang::BlockId;
use pathsmith_symlang::lang::{Program, Term};

/// Drops a block: what led to it leads to where it was last seen to lead.
pub(super) fn dropped(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function, block) in blocks(program, facts) {
        if block == BlockId::FIRST || block == exit_of(function) {
            continue;
        }
        let ways = targets(function, block);
        let taken = &facts.function(id).taken[block.index()];
        let next = taken.iter().chain(&ways).copied().filter(|next| *next != block);
        let next =
            if taken.len() > 1 { next.take(taken.len()).last() } else { next.take(1).last() };
        let Some(next) = next else { continue };
        edits.push(Edit::new(move |draft| {
            for other in &mut draft.function(id).blocks {
                other.term.map_targets(|target| if target == block { next } else { target });
            }
        }));
    }
    edits
}

/// Puts a block at the end of the only one that leads to it, where that leads nowhere else.
pub(super) fn merged(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function, block) in blocks(program, facts) {
        let Term::Goto(next) = function.block(block).term else { continue };
        let mut n_edges = 0;
        for other in &function.blocks {
            other.term.for_each_target(|target| n_edges += usize::from(target == next));
        }
        if n_edges == 1 && next != block {
            edits.push(Edit::new(move |draft| {
                let function = draft.function(id);
                let next = function.blocks[next.index()].clone();
                let block = &mut function.blocks[block.index()];
                block.stmts.extend(next.stmts);
                block.term = next.term;
            }));
        }
    }
    // Of a chain, the last link first.
    edits.reverse();
    edits
}

/// Drops a block that the entry does not lead to.
pub(super) fn unreachable(program: &Program, facts: &Facts) -> Vec<Edit> {
    blocks(program, facts)
        .filter(|(_, function, block)| !Reach::blocks_of(function)[block.index()])
        .map(|(id, _, block)| Edit::new(move |draft| draft.drop_block(id, block)))
        .collect()
}
