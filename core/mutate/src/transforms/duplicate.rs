//! Copies of regions: peeled iterations, duplicated tails, rotated loops.

use pathsmith_edit::{Claim, Draft, Reach, Transform};
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::Function;
use pathsmith_symlang::{BlockId, Rng};

use crate::edits::{copy_blocks, redirect};
use crate::sites::{Edge, Site, can_copy, choose_site};
use crate::sizes::Sizes;
use crate::subject::Subject;

/// Leads an edge to a copy of what it led to. Edges inside of the copy lead to copies or to originals,
/// by chance: with the back edge of a loop to the original, an iteration is peeled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Duplicate;

impl Transform for Duplicate {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "duplicate"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        let program = &draft.program;
        // What only this edge leads to would be moved, not copied.
        let is_shared = |edge: &Edge| {
            subject.sites.edges.iter().any(|Site { at: other, .. }| {
                (other.function, other.to) == (edge.function, edge.to)
                    && other.from != edge.from
                    && other.from != edge.to
            })
        };
        let edge = choose_site(&subject.sites.edges, rng, |edge| {
            can_copy(&program.function(edge.function).block(edge.to).term) && is_shared(edge)
        });
        let Some(edge) = edge else { return false };
        let before = Reach::blocks_of(draft.program.function(edge.function));
        let function = draft.function(edge.function);
        let copy = copy_region(function, edge.to, &subject.sizes, rng);
        redirect(function, &edge, copy);
        // What nothing leads to any more was moved, not copied.
        let now = Reach::blocks_of(function);
        std::iter::zip(before, now).all(|(before, now)| now || !before)
    }
}

/// Copies `first`, which can be copied, and some of the blocks that it leads to. Returns the copy of
/// `first`.
pub(super) fn copy_region(
    function: &mut Function,
    first: BlockId,
    sizes: &Sizes,
    rng: &mut Rng,
) -> BlockId {
    let mut region = vec![first];
    let n_wanted = 1 + choose_below(sizes.region as usize, rng);
    let mut at = 0;
    while let Some(block) = region.get(at).copied() {
        at += 1;
        let mut next = Vec::new();
        function.block(block).term.for_each_target(|target| next.push(target));
        for target in next {
            let is_new = !region.contains(&target) && can_copy(&function.block(target).term);
            if is_new && region.len() < n_wanted {
                region.push(target);
            }
        }
    }
    let copies = copy_blocks(function, &region);
    for copy in &copies {
        let stays: Vec<bool> = region.iter().map(|_| choose_bool(0.5, rng)).collect();
        function.blocks[copy.index()].term.map_targets(|target| {
            match region.iter().position(|block| *block == target) {
                Some(at) if stays[at] => copies[at],
                Some(_) | None => target,
            }
        });
    }
    copies[0]
}
