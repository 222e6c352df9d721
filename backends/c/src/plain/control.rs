//! Statements of plain C: those of [`crate::control`], with what a person would leave out left out.

use pathsmith_symlang::lang::effects::may_read;
use pathsmith_symlang::lang::{
    BinOp, Block, Expr, ExprTypes, Function, Place, Program, Return, Scalar, Stmt, Term, VarRef,
};
use pathsmith_symlang::semantics::eval::{Env, evaluate};
use pathsmith_symlang::{BlockId, ExprId, FuncId, HoleId};

use super::Arrangement;
use super::words::initial_values;
use crate::control::{Condition, LoopKind, Statement, body};
use crate::options::Control;

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Label(BlockId),
    /// An assignment, by its place in its block.
    Assign(BlockId, usize),
    If(Condition, Vec<Node>, Vec<Node>),
    Loop(Loop, Vec<Node>),
    Switch(ExprId, Vec<Arm>),
    Goto(BlockId),
    Break,
    Continue,
    Return(BlockId),
}

/// The labels of an arm of a `switch`, with nothing for `default`, and what it does.
pub(super) type Arm = (Vec<Option<Scalar>>, Vec<Node>);

/// What a loop looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loop {
    Forever,
    While(Condition),
    DoWhile(Condition),
    For(Init, Condition, (BlockId, usize)),
}

/// What a `for` loop begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Init {
    /// Nothing.
    None,
    /// An assignment.
    Assign(BlockId, usize),
    /// The declaration of a variable that exists in the loop only, with this assignment or, if there
    /// is none, its initial value.
    Declare(VarRef, Option<(BlockId, usize)>),
}

/// The body of a function.
pub(super) fn nodes(
    program: &Program,
    function: &Function,
    control: Control,
    arrangement: Arrangement,
) -> Vec<Node> {
    let (statements, _) = body(function, control);
    let nodes = match (control, arrangement) {
        (Control::Gotos, Arrangement::ForReaders | Arrangement::WithForLoops) => {
            let nodes = converted(function, &chained(function, statements));
            rebuilt(nodes, &|nodes| nodes.into_iter().map(|node| direct(function, node)).collect())
        }
        (Control::Gotos, Arrangement::AsTheGraph) | (Control::Structured, _) => {
            converted(function, &statements)
        }
    };
    let mut nodes = tidy(function, nodes);
    let mut is_target = vec![false; function.blocks.len()];
    mark_targets(&nodes, &mut is_target);
    nodes = drop_unreachable(drop_labels(nodes, &is_target));
    let whole = nodes.clone();
    let uses = Uses { program, function };
    ForLoops { uses, whole: &whole, arrangement }.made(nodes, true)
}

/// Blocks with gotos, each behind one that leads to it if that is possible.
fn chained(function: &Function, statements: Vec<Statement>) -> Vec<Statement> {
    let mut blocks: Vec<Vec<Statement>> = Vec::new();
    for statement in statements {
        match (&statement, blocks.last_mut()) {
            (Statement::Label(_), _) | (_, None) => blocks.push(vec![statement]),
            (_, Some(block)) => block.push(statement),
        }
    }
    let mut out = Vec::new();
    for first in 0..blocks.len() {
        let mut next = Some(BlockId::new(first));
        while let Some(block) = next.filter(|block| !blocks[block.index()].is_empty()) {
            out.append(&mut blocks[block.index()]);
            let is_left = |target: &BlockId| !blocks[target.index()].is_empty();
            next = match &function.block(block).term {
                Term::Goto(target) => Some(*target),
                Term::If { then, otherwise, .. } => [*otherwise, *then].into_iter().find(is_left),
                Term::Switch { .. } | Term::Return(_) => None,
            };
        }
    }
    out
}

/// A jump without the blocks that only lead on.
fn direct(function: &Function, node: Node) -> Node {
    let Node::Goto(mut target) = node else { return node };
    // Blocks may lead in a circle.
    for _ in &function.blocks {
        match &function.block(target) {
            Block { stmts, term: Term::Goto(next), .. } if stmts.is_empty() => target = *next,
            _ => break,
        }
    }
    if returns_at_once(function, target) { Node::Return(target) } else { Node::Goto(target) }
}

