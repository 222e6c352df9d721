//! Functions: variables, blocks of statements, and realizations.

use std::fmt;

use super::expr::Expr;
use super::place::{Base, Place, Projection, VarRef};
use super::types::{Scalar, ValueTy, VarTy};
use crate::dialect::TrapKind;
use crate::graph::{Cfg, CfgError, Path};
use crate::ids::{BlockId, ExprId, HoleId, VarId};

/// A function: what it can do is its blocks, what it does do is its realizations.
///
/// Block 0 is the entry; the one block that returns is the exit. Equality is that of the text
/// form: two functions are equal when they print alike, wherever their expressions are kept.
#[derive(Clone, Debug)]
pub struct Function {
    /// Lines about it, for people.
    pub docs: Vec<String>,
    /// Its name.
    pub name: String,
    /// Parameters, then locals. Locals get their initial values whenever the function is called.
    pub vars: Vec<Var>,
    /// How many of `vars` are parameters.
    pub n_params: usize,
    /// What it returns.
    pub ret: ValueTy,
    /// Its blocks, the entry first.
    pub blocks: Vec<Block>,
    /// Its known inputs, each with the path it takes and the output it gives.
    pub realizations: Vec<Realization>,
    exprs: Vec<Expr>,
}

/// A parameter, a local or a global.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: VarTy,
    /// The initial value of each cell; empty for a parameter.
    pub init: Vec<ConstOrHole>,
}

/// An initial value or a case label. Its type is that of its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstOrHole {
    /// A value.
    Const(Scalar),
    /// A value that is still to be found.
    Hole(HoleId),
}

/// A block: statements, and where to go then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its label.
    pub name: String,
    /// What it does.
    pub stmts: Vec<Stmt>,
    /// Where it leads.
    pub term: Term,
}

/// What a block does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// An assignment.
    Assign {
        /// What is assigned; the value is narrowed to its type.
        place: Place,
        /// The value.
        value: ExprId,
    },
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// To one block.
    Goto(BlockId),
    /// To one of two blocks.
    If {
        /// An `i32`.
        cond: ExprId,
        /// Where to go when it is not 0.
        then: BlockId,
        /// Where to go when it is 0.
        otherwise: BlockId,
    },
    /// To one of several blocks.
    Switch {
        /// The value that decides.
        on: ExprId,
        /// Labels, in the type of the value, and where they lead.
        cases: Vec<(ConstOrHole, BlockId)>,
        /// Where all other values lead.
        default: BlockId,
    },
    /// Back to the caller.
    Return(Return),
}

/// What a function returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Return {
    /// The CRC-32 of all its variables and of the globals it names, as a `u32`.
    Checksum,
    /// The CRC-32 of these variables, in this order, as a `u32`.
    ChecksumOf(Vec<VarRef>),
    /// A value.
    Value(ExprId),
}

/// A test vector: an input, the path that it takes, and how that ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Realization {
    /// A value for each parameter.
    pub args: Vec<Scalar>,
    /// The blocks that are visited.
    pub path: Path,
    /// How the run ends.
    pub ending: Ending,
    /// What the run leaves in memory: the CRC-32 of the final values of the globals that the
    /// function itself names, in their order of declaration. Nothing if it is not said.
    pub leaving: Option<u32>,
}

/// How the run of a realization ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The function returns this value.
    Returns(Scalar),
    /// A trap or an exception of this kind ends the run, in the last block of the path.
    Traps(TrapKind),
}

impl Realization {
    /// Whether a run that ended in `ending` and left `leaving` in the globals is this one. What a
    /// realization does not say is not compared.
    pub fn same_result(&self, ending: Ending, leaving: Option<u32>) -> bool {
        self.ending.same_result(ending) && (self.leaving.is_none() || self.leaving == leaving)
    }
}

