//! Blocks cut in two.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;

use crate::sites::{blocks, choose_from, split};
use crate::subject::Subject;

/// Cuts a block in two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split;

impl Transform for Split {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "split"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, _: &Subject, rng: &mut Rng) -> bool {
        let Some((id, block)) = choose_from(&blocks(&draft.program), rng) else { return false };
        let n_stmts = draft.program.function(id).block(block).stmts.len();
        split(draft.function(id), block, choose_below(n_stmts + 1, rng));
        true
    }
}