fn converted(function: &Function, statements: &[Statement]) -> Vec<Node> {
    let mut nodes = Vec::new();
    for statement in statements {
        match statement {
            Statement::Label(block) => nodes.push(Node::Label(*block)),
            Statement::Block(block) => {
                let n_stmts = function.block(*block).stmts.len();
                nodes.extend((0..n_stmts).map(|at| Node::Assign(*block, at)));
            }
            Statement::If(condition, then, otherwise) => nodes.push(Node::If(
                *condition,
                converted(function, then),
                converted(function, otherwise),
            )),
            Statement::Loop(kind, body) => {
                let body = converted(function, body);
                let kind = match kind {
                    LoopKind::Forever => Loop::Forever,
                    LoopKind::While(condition) => Loop::While(*condition),
                    LoopKind::DoWhile(condition) => Loop::DoWhile(*condition),
                };
                nodes.push(Node::Loop(kind, body));
            }
            Statement::Switch(on, arms) => {
                let arm = |(labels, arm): &(Vec<Option<Scalar>>, Vec<Statement>)| {
                    (labels.clone(), converted(function, arm))
                };
                nodes.push(Node::Switch(*on, arms.iter().map(arm).collect()));
            }
            Statement::Goto(block) => match returns_at_once(function, *block) {
                true => nodes.push(Node::Return(*block)),
                false => nodes.push(Node::Goto(*block)),
            },
            Statement::Break => nodes.push(Node::Break),
            Statement::Continue => nodes.push(Node::Continue),
            Statement::Return(block) => nodes.push(Node::Return(*block)),
        }
    }
    nodes
}

/// Whether a block only returns a variable or a constant, which can be said twice.
fn returns_at_once(function: &Function, block: BlockId) -> bool {
    let block = function.block(block);
    let Term::Return(Return::Value(value)) = block.term else { return false };
    let is_short = match function.expr(value) {
        Expr::Const(_) => true,
        Expr::Read(place) => place.as_scalar().is_some(),
        Expr::Hole(..) | Expr::Unary(..) | Expr::Binary(..) => false,
        Expr::Select(..) | Expr::Cast(..) | Expr::Call(..) => false,
    };
    block.stmts.is_empty() && is_short
}

/// Leaves out jumps to what comes next, and `else` after what does not come back.
fn tidy(function: &Function, nodes: Vec<Node>) -> Vec<Node> {
    let mut out: Vec<Node> = Vec::new();
    let mut nodes = nodes.into_iter().peekable();
    while let Some(node) = nodes.next() {
        let next = match nodes.peek() {
            Some(Node::Label(block)) => Some(*block),
            _ => None,
        };
        let leads_on = |arm: &[Node]| next.is_some_and(|next| arm == [Node::Goto(next)]);
        match node {
            Node::Goto(target) if Some(target) == next => {}
            Node::If(condition, then, otherwise)
                if let Some(is_true) = decided(function, condition) =>
            {
                let arm = if is_true { then } else { otherwise };
                if !leads_on(&arm) {
                    out.extend(tidy(function, arm));
                }
            }
            Node::If(condition, then, otherwise) => {
                let then = if leads_on(&then) { Vec::new() } else { tidy(function, then) };
                let otherwise =
                    if leads_on(&otherwise) { Vec::new() } else { tidy(function, otherwise) };
                let opposite = Condition { negated: !condition.negated, ..condition };
                match (completes(&then), completes(&otherwise)) {
                    _ if then.is_empty() && otherwise.is_empty() => {}
                    _ if then.is_empty() => out.push(Node::If(opposite, otherwise, then)),
                    _ if otherwise.is_empty() => out.push(Node::If(condition, then, otherwise)),
                    (false, _) => {
                        out.push(Node::If(condition, then, Vec::new()));
                        out.extend(otherwise);
                    }
                    (true, false) => {
                        out.push(Node::If(opposite, otherwise, Vec::new()));
                        out.extend(then);
                    }
                    (true, true) => out.push(Node::If(condition, then, otherwise)),
                }
            }
            Node::Loop(kind, body) => {
                let mut body = tidy(function, body);
                let kind = match kind {
                    Loop::While(condition) | Loop::DoWhile(condition)
                        if decided(function, condition) == Some(true) =>
                    {
                        Loop::Forever
                    }
                    // Without a body, the condition is all there is to a loop.
                    Loop::DoWhile(condition) if body.iter().all(is_label) => Loop::While(condition),
                    kind => kind,
                };
                // What ends with `break` is no loop, unless something else breaks or continues it.
                let is_once = body.last() == Some(&Node::Break)
                    && !has_break(&body[..body.len() - 1])
                    && !has_continue(&body);
                match kind {
                    Loop::Forever if is_once => {
                        body.pop();
                        out.extend(body);
                    }
                    Loop::While(condition) if is_once => {
                        body.pop();
                        out.push(Node::If(condition, body, Vec::new()));
                    }
                    kind => out.push(Node::Loop(kind, body)),
                }
            }
            Node::Switch(on, arms) => {
                let is_idle =
                    |(labels, arm): &Arm| labels.contains(&None) && arm[..] == [Node::Break];
                let arms = arms.into_iter().filter(|arm| !is_idle(arm));
                let arms = arms.map(|(labels, arm)| (labels, tidy(function, arm)));
                out.push(Node::Switch(on, arms.collect()));
            }
            node => out.push(node),
        }
    }
    out
}

