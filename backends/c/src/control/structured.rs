//! Structured statements: the dominator tree becomes the nesting of statements.
//!
//! A block with one predecessor stands in the arm that leads to it; a merge block stands behind the
//! block that dominates it; what leaves a loop stands behind the loop. So most edges fall through,
//! or are a `break` or `continue`. The rest, and every edge into an irreducible region, stay gotos.
//! Each block is emitted once, and each edge names its target, so the graph stays the same however
//! deep the nesting is.

use pathsmith_backend::Nesting;
use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::Cfg;
use pathsmith_symlang::lang::{Function, Scalar, Term};

use super::gotos::label_value;
use super::{Condition, LoopKind, Statement};

/// How deep braces may nest before the next block is emitted elsewhere. A guess that is safely below
/// 256, where clang stops.
const MAX_BRACES: usize = 40;
/// How deep a chain of blocks may nest without braces, so that recursion stays bounded. A guess.
const MAX_DEPTH: usize = 400;

pub(super) fn body(function: &Function) -> Vec<Statement> {
    // A valid function has a graph.
    let Ok(cfg) = function.cfg() else { return super::gotos::body(function) };
    let mut writer = Writer {
        function,
        tree: Tree::new(&cfg),
        enclosing: Vec::new(),
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

/// Where each block is emitted.
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

/// A statement that `break` or `continue` refers to.
#[derive(Clone, Copy)]
enum Enclosing {
    Loop { header: BlockId, next: Option<BlockId> },
    Switch,
}

struct Writer<'a> {
    function: &'a Function,
    tree: Tree,
    enclosing: Vec<Enclosing>,
    /// Blocks that gotos lead to because they would nest too deep.
    deferred: Vec<BlockId>,
    n_braces: usize,
    depth: usize,
}

impl Writer<'_> {
    /// Emits a block and all that it dominates. Control that reaches the end continues at `next`.
    fn sequence(&mut self, out: &mut Vec<Statement>, block: BlockId, next: Option<BlockId>) {
        self.depth += 1;
        out.push(Statement::Label(block));
        let followers = std::mem::take(&mut self.tree.behind_loop[block.index()]);
        if self.tree.nesting.is_header(block) {
            let next = followers.first().copied().or(next);
            let mut body = Vec::new();
            self.enclosing.push(Enclosing::Loop { header: block, next });
            self.n_braces += 1;
            self.subtree(&mut body, block, Some(block));
            self.n_braces -= 1;
            self.enclosing.pop();
            let is_plain = self.function.block(block).stmts.is_empty();
            out.push(loop_statement(block, body, is_plain));
        } else {
            self.subtree(out, block, followers.first().copied().or(next));
        }
        self.all(out, &followers, next);
        self.depth -= 1;
    }

    /// Emits one block after the other.
    fn all(&mut self, out: &mut Vec<Statement>, blocks: &[BlockId], next: Option<BlockId>) {
        for (i, block) in blocks.iter().enumerate() {
            self.sequence(out, *block, blocks.get(i + 1).copied().or(next));
        }
    }

    /// Emits a block and what it dominates within its loop.
    fn subtree(&mut self, out: &mut Vec<Statement>, block: BlockId, next: Option<BlockId>) {
        let merges = std::mem::take(&mut self.tree.behind[block.index()]);
        out.push(Statement::Block(block));
        self.terminator(out, block, merges.first().copied().or(next));
        self.all(out, &merges, next);
    }

    fn terminator(&mut self, out: &mut Vec<Statement>, block: BlockId, next: Option<BlockId>) {
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
                out.push(Statement::If(Condition { expr: *cond, negated: false }, first, second));
            }
            Term::Switch { on, cases, default } => {
                // Cases that lead to one block share an arm, so that it is emitted once.
                let mut arms: Vec<(Vec<Option<Scalar>>, BlockId)> = Vec::new();
                let cases = cases.iter().map(|(label, target)| (label_value(*label), *target));
                for (label, target) in cases.chain([(None, *default)]) {
                    match arms.iter_mut().find(|(_, known)| *known == target) {
                        Some((labels, _)) => labels.push(label),
                        None => arms.push((vec![label], target)),
                    }
                }
                self.enclosing.push(Enclosing::Switch);
                self.n_braces += 2;
                let arms = arms.into_iter().map(|(labels, target)| {
                    let mut arm = Vec::new();
                    self.arm(&mut arm, block, target, next);
                    let falls_through = !matches!(
                        arm.last(),
                        Some(
                            Statement::Goto(_)
                                | Statement::Break
                                | Statement::Continue
                                | Statement::Return(_)
                        )
                    );
                    if falls_through {
                        arm.push(Statement::Break);
                    }
                    (labels, arm)
                });
                let arms = arms.collect();
                self.n_braces -= 2;
                self.enclosing.pop();
                out.push(Statement::Switch(*on, arms));
            }
            Term::Return(_) => out.push(Statement::Return(block)),
        }
    }

    /// What the terminator of `from` does for one of its targets.
    fn arm(
        &mut self,
        out: &mut Vec<Statement>,
        from: BlockId,
        target: BlockId,
        next: Option<BlockId>,
    ) {
        let is_here = self.tree.is_inline[target.index()]
            && self.tree.nesting.dominators().immediate(target) == Some(from);
        if !is_here {
            self.jump(out, target, next);
        } else if self.n_braces > MAX_BRACES || self.depth > MAX_DEPTH {
            self.deferred.push(target);
            out.push(Statement::Goto(target));
        } else {
            self.sequence(out, target, next);
        }
    }

    fn jump(&self, out: &mut Vec<Statement>, target: BlockId, next: Option<BlockId>) {
        let is_loop = |enclosing: &&Enclosing| matches!(enclosing, Enclosing::Loop { .. });
        let innermost = self.enclosing.iter().rev().find(is_loop);
        out.push(match (self.enclosing.last(), innermost) {
            _ if Some(target) == next => return,
            (Some(Enclosing::Loop { next, .. }), _) if *next == Some(target) => Statement::Break,
            (_, Some(Enclosing::Loop { header, .. })) if *header == target => Statement::Continue,
            _ => Statement::Goto(target),
        });
    }

    /// A block that nothing leads to, but which may lead anywhere.
    fn unreachable(&mut self, out: &mut Vec<Statement>, block: BlockId) {
        out.push(Statement::Label(block));
        out.push(Statement::Block(block));
        self.terminator(out, block, None);
    }
}

