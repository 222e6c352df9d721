//! Regions with a twin.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::lang::{Term, WordTy};

use crate::profile::Point;
use crate::sites::{add_block, choose_from};
use crate::subject::Subject;
use crate::synth::{Runs, Synth};
use crate::transforms::duplicate::{copy_region, edges, redirect};

/// Copies a region of the graph, and lets a condition choose between the original and the copy: one
/// that always holds, that never does, or any that is defined, so that they take turns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Twin;

impl Transform for Twin {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "twin"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        let profile = &subject.profile;
        let mut all = edges(&draft.program);
        all.retain(|edge| profile.is_visited(edge.function, edge.to));
        let Some(edge) = choose_from(&all, rng) else { return false };
        let point = Point { function: edge.function, block: edge.to, at: 0 };
        let Some(synth) = Synth::new(&draft.program, profile, point) else { return false };
        let depth = subject.sizes.predicate_depth;
        let predicate = match choose_below(3, rng) {
            0 => synth.choose_predicate(true, depth, rng),
            1 => synth.choose_predicate(false, depth, rng),
            _ => Some(synth.choose(WordTy::I32, subject.sizes.expr_depth, Runs::Live, rng)),
        };
        let Some(predicate) = predicate else { return false };
        let function = draft.function(edge.function);
        let copy = copy_region(function, edge.to, &subject.sizes, rng);
        let cond = predicate.install(function);
        let sides = choose_from(&[(edge.to, copy), (copy, edge.to)], rng);
        let (then, otherwise) = sides.unwrap_or((edge.to, copy));
        let chooser = add_block(function, Vec::new(), Term::If { cond, then, otherwise });
        redirect(function, &edge, chooser);
        true
    }
}