/// Whether a constant condition holds.
fn decided(function: &Function, condition: Condition) -> Option<bool> {
    match function.expr(condition.expr) {
        Expr::Const(value) => Some((value.word() != 0) != condition.negated),
        _ => None,
    }
}

fn is_label(node: &Node) -> bool {
    matches!(node, Node::Label(_))
}

/// Whether control can reach the end of some statements. Labels are not looked for.
fn completes(nodes: &[Node]) -> bool {
    match nodes.last() {
        Some(Node::Goto(_) | Node::Break | Node::Continue | Node::Return(_)) => false,
        Some(Node::If(_, then, otherwise)) => completes(then) || completes(otherwise),
        Some(Node::Loop(Loop::Forever, body)) => has_break(body),
        Some(Node::Loop(..) | Node::Switch(..) | Node::Label(_) | Node::Assign(..)) | None => true,
    }
}

/// Whether a loop with this body is left by `break`.
fn has_break(body: &[Node]) -> bool {
    body.iter().any(|node| match node {
        Node::Break => true,
        Node::If(_, then, otherwise) => has_break(then) || has_break(otherwise),
        Node::Label(_) | Node::Assign(..) | Node::Loop(..) | Node::Switch(..) => false,
        Node::Goto(_) | Node::Continue | Node::Return(_) => false,
    })
}

fn mark_targets(nodes: &[Node], is_target: &mut [bool]) {
    for node in nodes {
        match node {
            Node::Goto(block) => is_target[block.index()] = true,
            Node::If(_, then, otherwise) => {
                mark_targets(then, is_target);
                mark_targets(otherwise, is_target);
            }
            Node::Loop(_, body) => mark_targets(body, is_target),
            Node::Switch(_, arms) => arms.iter().for_each(|(_, arm)| mark_targets(arm, is_target)),
            Node::Label(_) | Node::Assign(..) | Node::Break => {}
            Node::Continue | Node::Return(_) => {}
        }
    }
}

/// Rebuilds all lists of statements, the innermost first.
fn rebuilt(nodes: Vec<Node>, rebuild: &impl Fn(Vec<Node>) -> Vec<Node>) -> Vec<Node> {
    let inner = nodes.into_iter().map(|node| match node {
        Node::If(condition, then, otherwise) => {
            Node::If(condition, rebuilt(then, rebuild), rebuilt(otherwise, rebuild))
        }
        Node::Loop(kind, body) => Node::Loop(kind, rebuilt(body, rebuild)),
        Node::Switch(on, arms) => {
            let arms = arms.into_iter().map(|(labels, arm)| (labels, rebuilt(arm, rebuild)));
            Node::Switch(on, arms.collect())
        }
        Node::Label(_) | Node::Assign(..) | Node::Goto(_) | Node::Break => node,
        Node::Continue | Node::Return(_) => node,
    });
    rebuild(inner.collect())
}

fn drop_labels(nodes: Vec<Node>, is_target: &[bool]) -> Vec<Node> {
    let is_needed = |node: &Node| match node {
        Node::Label(block) => is_target[block.index()],
        _ => true,
    };
    rebuilt(nodes, &|nodes| nodes.into_iter().filter(is_needed).collect())
}

/// Leaves out what no jump and no way through leads to.
fn drop_unreachable(nodes: Vec<Node>) -> Vec<Node> {
    rebuilt(nodes, &|nodes| {
        let mut out = Vec::new();
        let mut is_reached = true;
        for node in nodes {
            is_reached |= has_label(&node);
            if is_reached {
                out.push(node);
                is_reached = completes(&out);
            }
        }
        out
    })
}

fn has_label(node: &Node) -> bool {
    match node {
        Node::Label(_) => true,
        Node::If(_, then, otherwise) => then.iter().chain(otherwise).any(has_label),
        Node::Loop(_, body) => body.iter().any(has_label),
        Node::Switch(_, arms) => arms.iter().any(|(_, arm)| arm.iter().any(has_label)),
        Node::Assign(..) | Node::Goto(_) | Node::Break => false,
        Node::Continue | Node::Return(_) => false,
    }
}