impl Ending {
    /// Whether a run that ended as `other` ended in the same way.
    pub fn same_result(self, other: Self) -> bool {
        match (self, other) {
            (Self::Returns(a), Self::Returns(b)) => a.same_result(b),
            (Self::Traps(a), Self::Traps(b)) => a == b,
            (Self::Returns(_), Self::Traps(_)) | (Self::Traps(_), Self::Returns(_)) => false,
        }
    }

    /// What is returned, if anything is.
    pub const fn returned(self) -> Option<Scalar> {
        match self {
            Self::Returns(value) => Some(value),
            Self::Traps(_) => None,
        }
    }
}

/// A value as it is, a trap by its kind.
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Returns(value) => write!(f, "{value}"),
            Self::Traps(kind) => write!(f, "a trap ({kind})"),
        }
    }
}

impl Function {
    /// An empty function that returns `ret`.
    pub fn new(name: impl Into<String>, ret: impl Into<ValueTy>) -> Self {
        Self {
            docs: Vec::new(),
            name: name.into(),
            vars: Vec::new(),
            n_params: 0,
            ret: ret.into(),
            blocks: Vec::new(),
            realizations: Vec::new(),
            exprs: Vec::new(),
        }
    }

    /// Keeps an expression.
    #[inline]
    pub fn add_expr(&mut self, expr: Expr) -> ExprId {
        let id = ExprId::new(self.exprs.len());
        self.exprs.push(expr);
        id
    }

    /// Makes room for so many more expressions.
    pub fn reserve_exprs(&mut self, n: usize) {
        self.exprs.reserve(n);
    }

    /// An expression.
    #[inline]
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// An expression, to be replaced in place: whoever refers to `id` then sees the new one.
    pub fn expr_mut(&mut self, id: ExprId) -> &mut Expr {
        &mut self.exprs[id.index()]
    }

    /// All expressions that are kept, in use or not.
    pub fn exprs_mut(&mut self) -> &mut [Expr] {
        &mut self.exprs
    }

    /// All expressions that are kept, in use or not.
    pub fn exprs(&self) -> &[Expr] {
        &self.exprs
    }

    /// One more than the largest number of a hole, in use or not.
    pub fn n_holes(&self) -> usize {
        let fills = self.vars.iter().flat_map(|var| &var.init).chain(
            self.blocks
                .iter()
                .flat_map(|block| match &block.term {
                    Term::Switch { cases, .. } => &cases[..],
                    _ => &[],
                })
                .map(|(fill, _)| fill),
        );
        let in_fills = fills.filter_map(|fill| match fill {
            ConstOrHole::Hole(hole) => Some(hole.index() + 1),
            ConstOrHole::Const(_) => None,
        });
        let in_exprs = self.exprs.iter().filter_map(|expr| match expr {
            Expr::Hole(hole, _) => Some(hole.index() + 1),
            _ => None,
        });
        in_fills.chain(in_exprs).max().unwrap_or(0)
    }

    /// How many expressions are kept, in use or not.
    pub fn n_exprs(&self) -> usize {
        self.exprs.len()
    }

