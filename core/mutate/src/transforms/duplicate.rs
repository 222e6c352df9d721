//! Copies of regions: peeled iterations, duplicated tails, rotated loops.

use pathsmith_edit::{Claim, Draft, Reach, Transform};
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{Expr, Function, Program, Term};
use pathsmith_symlang::{BlockId, ExprId, FuncId, Rng};

use crate::config::Sizes;
use crate::sites::{add_block, blocks, choose_from};
use crate::subject::Subject;

/// Leads an edge to a copy of what it led to. Edges inside of the copy lead to copies or to originals,
/// by chance: with the back edge of a loop to the original, an iteration is peeled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Duplicate;

/// An edge of a graph; if several cases of a `switch` share a target, they are one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) function: FuncId,
    pub(super) from: BlockId,
    pub(super) to: BlockId,
}

impl Transform for Duplicate {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "duplicate"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        let Some(edge) = choose_from(&edges(&draft.program), rng) else { return false };
        let before = Reach::blocks_of(draft.program.function(edge.function));
        let function = draft.function(edge.function);
        let copy = copy_region(function, edge.to, &subject.sizes, rng);
        redirect(function, &edge, copy);
        // What nothing leads to any more was moved, not copied.
        let now = Reach::blocks_of(function);
        std::iter::zip(before, now).all(|(before, now)| now || !before)
    }
}

/// All edges to blocks that can be copied: a function has one exit.
pub(super) fn edges(program: &Program) -> Vec<Edge> {
    let mut all = Vec::new();
    for (function, from) in blocks(program) {
        let copied = program.function(function);
        copied.block(from).term.for_each_target(|to| {
            if can_copy(&copied.block(to).term) {
                all.push(Edge { function, from, to });
            }
        });
    }
    all
}

pub(super) fn redirect(function: &mut Function, edge: &Edge, to: BlockId) {
    let term = &mut function.blocks[edge.from.index()].term;
    term.map_targets(|target| if target == edge.to { to } else { target });
}

/// Copies `first`, which can be copied, and some of the blocks that it leads to. Returns the copy of
/// `first`.
pub(super) fn copy_region(
    function: &mut Function,
    first: BlockId,
    sizes: &Sizes,
    rng: &mut Rng,
) -> BlockId {
    let mut region = vec![first];
    let n_wanted = 1 + choose_below(sizes.region as usize, rng);
    let mut at = 0;
    while let Some(block) = region.get(at).copied() {
        at += 1;
        let mut next = Vec::new();
        function.block(block).term.for_each_target(|target| next.push(target));
        for target in next {
            let is_new = !region.contains(&target) && can_copy(&function.block(target).term);
            if is_new && region.len() < n_wanted {
                region.push(target);
            }
        }
    }
    let mut copies = Vec::with_capacity(region.len());
    for block in &region {
        let (mut stmts, mut term) = {
            let block = function.block(*block);
            (block.stmts.clone(), block.term.clone())
        };
        stmts
            .iter_mut()
            .for_each(|stmt| stmt.for_each_root_mut(|root| *root = copy_expr(function, *root)));
        match &mut term {
            Term::If { cond: root, .. } | Term::Switch { on: root, .. } => {
                *root = copy_expr(function, *root);
            }
            Term::Goto(_) | Term::Return(_) => {}
        }
        copies.push(add_block(function, stmts, term));
    }
    for copy in &copies {
        let stays: Vec<bool> = region.iter().map(|_| choose_bool(0.5, rng)).collect();
        function.blocks[copy.index()].term.map_targets(|target| {
            match region.iter().position(|block| *block == target) {
                Some(at) if stays[at] => copies[at],
                Some(_) | None => target,
            }
        });
    }
    copies[0]
}

/// A copy of an expression, with all of its operands.
pub(super) fn copy_expr(function: &mut Function, root: ExprId) -> ExprId {
    let mut expr: Expr = function.expr(root).clone();
    expr.for_each_operand_mut(|operand| *operand = copy_expr(function, *operand));
    function.add_expr(expr)
}

fn can_copy(term: &Term) -> bool {
    match term {
        Term::Goto(_) | Term::If { .. } | Term::Switch { .. } => true,
        Term::Return(_) => false,
    }
}
