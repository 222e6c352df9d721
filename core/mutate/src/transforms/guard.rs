//! Always-true guards around statements and regions.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{Function, Term};
use pathsmith_symlang::{BlockId, Rng};

use crate::edits::split;
use crate::profile::Point;
use crate::sites::{choose_from, choose_site};
use crate::subject::Subject;
use crate::synth::Synth;

/// Puts statements, or the blocks from one on, behind a condition that holds whenever they are
/// reached. Where it would not hold, they would be skipped.
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
        let program = &draft.program;
        let n_stmts =
            |point: &Point| program.function(point.function).block(point.block).stmts.len();
        let is_entry = |point: &Point| point.block == BlockId::FIRST;
        let is_region = choose_bool(0.4, rng);
        let fits = |point: &Point| match is_region {
            true => point.at == 0 && !is_entry(point),
            false => point.at < n_stmts(point),
        };
        let live = &subject.sites.live;
        let point = choose_site(live, rng, fits).or_else(|| choose_site(live, rng, |_| true));
        let Some(point) = point else { return false };
        let Some(synth) = Synth::new(program, &subject.profile, point) else { return false };
        let holds = choose_bool(0.5, rng);
        let depth = subject.sizes.predicate_depth;
        let Some(predicate) = synth.choose_predicate(holds, depth, rng) else { return false };
        let n_left = n_stmts(&point) - point.at;
        let function = draft.function(point.function);
        let skip = if is_region || n_left == 0 {
            choose_behind(function, point.block, subject.sizes.region, rng)
        } else {
            Some(split(function, point.block, point.at + 1 + choose_below(n_left, rng)))
        };
        let Some(skip) = skip else { return false };
        let guarded = split(function, point.block, point.at);
        let skip = if skip == point.block { guarded } else { skip };
        let cond = predicate.install(function);
        let (then, otherwise) = if holds { (guarded, skip) } else { (skip, guarded) };
        function.blocks[point.block.index()].term = Term::If { cond, then, otherwise };
        true
    }
}

/// A block that another one leads to, over so many edges at most.
fn choose_behind(function: &Function, from: BlockId, most: u32, rng: &mut Rng) -> Option<BlockId> {
    let mut at = from;
    for _ in 0..=choose_below(most as usize, rng) {
        let mut next = Vec::new();
        function.block(at).term.for_each_target(|target| next.push(target));
        let Some(target) = choose_from(&next, rng) else { break };
        at = target;
    }
    // A function of one block has nothing behind it.
    (at != from || function.blocks.len() > 1).then_some(at).filter(|at| *at != BlockId::FIRST)
}
