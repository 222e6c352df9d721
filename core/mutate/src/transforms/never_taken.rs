//! Edges that are never taken.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::BlockId;
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::lang::Term;

use crate::sites::{choose_from, points, split};
use crate::subject::Subject;
use crate::synth::{Runs, Synth};

/// Adds an edge from any point to any block, behind a condition that never holds: a second entry
/// into a loop, a way back, a way out.
#[derive(Clone, Copy, Debug)]
pub(super) struct NeverTaken;

impl Transform for NeverTaken {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "never-taken"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        let profile = &subject.profile;
        let Some(point) = choose_from(&points(&draft.program, profile, Runs::Live), rng) else {
            return false;
        };
        let n_blocks = draft.program.function(point.function).blocks.len();
        // The entry has no predecessor.
        if n_blocks < 2 {
            return false;
        }
        let target = BlockId::new(1 + choose_below(n_blocks - 1, rng));
        let Some(synth) = Synth::new(&draft.program, profile, point) else { return false };
        let Some(never) = synth.choose_predicate(false, subject.sizes.predicate_depth, rng) else {
            return false;
        };
        let function = draft.function(point.function);
        let rest = split(function, point.block, point.at);
        // The halves of a block were one.
        let target = if target == point.block { rest } else { target };
        let cond = never.install(function);
        function.blocks[point.block.index()].term =
            Term::If { cond, then: target, otherwise: rest };
        true
    }
}
