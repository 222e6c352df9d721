//! Loops peeled, rotated and unrolled.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::lang::Function;
use pathsmith_symlang::{BlockId, FuncId, Rng};

use crate::edits::copy_blocks;
use crate::sites::{choose_from, choose_loop};
use crate::subject::Subject;

/// How many times larger than other regions loops may be. A guess.
const LOOP_SCALE: u32 = 4;

/// Copies the body of a loop before the loop, once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peel;

impl Transform for Peel {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "peel"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        let Some((id, region)) = choose(draft, subject, rng) else { return false };
        let function = draft.function(id);
        let copies = copy_blocks(function, &region);
        lead_inside(function, &region, &copies, region[0]);
        enter(function, &region, &copies, copies[0]);
        true
    }
}

/// Copies the head of a loop before the loop, so that the loop decides at its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rotate;

impl Transform for Rotate {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "rotate"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        let Some((id, region)) = choose(draft, subject, rng) else { return false };
        let function = draft.function(id);
        let head = copy_blocks(function, &region[..1]);
        enter(function, &region, &head, head[0]);
        true
    }
}

/// Copies the body of a loop behind the body, several times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unroll;

impl Transform for Unroll {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "unroll"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        let Some((id, region)) = choose(draft, subject, rng) else { return false };
        let n = 1 + choose_below(subject.sizes.unroll as usize, rng);
        let function = draft.function(id);
        let copies: Vec<Vec<BlockId>> = (0..n).map(|_| copy_blocks(function, &region)).collect();
        for (at, copy) in copies.iter().enumerate() {
            let next = copies.get(at + 1).map_or(region[0], |next| next[0]);
            lead_inside(function, &region, copy, next);
        }
        for block in &region {
            function.blocks[block.index()]
                .term
                .map_targets(|target| if target == region[0] { copies[0][0] } else { target });
        }
        true
    }
}

/// A function and a loop in it.
fn choose(draft: &Draft, subject: &Subject, rng: &mut Rng) -> Option<(FuncId, Vec<BlockId>)> {
    let mut functions = subject.sites.functions.clone();
    while let Some(id) = choose_from(&functions, rng) {
        let function = draft.program.function(id);
        if let Some(region) =
            choose_loop(function, (LOOP_SCALE * subject.sizes.region) as usize, rng)
        {
            return Some((id, region));
        }
        functions.retain(|other| *other != id);
    }
    None
}

/// Leads the edges inside of a copy to the copy, and those back to the head to `head`.
fn lead_inside(function: &mut Function, region: &[BlockId], copies: &[BlockId], head: BlockId) {
    for copy in copies {
        function.blocks[copy.index()].term.map_targets(|target| {
            if target == region[0] {
                return head;
            }
            let at = region.iter().position(|block| *block == target);
            at.map_or(target, |at| copies[at])
        });
    }
}

/// Leads the edges into a loop to `head`, but for those of the loop itself and of the copies.
fn enter(function: &mut Function, region: &[BlockId], copies: &[BlockId], head: BlockId) {
    for (at, block) in function.blocks.iter_mut().enumerate() {
        let id = BlockId::new(at);
        if !region.contains(&id) && !copies.contains(&id) {
            block.term.map_targets(|target| if target == region[0] { head } else { target });
        }
    }
}
