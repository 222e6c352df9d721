//! Always-true guards around statements.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::Term;

use crate::profile::Point;
use crate::sites::{choose_from, points, split};
use crate::subject::Subject;
use crate::synth::{Runs, Synth};

/// Puts statements behind a condition that holds whenever they are reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard;

impl Transform for Guard {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "guard"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        let profile = &subject.profile;
        let mut all = points(&draft.program, profile, Runs::Live);
        let n_stmts =
            |point: &Point| draft.program.function(point.function).block(point.block).stmts.len();
        all.retain(|point| point.at < n_stmts(point));
        let Some(point) = choose_from(&all, rng) else { return false };
        let n_guarded = 1 + choose_below(n_stmts(&point) - point.at, rng);
        let Some(synth) = Synth::new(&draft.program, profile, point) else { return false };
        let holds = choose_bool(0.5, rng);
        let Some(predicate) = synth.choose_predicate(holds, subject.sizes.predicate_depth, rng)
        else {
            return false;
        };
        let function = draft.function(point.function);
        let rest = split(function, point.block, point.at + n_guarded);
        let guarded = split(function, point.block, point.at);
        let cond = predicate.install(function);
        let (then, otherwise) = if holds { (guarded, rest) } else { (rest, guarded) };
        function.blocks[point.block.index()].term = Term::If { cond, then, otherwise };
        true
    }
}
