//! Live code that changes variables and restores them.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::lang::{Expr, Place, Term, ValueTy};

use crate::sites::{
    add_block, add_local, assign, assignable, choose_dead_stmts, choose_from, points, split,
};
use crate::subject::Subject;
use crate::synth::{Runs, Synth};

/// Backs up a variable, gives it a value that is defined in every state that was seen, decides by it,
/// and restores it. All of that stands behind a condition that always holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct LiveBlock;

impl Transform for LiveBlock {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "live-block"
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
        let scalars = assignable(draft.program.function(point.function), &synth);
        let Some((var, ty)) = choose_from(&scalars, rng) else { return false };
        let ValueTy::Int(word) = ty.widened();
        let Some(always) = synth.choose_predicate(true, 1, rng) else { return false };
        let changed = synth.choose(word, subject.sizes.expr_depth, Runs::Live, rng);
        let states = synth.with_assigned(var, ty, &changed);
        let inner = synth.in_states(&states);
        let (holds, depth) = (choose_below(2, rng) == 0, 1 + choose_below(2, rng) as u32);
        let Some(decision) = inner.choose_predicate(holds, depth, rng) else { return false };

        let backup = add_local(draft, point.function, ty, 0);
        let function = draft.function(point.function);
        let rest = split(function, point.block, point.at);
        let read = |from| Expr::Read(Place::scalar(from));
        let (old, value) = (function.add_expr(read(var)), changed.install(function));
        let saved = vec![assign(backup, old), assign(var, value)];
        let live = add_block(function, saved, Term::Goto(rest));
        let old = function.add_expr(read(backup));
        let restore = add_block(function, vec![assign(var, old)], Term::Goto(rest));
        let wrong = choose_dead_stmts(function, &inner, &subject.sizes, rng);
        let wrong = add_block(function, wrong, Term::Goto(restore));
        let cond = decision.install(function);
        let (then, otherwise) = if holds { (restore, wrong) } else { (wrong, restore) };
        function.blocks[live.index()].term = Term::If { cond, then, otherwise };
        let cond = always.install(function);
        function.blocks[point.block.index()].term = Term::If { cond, then: live, otherwise: rest };
        true
    }
}