/// Makes `for` loops of loops that end with a step of the variable that they look at.
struct ForLoops<'a> {
    uses: Uses<'a>,
    /// All statements.
    whole: &'a [Node],
    arrangement: Arrangement,
}

impl ForLoops<'_> {
    fn made(&self, nodes: Vec<Node>, is_outside: bool) -> Vec<Node> {
        let mut out: Vec<Node> = Vec::new();
        for node in nodes {
            let node = match node {
                Node::Loop(kind, body) => {
                    let body = self.made(body, false);
                    self.loop_made(kind, body, &mut out, is_outside)
                }
                Node::If(condition, then, otherwise) => {
                    Node::If(condition, self.made(then, false), self.made(otherwise, false))
                }
                Node::Switch(on, arms) => {
                    let arm = |(labels, arm)| (labels, self.made(arm, false));
                    Node::Switch(on, arms.into_iter().map(arm).collect())
                }
                Node::Label(_) | Node::Assign(..) | Node::Goto(_) | Node::Break => node,
                Node::Continue | Node::Return(_) => node,
            };
            out.push(node);
        }
        out
    }

    /// One loop, which takes what it begins with from the statements before it.
    fn loop_made(
        &self,
        kind: Loop,
        body: Vec<Node>,
        before: &mut Vec<Node>,
        is_outside: bool,
    ) -> Node {
        let uses = &self.uses;
        let (Loop::While(condition) | Loop::DoWhile(condition)) = kind else {
            return Node::Loop(kind, body);
        };
        let Some((step, var)) = uses.step(condition, &body) else { return Node::Loop(kind, body) };
        let start = before.last().and_then(|node| uses.start(node, var));
        let as_for = |init| {
            let body = body[..body.len() - 1].to_vec();
            Node::Loop(Loop::For(init, condition, step), body)
        };
        let n_inside = uses.count(&[as_for(Init::None)], var);
        let n_all = uses.count(self.whole, var);
        // What a jump enters has to be there before the loop, and what comes back to the loop finds
        // it as it was left.
        let is_local = !uses.is_param_or_global(var) && !body.iter().any(has_label);
        let init = match start {
            Some(at) if n_inside + 1 == n_all && is_local => Init::Declare(var, Some(at)),
            Some(at) => Init::Assign(at.0, at.1),
            None if is_outside
                && n_inside == n_all
                && is_local
                && !before.iter().any(has_label) =>
            {
                Init::Declare(var, None)
            }
            None => Init::None,
        };
        let is_for = match kind {
            Loop::DoWhile(_) => {
                let first = match init {
                    Init::Declare(_, None) => uses.initial(var),
                    Init::Declare(_, Some(at)) => uses.constant(at),
                    Init::Assign(block, at) => uses.constant((block, at)),
                    Init::None => None,
                };
                self.arrangement == Arrangement::WithForLoops
                    && first.is_some_and(|first| uses.holds(condition, var, first))
            }
            Loop::Forever | Loop::While(_) | Loop::For(..) => true,
        };
        if !is_for {
            return Node::Loop(kind, body);
        }
        if start.is_some() {
            before.pop();
        }
        as_for(init)
    }
}

/// The value of an expression that reads one variable only.
struct Known<'a> {
    function: &'a Function,
    types: &'a ExprTypes,
    var: VarRef,
    word: i64,
}

impl Env for Known<'_> {
    /// It reads something else, or is undefined.
    type Error = ();

    fn operand(&mut self, id: ExprId) -> Result<i64, ()> {
        let meaning = evaluate(self.function.expr(id), self.types, self)?;
        if meaning.hazards.is_empty() { Ok(meaning.word) } else { Err(()) }
    }

    fn read(&mut self, place: &Place) -> Result<i64, ()> {
        if place.as_scalar() == Some(self.var) { Ok(self.word) } else { Err(()) }
    }

    fn hole(&mut self, _: HoleId) -> Result<i64, ()> {
        Err(())
    }

    fn call(&mut self, _: FuncId, _: &[ExprId]) -> Result<i64, ()> {
        Err(())
    }
}

/// How often statements name variables.
pub(super) struct Uses<'a> {
    pub(super) program: &'a Program,
    pub(super) function: &'a Function,
}

