//! Always-false blocks: code behind a condition that never holds.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::lang::{Term, WordTy};

use crate::sites::{add_block, choose_dead_stmts, choose_from, points, split};
use crate::subject::Subject;
use crate::synth::{Runs, Synth};

/// Puts a block behind a condition that is false in every state that was seen. It may loop, and need
/// not be defined.
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
        let profile = &subject.profile;
        let Some(point) = choose_from(&points(&draft.program, profile, Runs::Live), rng) else {
            return false;
        };
        let Some(synth) = Synth::new(&draft.program, profile, point) else { return false };
        let Some(never) = synth.choose_predicate(false, subject.sizes.predicate_depth, rng) else {
            return false;
        };
        let function = draft.function(point.function);
        let rest = split(function, point.block, point.at);
        let stmts = choose_dead_stmts(function, &synth, &subject.sizes, rng);
        let dead = add_block(function, stmts, Term::Goto(rest));
        if choose_below(3, rng) == 0 {
            let again = synth
                .choose(WordTy::I32, subject.sizes.expr_depth, Runs::Dead, rng)
                .install(function);
            let term = Term::If { cond: again, then: dead, otherwise: rest };
            function.blocks[dead.index()].term = term;
        }
        let cond = never.install(function);
        function.blocks[point.block.index()].term = Term::If { cond, then: dead, otherwise: rest };
        true
    }
}