/// The loop with this body, as `while` or `do` if it has the form of one.
fn loop_statement(header: BlockId, mut body: Vec<Statement>, is_plain: bool) -> Statement {
    // The header's own statements come first in the body.
    let block = body.remove(0);
    debug_assert_eq!(block, Statement::Block(header));
    if is_plain && let Some(Statement::If(condition, then, otherwise)) = body.first_mut() {
        let is_break = |arm: &Vec<Statement>| arm[..] == [Statement::Break];
        let while_ = match (is_break(then), is_break(otherwise)) {
            (false, true) => Some((*condition, std::mem::take(then))),
            (true, false) => Some((negated(*condition), std::mem::take(otherwise))),
            _ => None,
        };
        if let Some((condition, mut inside)) = while_ {
            inside.extend(body.drain(1..));
            return Statement::Loop(LoopKind::While(condition), inside);
        }
    }
    body.insert(0, block);
    // In a `do` loop, `continue` jumps to the condition, but has to jump to the header.
    if let Some(Statement::If(condition, then, otherwise)) = body.last()
        && !has_continue(&body)
    {
        let condition = match (&then[..], &otherwise[..]) {
            ([], [Statement::Break]) => Some(*condition),
            ([Statement::Break], []) => Some(negated(*condition)),
            _ => None,
        };
        if let Some(condition) = condition {
            body.pop();
            return Statement::Loop(LoopKind::DoWhile(condition), body);
        }
    }
    Statement::Loop(LoopKind::Forever, body)
}

fn negated(condition: Condition) -> Condition {
    Condition { negated: !condition.negated, ..condition }
}

/// Whether a loop with this body is continued from within it.
fn has_continue(body: &[Statement]) -> bool {
    body.iter().any(|stm| match stm {
        Statement::Continue => true,
        Statement::If(_, then, otherwise) => has_continue(then) || has_continue(otherwise),
        Statement::Switch(_, arms) => arms.iter().any(|(_, arm)| has_continue(arm)),
        _ => false,
    })
}
