//! Always-false blocks: code behind a condition that never holds.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_bool;
use pathsmith_symlang::lang::Term;

use crate::edits::{choose_dead_blocks, split};
use crate::sites::choose_site;
use crate::subject::Subject;
use crate::synth::Synth;

/// Puts a block or a loop behind a condition that is false in every state that was seen. It need not
/// be defined, nor come to an end.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeadBlock;

impl Transform for DeadBlock {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "dead-block"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        let (profile, sizes) = (&subject.profile, &subject.sizes);
        let Some(point) = choose_site(&subject.sites.live, rng, |_| true) else { return false };
        let Some(synth) = Synth::new(&draft.program, profile, point) else { return false };
        let holds = choose_bool(0.3, rng);
        let Some(predicate) = synth.choose_predicate(holds, sizes.predicate_depth, rng) else {
            return false;
        };
        let function = draft.function(point.function);
        let rest = split(function, point.block, point.at);
        let dead = choose_dead_blocks(function, rest, &synth, sizes, rng);
        let cond = predicate.install(function);
        let (then, otherwise) = if holds { (rest, dead) } else { (dead, rest) };
        function.blocks[point.block.index()].term = Term::If { cond, then, otherwise };
        true
    }
}
