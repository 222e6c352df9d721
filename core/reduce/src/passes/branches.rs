//! Fewer branches, and shorter ways.

use super::Edit;
use pathsmith_edit::Facts;
use pathsmith_symlang::lang::{BinOp, Const, ConstOrHole, Expr, Function, Program, Term};
use pathsmith_symlang::{BlockId, FuncId};

/// All blocks of functions that may be edited.
pub(super) fn blocks<'a>(
    program: &'a Program,
    facts: &'a Facts,
) -> impl Iterator<Item = (FuncId, &'a Function, BlockId)> {
    program.functions_with_ids().filter(|(id, _)| !facts.is_guard(*id)).flat_map(
        |(id, function)| function.blocks_with_ids().map(move |(block, _)| (id, function, block)),
    )
}

/// The block that returns.
pub(super) fn exit_of(function: &Function) -> BlockId {
    let exit = function.blocks.iter().position(|block| matches!(block.term, Term::Return(_)));
    BlockId::new(exit.unwrap_or(0))
}

/// The blocks that a block leads to, each only once.
pub(super) fn targets(function: &Function, block: BlockId) -> Vec<BlockId> {
    let mut targets = Vec::new();
    function.block(block).term.for_each_target(|target| {
        if !targets.contains(&target) {
            targets.push(target);
        }
    });
    targets
}

fn is_branch(function: &Function, block: BlockId) -> bool {
    matches!(function.block(block).term, Term::If { .. } | Term::Switch { .. })
}

fn goto(id: FuncId, block: BlockId, target: BlockId) -> Edit {
    Edit::new(move |draft| {
        draft.function(id).blocks[block.index()].term = Term::Goto(target);
    })
}

/// Goes straight to where a branch always went, or can only go.
pub(super) fn straightened(program: &Program, facts: &Facts) -> Vec<Edit> {
    blocks(program, facts)
        .filter(|(_, function, block)| is_branch(function, *block))
        .filter_map(|(id, function, block)| match facts.function(id).taken[block.index()][..] {
            [target] => Some(goto(id, block, target)),
            _ => decided(function, block).map(|target| goto(id, block, target)),
        })
        .collect()
}

/// Where a branch leads whose condition is a constant, or whose targets are one.
fn decided(function: &Function, block: BlockId) -> Option<BlockId> {
    let Term::If { cond, then, otherwise } = function.block(block).term else { return None };
    match function.expr(cond) {
        _ if then == otherwise => Some(then),
        Expr::Const(cond) if cond.word() == 0 => Some(otherwise),
        Expr::Const(_) => Some(then),
        _ => None,
    }
}

/// Leads an edge that no run took to the exit, past the blocks that are only there for it; empties
/// blocks that no run came to.
pub(super) fn off_path(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function, block) in blocks(program, facts) {
        let exit = exit_of(function);
        if block == exit {
            continue;
        }
        let facts = facts.function(id);
        if !facts.visited(block) {
            edits.push(Edit::new(move |draft| {
                let block = &mut draft.function(id).blocks[block.index()];
                block.stmts.clear();
                block.term = Term::Goto(exit);
            }));
            continue;
        }
        for target in targets(function, block) {
            let taken = facts.taken[block.index()].contains(&target);
            if !taken && target != exit {
                edits.push(redirect(id, block, target, exit));
            }
        }
    }
    edits
}

fn redirect(id: FuncId, block: BlockId, from: BlockId, to: BlockId) -> Edit {
    Edit::new(move |draft| {
        let term = &mut draft.function(id).blocks[block.index()].term;
        term.map_targets(|target| if target == from { to } else { target });
    })
}

/// Drops a case; its values go where all others go.
pub(super) fn without_cases(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function, block) in blocks(program, facts) {
        let Term::Switch { cases, .. } = &function.block(block).term else { continue };
        for (label, _) in cases {
            let label = *label;
            edits.push(Edit::new(move |draft| {
                let term = &mut draft.function(id).blocks[block.index()].term;
                if let Term::Switch { cases, default, .. } = term {
                    cases.retain(|(other, _)| *other != label);
                    if cases.is_empty() {
                        *term = Term::Goto(*default);
                    }
                }
            }));
        }
    }
    edits
}

/// Always goes one way of several, or leaves out what comes next.
pub(super) fn short_cuts(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function, block) in blocks(program, facts) {
        if !facts.function(id).visited(block) || !is_branch(function, block) {
            continue;
        }
        // The way that was found last is the one that leads out.
        let targets = targets(function, block);
        edits.extend(targets.iter().rev().map(|target| goto(id, block, *target)));
    }
    for (id, function, block) in blocks(program, facts) {
        if !facts.function(id).visited(block) {
            continue;
        }
        let exit = exit_of(function);
        for target in targets(function, block) {
            let mut beyond = targets(function, target);
            beyond.push(exit);
            beyond.retain(|to| *to != target);
            beyond.dedup();
            edits.extend(beyond.into_iter().map(|to| redirect(id, block, target, to)));
        }
    }
    edits
}

/// Writes a `switch` with one case as an `if`.
pub(super) fn switches_to_ifs(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function, block) in blocks(program, facts) {
        let Term::Switch { on, cases, default } = &function.block(block).term else { continue };
        let [(ConstOrHole::Const(label), target)] = cases[..] else { continue };
        let (on, default) = (*on, *default);
        let label = Const::new(program.expr_ty(function, on), label.word());
        edits.push(Edit::new(move |draft| {
            let function = draft.function(id);
            let label = function.add_expr(Expr::Const(label));
            let cond = function.add_expr(Expr::Binary(BinOp::Eq, on, label));
            let term = Term::If { cond, then: target, otherwise: default };
            function.blocks[block.index()].term = term;
        }));
    }
    edits
}
