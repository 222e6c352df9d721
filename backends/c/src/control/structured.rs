//! Structured statements: the dominator tree becomes the nesting of statements.
//!
//! A block that one block leads to stands in the arm that leads there; one that several lead to
//! stands behind the block that dominates it; what leaves a loop stands behind the loop. So most
//! edges are where control goes anyway, or a `break` or `continue`. The rest, and whatever enters
//! an irreducible region, stay gotos. Each block is written once, and each edge says where it
//! leads, so the graph is the same whatever the nesting.

use pathsmith_backend::Nesting;
use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::Cfg;
use pathsmith_symlang::lang::{Function, Scalar, Term};

use super::gotos::label_value;
use super::{Condition, LoopKind, Stm};

/// How deep braces may nest before what comes next is written elsewhere; clang stops at 256.
const MAX_BRACES: usize = 40;
/// How deep a chain of blocks may nest without braces.
const MAX_DEPTH: usize = 400;

pub(super) fn body(function: &Function) -> Vec<Stm> {
    // A valid function has a graph.
    let Ok(cfg) = function.cfg() else { return super::gotos::body(function) };
    let mut writer = Writer {
        function,
        tree: Tree::new(&cfg),
        around: Vec::new(),
        deferred: Vec::new(),
        n_braces: 0,
        depth: 0,
    };
    let mut out = Vec::new();
    writer.sequence(&mut out, cfg.entry(), None);
    while let Some(block) = writer.deferred.pop() {
        writer.sequence(&mut out, block, None);
    }
    for block in cfg.blocks() {
        if writer.tree.nesting.dominators().position(block).is_none() {
            writer.unreachable(&mut out, block);
        }
    }
    out
}

/// Where each block is written.
struct Tree {
    nesting: Nesting,
    /// For each block: the blocks behind it, in order.
    behind: Vec<Vec<BlockId>>,
    /// For each block that heads a loop: the blocks behind the loop, in order.
    behind_loop: Vec<Vec<BlockId>>,
    /// Whether the block stands in the one arm that leads to it.
    is_inline: Vec<bool>,
}

impl Tree {
    fn new(cfg: &Cfg) -> Self {
        let nesting = Nesting::new(cfg);
        let n_blocks = cfg.n_blocks();
        let members = nesting.loops(cfg);
        let mut behind = vec![Vec::new(); n_blocks];
        let mut behind_loop = vec![Vec::new(); n_blocks];
        let mut is_inline = vec![false; n_blocks];
        let order = nesting.dominators().order();
        let headers: Vec<BlockId> =
            order.iter().copied().filter(|block| nesting.is_header(*block)).collect();
        for &block in &order[1..] {
            let Some(above) = nesting.dominators().immediate(block) else { continue };
            let is_in = |header: &BlockId, block: BlockId| {
                members[header.index()].as_ref().is_some_and(|members| members[block.index()])
            };
            // The outermost loop that ends between the two.
            let left = headers.iter().find(|header| is_in(header, above) && !is_in(header, block));
            match left {
                Some(header) => behind_loop[header.index()].push(block),
                None if nesting.is_merge(block) => behind[above.index()].push(block),
                None => is_inline[block.index()] = true,
            }
        }
        Self { nesting, behind, behind_loop, is_inline }
    }
}

/// A statement that `break` or `continue` is about.
#[derive(Clone, Copy)]
enum Around {
    Loop { header: BlockId, next: Option<BlockId> },
    Switch,
}

struct Writer<'a> {
    function: &'a Function,
    tree: Tree,
    around: Vec<Around>,
    /// Blocks that gotos lead to because they would nest too deep.
    deferred: Vec<BlockId>,
    n_braces: usize,
    depth: usize,
}