impl Uses<'_> {
    fn assigned(&self, (block, at): (BlockId, usize)) -> (&Place, ExprId) {
        let Stmt::Assign { place, value } = &self.function.block(block).stmts[at];
        (place, *value)
    }

    fn is_param_or_global(&self, var: VarRef) -> bool {
        match var {
            VarRef::Var(var) => var.index() < self.function.params().len(),
            VarRef::Global(_) => true,
        }
    }

    /// The last statement of a loop and the variable that it steps, if the loop looks at that and
    /// is not continued elsewhere.
    fn step(&self, condition: Condition, body: &[Node]) -> Option<((BlockId, usize), VarRef)> {
        let Some(Node::Assign(block, at)) = body.last() else { return None };
        let (place, value) = self.assigned((*block, *at));
        let var = place.as_scalar()?;
        let Expr::Binary(BinOp::Add | BinOp::Sub, lhs, rhs) = self.function.expr(value) else {
            return None;
        };
        let is_step = matches!(self.function.expr(*lhs), Expr::Read(place) if place.as_scalar() == Some(var))
            && matches!(self.function.expr(*rhs), Expr::Const(_));
        let is_for = is_step && self.reads(condition.expr, var) && !has_continue(body);
        is_for.then_some(((*block, *at), var))
    }

    /// The statement, if it assigns the variable and does not read it.
    fn start(&self, node: &Node, var: VarRef) -> Option<(BlockId, usize)> {
        let Node::Assign(block, at) = node else { return None };
        let (place, value) = self.assigned((*block, *at));
        let is_start = place.as_scalar() == Some(var) && !self.reads(value, var);
        is_start.then_some((*block, *at))
    }

    /// The constant that a statement assigns.
    fn constant(&self, at: (BlockId, usize)) -> Option<i64> {
        let (place, value) = self.assigned(at);
        let Expr::Const(constant) = self.function.expr(value) else { return None };
        Some(self.program.var(self.function, place.var()).ty.cell_ty().stored(constant.word()))
    }

    /// The initial value of a scalar.
    fn initial(&self, var: VarRef) -> Option<i64> {
        initial_values(self.program.var(self.function, var)).next().map(Scalar::word)
    }

    /// Whether a condition on one variable holds if the variable has this value.
    fn holds(&self, condition: Condition, var: VarRef, word: i64) -> bool {
        let types = &ExprTypes::new(self.program, self.function);
        let known = Known { function: self.function, types, var, word }.operand(condition.expr);
        known.is_ok_and(|word| (word != 0) != condition.negated)
    }

    fn reads(&self, root: ExprId, var: VarRef) -> bool {
        may_read(self.function, root, var)
    }

    /// How many parts of some statements name a variable.
    pub(super) fn count(&self, nodes: &[Node], var: VarRef) -> usize {
        let root = |root: ExprId| usize::from(self.reads(root, var));
        let assign = |at: (BlockId, usize)| {
            let (place, value) = self.assigned(at);
            let is_named = place.var() == var
                || place.indices().any(|index| self.reads(index, var))
                || self.reads(value, var);
            usize::from(is_named)
        };
        let of = |node: &Node| match node {
            Node::Assign(block, at) => assign((*block, *at)),
            Node::If(condition, then, otherwise) => {
                root(condition.expr) + self.count(then, var) + self.count(otherwise, var)
            }
            Node::Loop(kind, body) => {
                let head = match kind {
                    Loop::Forever => 0,
                    Loop::While(condition) | Loop::DoWhile(condition) => root(condition.expr),
                    Loop::For(init, condition, step) => {
                        let init = match init {
                            Init::None => 0,
                            Init::Assign(block, at) => assign((*block, *at)),
                            Init::Declare(declared, at) => {
                                at.map_or(usize::from(*declared == var), assign)
                            }
                        };
                        init + root(condition.expr) + assign(*step)
                    }
                };
                head + self.count(body, var)
            }
            Node::Switch(on, arms) => {
                root(*on) + arms.iter().map(|(_, arm)| self.count(arm, var)).sum::<usize>()
            }
            Node::Return(block) => match &self.function.block(*block).term {
                Term::Return(Return::Value(value)) => root(*value),
                Term::Return(Return::Checksum | Return::ChecksumOf(_)) => {
                    usize::from(self.program.checksum_vars(self.function).contains(&var))
                }
                Term::Goto(_) | Term::If { .. } | Term::Switch { .. } => 0,
            },
            Node::Label(_) | Node::Goto(_) | Node::Break | Node::Continue => 0,
        };
        nodes.iter().map(of).sum()
    }
}

/// Whether a loop with this body is continued from within it.
fn has_continue(body: &[Node]) -> bool {
    body.iter().any(|node| match node {
        Node::Continue => true,
        Node::If(_, then, otherwise) => has_continue(then) || has_continue(otherwise),
        Node::Switch(_, arms) => arms.iter().any(|(_, arm)| has_continue(arm)),
        Node::Label(_) | Node::Assign(..) | Node::Loop(..) => false,
        Node::Goto(_) | Node::Break | Node::Return(_) => false,
    })
}
