//! Live code that changes variables and restores them.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{ScalarTy, Stmt, Term, VarRef};
use rand::RngExt;

use crate::edits::{add_block, add_local, add_read, assign, assignable, choose_dead_blocks, split};
use crate::sites::{choose_from, choose_site};
use crate::subject::Subject;
use crate::synth::{Synth, Valued};

/// Backs up variables, gives them values that are defined in every state that was seen, uses these,
/// and restores them. All of that stands behind a condition that always holds.
///
/// The changed values matter in two ways that a compiler cannot rule out: a condition on them decides
/// whether code runs that changes the other variables, and what they have in common in all states is
/// added to a variable that is not restored. Both come to nothing in all states that were seen.
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
        let sizes = &subject.sizes;
        let Some(point) = choose_site(&subject.sites.live, rng, |_| true) else { return false };
        let Some(synth) = Synth::new(&draft.program, &subject.profile, point) else {
            return false;
        };
        let mut scalars = assignable(draft.program.function(point.function), &synth);
        if scalars.is_empty() {
            return false;
        }
        let Some(always) = synth.choose_predicate(true, sizes.predicate_depth, rng) else {
            return false;
        };
        let mut states: Vec<Vec<i64>> = synth.states().map(<[i64]>::to_vec).collect();
        let mut changed: Vec<(VarRef, ScalarTy, Valued)> = Vec::new();
        // One variable at least stays as it is, to use the others in.
        let most = (sizes.live_vars as usize).min(scalars.len().max(2) - 1);
        for _ in 0..=choose_below(most, rng) {
            let at = choose_below(scalars.len(), rng);
            let (var, ty) = scalars.swap_remove(at);
            let inner = synth.in_states(&states);
            let value = inner.choose_live(ty.widened(), sizes.expr_depth, rng);
            states = inner.with_assigned(var, ty, &value);
            changed.push((var, ty, value));
            if scalars.is_empty() {
                break;
            }
        }
        let inner = synth.in_states(&states);
        let (holds, depth) = (choose_bool(0.5, rng), sizes.predicate_depth);
        let Some(decision) = inner.choose_predicate_of(changed[0].0, holds, depth, rng) else {
            return false;
        };
        let user = choose_from(&scalars, rng).map(|(var, ty)| {
            (var, inner.unchanged(var, changed[changed.len() - 1].0, ty.widened(), rng))
        });

        let backups: Vec<VarRef> = changed
            .iter()
            .map(|(_, ty, _)| add_local(draft, point.function, *ty, rng.random()))
            .collect();
        let function = draft.function(point.function);
        let rest = split(function, point.block, point.at);
        let mut saved = Vec::new();
        for ((var, _, value), backup) in std::iter::zip(&changed, &backups) {
            let old = add_read(function, *var);
            saved.push(assign(*backup, old));
            saved.push(assign(*var, value.install(function)));
        }
        let live = add_block(function, saved, Term::Goto(rest));
        let mut restored: Vec<Stmt> = Vec::new();
        for ((var, _, _), backup) in std::iter::zip(&changed, &backups).rev() {
            let old = add_read(function, *backup);
            restored.push(assign(*var, old));
        }
        let mut used = Vec::new();
        if let Some((var, value)) = user {
            used.push(assign(var, value.install(function)));
        }
        used.extend(restored);
        let restore = add_block(function, used, Term::Goto(rest));
        let wrong = choose_dead_blocks(function, restore, &inner, sizes, rng);
        let cond = decision.install(function);
        let (then, otherwise) = if holds { (restore, wrong) } else { (wrong, restore) };
        function.blocks[live.index()].term = Term::If { cond, then, otherwise };
        let cond = always.install(function);
        function.blocks[point.block.index()].term = Term::If { cond, then: live, otherwise: rest };
        true
    }
}
