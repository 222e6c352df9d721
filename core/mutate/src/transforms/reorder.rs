//! Blocks in another order.

use pathsmith_edit::{Claim, Draft, Reach, Transform};
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::{BlockId, FuncId, Rng};

use crate::sites::choose_from;
use crate::subject::Subject;

/// Puts the blocks of a function into another order. The entry stays the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reorder;

impl Transform for Reorder {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "reorder"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        let program = &draft.program;
        let fits = |id: &FuncId| program.function(*id).blocks.len() > 2;
        let all: Vec<FuncId> = subject.sites.functions.iter().copied().filter(fits).collect();
        let Some(id) = choose_from(&all, rng) else { return false };
        // Blocks that nothing leads to keep their places, by which they are known.
        let reached = Reach::blocks_of(draft.program.function(id));
        let movable: Vec<usize> = (1..reached.len()).filter(|at| reached[*at]).collect();
        let mut order = movable.clone();
        for at in (1..order.len()).rev() {
            order.swap(at, choose_below(at + 1, rng));
        }
        if order == movable {
            order.rotate_left(1);
        }
        if order == movable {
            return false;
        }
        let mut new_ids: Vec<BlockId> = (0..reached.len()).map(BlockId::new).collect();
        for (new, old) in std::iter::zip(&movable, &order) {
            new_ids[*old] = BlockId::new(*new);
        }
        let function = draft.function(id);
        let old = function.blocks.clone();
        for (at, mut block) in old.into_iter().enumerate() {
            block.term.map_targets(|target| new_ids[target.index()]);
            function.blocks[new_ids[at].index()] = block;
        }
        true
    }
}