    /// One of the function's own variables.
    #[inline]
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.index()]
    }

    /// The parameters.
    pub fn params(&self) -> &[Var] {
        &self.vars[..self.n_params.min(self.vars.len())]
    }

    /// The locals.
    pub fn locals(&self) -> &[Var] {
        &self.vars[self.n_params.min(self.vars.len())..]
    }

    /// A block.
    #[inline]
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// All blocks with their ids.
    pub fn blocks_with_ids(&self) -> impl Iterator<Item = (BlockId, &Block)> {
        self.blocks.iter().enumerate().map(|(i, block)| (BlockId::new(i), block))
    }

    /// The function's graph. Edges that several cases share count once.
    ///
    /// # Errors
    /// Where the blocks break a rule that every graph keeps; a valid function breaks none.
    pub fn cfg(&self) -> Result<Cfg, CfgError> {
        let succs: Vec<Vec<BlockId>> = self
            .blocks
            .iter()
            .map(|block| {
                let mut succs = Vec::new();
                block.term.for_each_target(|target| {
                    if !succs.contains(&target) {
                        succs.push(target);
                    }
                });
                succs
            })
            .collect();
        Cfg::new(&succs)
    }

    /// The expressions that statements and terminators begin with, in order.
    pub fn roots(&self) -> impl Iterator<Item = ExprId> {
        self.blocks
            .iter()
            .flat_map(|block| block.stmts.iter().flat_map(Stmt::roots).chain(block.term.root()))
    }

    /// Calls `visit` on every expression in use, operands first.
    pub fn for_each_expr(&self, mut visit: impl FnMut(ExprId, &Expr)) {
        // Each entry is an expression and whether its operands have been visited.
        let mut stack = Vec::new();
        for root in self.roots() {
            stack.push((root, false));
            while let Some((id, ready)) = stack.pop() {
                let expr = self.expr(id);
                if ready {
                    visit(id, expr);
                    continue;
                }
                stack.push((id, true));
                let first = stack.len();
                stack.extend(expr.operands().map(|operand| (operand, false)));
                stack[first..].reverse();
            }
        }
    }

    /// What the function returns. Only a function without an exit, which is not valid, has none.
    pub fn returned(&self) -> Option<&Return> {
        self.blocks.iter().find_map(|block| match &block.term {
            Term::Return(returned) => Some(returned),
            Term::Goto(_) | Term::If { .. } | Term::Switch { .. } => None,
        })
    }

    /// The variables that a checksum lists by name, if the function returns one that does.
    pub fn listed_vars(&self) -> &[VarRef] {
        match self.returned() {
            Some(Return::ChecksumOf(vars)) => vars,
            Some(Return::Checksum | Return::Value(_)) | None => &[],
        }
    }

    /// Calls `change` on each variable that a checksum lists by name.
    pub fn for_each_listed_mut(&mut self, change: impl FnMut(&mut VarRef)) {
        let listed = self.blocks.iter_mut().filter_map(|block| match &mut block.term {
            Term::Return(Return::ChecksumOf(vars)) => Some(vars),
            Term::Return(Return::Checksum | Return::Value(_))
            | Term::Goto(_)
            | Term::If { .. }
            | Term::Switch { .. } => None,
        });
        listed.flatten().for_each(change);
    }

    /// Whether the function assigns to a global itself.
    pub fn writes_global(&self) -> bool {
        self.blocks
            .iter()
            .flat_map(|block| &block.stmts)
            .any(|stmt| matches!(stmt.assigned().var(), VarRef::Global(_)))
    }
}

impl Stmt {
    /// The expressions that the statement begins with, in order of evaluation.
    pub fn roots(&self) -> impl Iterator<Item = ExprId> {
        let Self::Assign { place, value } = self;
        place.indices().chain([*value])
    }

    /// Calls `change` on each expression that the statement begins with, in order of evaluation.
    pub fn for_each_root_mut(&mut self, mut change: impl FnMut(&mut ExprId)) {
        let Self::Assign { place, value } = self;
        place.for_each_index_mut(&mut change);
        change(value);
    }

    /// The place that the statement assigns.
    pub const fn assigned(&self) -> &Place {
        let Self::Assign { place, .. } = self;
        place
    }

    /// The place that the statement assigns, to be changed.
    pub const fn assigned_mut(&mut self) -> &mut Place {
        let Self::Assign { place, .. } = self;
        place
    }
}