impl Writer<'_> {
    /// Writes a block and all that it dominates. What comes to the end of it goes on at `next`.
    fn sequence(&mut self, out: &mut Vec<Stm>, block: BlockId, next: Option<BlockId>) {
        self.depth += 1;
        out.push(Stm::Label(block));
        let followers = std::mem::take(&mut self.tree.behind_loop[block.index()]);
        if self.tree.nesting.is_header(block) {
            let next = followers.first().copied().or(next);
            let mut body = Vec::new();
            self.around.push(Around::Loop { header: block, next });
            self.n_braces += 1;
            self.subtree(&mut body, block, Some(block));
            self.n_braces -= 1;
            self.around.pop();
            let is_plain = self.function.block(block).stmts.is_empty();
            out.push(spelled_loop(block, body, is_plain));
        } else {
            self.subtree(out, block, followers.first().copied().or(next));
        }
        self.all(out, &followers, next);
        self.depth -= 1;
    }

    /// Writes one block after the other.
    fn all(&mut self, out: &mut Vec<Stm>, blocks: &[BlockId], next: Option<BlockId>) {
        for (i, block) in blocks.iter().enumerate() {
            self.sequence(out, *block, blocks.get(i + 1).copied().or(next));
        }
    }

    /// Writes a block and what it dominates within its loop.
    fn subtree(&mut self, out: &mut Vec<Stm>, block: BlockId, next: Option<BlockId>) {
        let merges = std::mem::take(&mut self.tree.behind[block.index()]);
        out.push(Stm::Block(block));
        self.terminator(out, block, merges.first().copied().or(next));
        self.all(out, &merges, next);
    }

    fn terminator(&mut self, out: &mut Vec<Stm>, block: BlockId, next: Option<BlockId>) {
        let function = self.function;
        match &function.block(block).term {
            Term::Goto(target) => self.arm(out, block, *target, next),
            Term::If { then, otherwise, .. } if then == otherwise => {
                self.arm(out, block, *then, next)
            }
            Term::If { cond, then, otherwise } => {
                let (mut first, mut second) = (Vec::new(), Vec::new());
                self.n_braces += 1;
                self.arm(&mut first, block, *then, next);
                self.arm(&mut second, block, *otherwise, next);
                self.n_braces -= 1;
                out.push(Stm::If(Condition { expr: *cond, negated: false }, first, second));
            }
            Term::Switch { on, cases, default } => {
                // Cases that lead to one block share an arm, so that it is written once.
                let mut arms: Vec<(Vec<Option<Scalar>>, BlockId)> = Vec::new();
                let cases = cases.iter().map(|(label, target)| (label_value(*label), *target));
                for (label, target) in cases.chain([(None, *default)]) {
                    match arms.iter_mut().find(|(_, known)| *known == target) {
                        Some((labels, _)) => labels.push(label),
                        None => arms.push((vec![label], target)),
                    }
                }
                self.around.push(Around::Switch);
                self.n_braces += 2;
                let arms = arms.into_iter().map(|(labels, target)| {
                    let mut arm = Vec::new();
                    self.arm(&mut arm, block, target, next);
                    let goes_on = !matches!(
                        arm.last(),
                        Some(Stm::Goto(_) | Stm::Break | Stm::Continue | Stm::Return(_))
                    );
                    if goes_on {
                        arm.push(Stm::Break);
                    }
                    (labels, arm)
                });
                let arms = arms.collect();
                self.n_braces -= 2;
                self.around.pop();
                out.push(Stm::Switch(*on, arms));
            }
            Term::Return(_) => out.push(Stm::Return(block)),
        }
    }

    /// What the terminator of `from` does for one of its targets.
    fn arm(&mut self, out: &mut Vec<Stm>, from: BlockId, target: BlockId, next: Option<BlockId>) {
        let is_here = self.tree.is_inline[target.index()]
            && self.tree.nesting.dominators().immediate(target) == Some(from);
        if !is_here {
            self.jump(out, target, next);
        } else if self.n_braces > MAX_BRACES || self.depth > MAX_DEPTH {
            self.deferred.push(target);
            out.push(Stm::Goto(target));
        } else {
            self.sequence(out, target, next);
        }
    }

    fn jump(&self, out: &mut Vec<Stm>, target: BlockId, next: Option<BlockId>) {
        let is_loop = |around: &&Around| matches!(around, Around::Loop { .. });
        let innermost = self.around.iter().rev().find(is_loop);
        out.push(match (self.around.last(), innermost) {
            _ if Some(target) == next => return,
            (Some(Around::Loop { next, .. }), _) if *next == Some(target) => Stm::Break,
            (_, Some(Around::Loop { header, .. })) if *header == target => Stm::Continue,
            _ => Stm::Goto(target),
        });
    }

    /// A block that nothing leads to, but which may lead anywhere.
    fn unreachable(&mut self, out: &mut Vec<Stm>, block: BlockId) {
        out.push(Stm::Label(block));
        out.push(Stm::Block(block));
        self.terminator(out, block, None);
    }
}

/// The loop with this body, as `while` or `do` if it has the form of one.
fn spelled_loop(header: BlockId, mut body: Vec<Stm>, is_plain: bool) -> Stm {
    // The header's own statements come first in the body.
    let block = body.remove(0);
    debug_assert_eq!(block, Stm::Block(header));
    if is_plain && let Some(Stm::If(condition, then, otherwise)) = body.first_mut() {
        let is_break = |arm: &Vec<Stm>| arm[..] == [Stm::Break];
        let while_ = match (is_break(then), is_break(otherwise)) {
            (false, true) => Some((*condition, std::mem::take(then))),
            (true, false) => Some((negated(*condition), std::mem::take(otherwise))),
            _ => None,
        };
        if let Some((condition, mut inside)) = while_ {
            inside.extend(body.drain(1..));
            return Stm::Loop(LoopKind::While(condition), inside);
        }
    }
    body.insert(0, block);
    // In a `do` loop, `continue` goes to the condition, which is not where it should go.
    if let Some(Stm::If(condition, then, otherwise)) = body.last()
        && !has_continue(&body)
    {
        let condition = match (&then[..], &otherwise[..]) {
            ([], [Stm::Break]) => Some(*condition),
            ([Stm::Break], []) => Some(negated(*condition)),
            _ => None,
        };
        if let Some(condition) = condition {
            body.pop();
            return Stm::Loop(LoopKind::DoWhile(condition), body);
        }
    }
    Stm::Loop(LoopKind::Forever, body)
}

fn negated(condition: Condition) -> Condition {
    Condition { negated: !condition.negated, ..condition }
}

/// Whether a loop with this body is continued from within it.
fn has_continue(body: &[Stm]) -> bool {
    body.iter().any(|stm| match stm {
        Stm::Continue => true,
        Stm::If(_, then, otherwise) => has_continue(then) || has_continue(otherwise),
        Stm::Switch(_, arms) => arms.iter().any(|(_, arm)| has_continue(arm)),
        _ => false,
    })
}