impl Term {
    /// Calls `visit` on each target, in order; a target may come up several times.
    #[inline]
    pub fn for_each_target(&self, mut visit: impl FnMut(BlockId)) {
        match self {
            Self::Goto(target) => visit(*target),
            Self::If { then, otherwise, .. } => {
                visit(*then);
                visit(*otherwise);
            }
            Self::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, target)| visit(*target));
                visit(*default);
            }
            Self::Return(_) => {}
        }
    }

    /// Replaces each target.
    pub fn map_targets(&mut self, map: impl Fn(BlockId) -> BlockId) {
        match self {
            Self::Goto(target) => *target = map(*target),
            Self::If { then, otherwise, .. } => {
                *then = map(*then);
                *otherwise = map(*otherwise);
            }
            Self::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|(_, target)| *target = map(*target));
                *default = map(*default);
            }
            Self::Return(_) => {}
        }
    }

    /// The expression that decides or is returned.
    pub fn root(&self) -> Option<ExprId> {
        match self {
            Self::Goto(_) | Self::Return(Return::Checksum | Return::ChecksumOf(_)) => None,
            Self::If { cond: root, .. }
            | Self::Switch { on: root, .. }
            | Self::Return(Return::Value(root)) => Some(*root),
        }
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.docs == other.docs
            && self.name == other.name
            && self.vars == other.vars
            && self.n_params == other.n_params
            && self.ret == other.ret
            && self.realizations == other.realizations
            && self.blocks.len() == other.blocks.len()
            && std::iter::zip(&self.blocks, &other.blocks)
                .all(|(a, b)| self.same_block(a, other, b))
    }
}

impl Eq for Function {}

/// Equality of what expression ids stand for.
impl Function {
    fn same_block(&self, a: &Block, other: &Self, b: &Block) -> bool {
        let same = |a, b| self.same_expr(a, other, b);
        let same_term = match (&a.term, &b.term) {
            (
                Term::If { cond: a, then: a_then, otherwise: a_otherwise },
                Term::If { cond: b, then: b_then, otherwise: b_otherwise },
            ) => a_then == b_then && a_otherwise == b_otherwise && same(*a, *b),
            (
                Term::Switch { on: a, cases: a_cases, default: a_default },
                Term::Switch { on: b, cases: b_cases, default: b_default },
            ) => a_cases == b_cases && a_default == b_default && same(*a, *b),
            (Term::Return(Return::Value(a)), Term::Return(Return::Value(b))) => same(*a, *b),
            (a, b) => a == b,
        };
        a.name == b.name
            && same_term
            && a.stmts.len() == b.stmts.len()
            && std::iter::zip(&a.stmts, &b.stmts).all(|(a, b)| self.same_stmt(a, other, b))
    }

    fn same_stmt(&self, a: &Stmt, other: &Self, b: &Stmt) -> bool {
        let Stmt::Assign { place: a_place, value: a_value } = a;
        let Stmt::Assign { place: b_place, value: b_value } = b;
        self.same_place(a_place, other, b_place) && self.same_expr(*a_value, other, *b_value)
    }

    fn same_place(&self, a: &Place, other: &Self, b: &Place) -> bool {
        let (Base::Var(a_var), Base::Var(b_var)) = (a.base(), b.base());
        a_var == b_var
            && a.projections().len() == b.projections().len()
            && std::iter::zip(a.projections(), b.projections()).all(|(a, b)| {
                let (Projection::Index(a), Projection::Index(b)) = (a, b);
                self.same_expr(*a, other, *b)
            })
    }

    fn same_expr(&self, a: ExprId, other: &Self, b: ExprId) -> bool {
        let same = |a, b| self.same_expr(a, other, b);
        match (self.expr(a), other.expr(b)) {
            (Expr::Read(a), Expr::Read(b)) => self.same_place(a, other, b),
            (Expr::Unary(op, a), Expr::Unary(other_op, b)) => op == other_op && same(*a, *b),
            (Expr::Cast(ty, a), Expr::Cast(other_ty, b)) => ty == other_ty && same(*a, *b),
            (Expr::Binary(op, a, b), Expr::Binary(other_op, c, d)) => {
                op == other_op && same(*a, *c) && same(*b, *d)
            }
            (Expr::Select(a, b, c), Expr::Select(d, e, f)) => {
                same(*a, *d) && same(*b, *e) && same(*c, *f)
            }
            (Expr::Call(f, a), Expr::Call(g, b)) => {
                f == g && a.len() == b.len() && std::iter::zip(a, b).all(|(a, b)| same(*a, *b))
            }
            (a, b) => a == b,
        }
    }
}
