//! Where in a source text the parts of a program stand.

use super::error::{Problem, Span};
use crate::ids::{BlockId, ExprId, FuncId};
use crate::lang::{Location, Violation};

/// The spans of a program that was read from text.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans {
    pub(super) main: Span,
    pub(super) globals: Vec<Span>,
    pub(super) functions: Vec<FunctionSpans>,
}

/// The spans of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct FunctionSpans {
    pub(super) name: Span,
    pub(super) vars: Vec<Span>,
    pub(super) exprs: Vec<Span>,
    pub(super) blocks: Vec<BlockSpans>,
    pub(super) realizations: Vec<Span>,
}

/// The spans of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockSpans {
    pub(super) name: Span,
    pub(super) stmts: Vec<Span>,
    pub(super) term: Span,
}

impl Spans {
    /// Gives the expressions of each function the spans of those that they come from.
    pub(super) fn move_exprs(&mut self, origins: &[Vec<ExprId>]) {
        for (function, origins) in std::iter::zip(&mut self.functions, origins) {
            function.exprs = origins.iter().map(|origin| function.exprs[origin.index()]).collect();
        }
    }

    /// A broken rule as a problem of the text.
    pub(super) fn problem(&self, violation: &Violation) -> Problem {
        let problem = Problem::new(self.span(violation.location), violation.message.clone())
            .with_rule(violation.rule.name())
            .with_help(violation.rule.describe());
        match &violation.expected {
            Some(expected) => problem.with_label(expected.clone()),
            None => problem,
        }
    }

    fn span(&self, location: Location) -> Span {
        let function = |id: FuncId| &self.functions[id.index()];
        let block = |id: FuncId, block: BlockId| &function(id).blocks[block.index()];
        match location {
            // The whole of it begins at its beginning.
            Location::Program => Span::default(),
            Location::Main => self.main,
            Location::Global(id) => self.globals[id.index()],
            Location::Function(id) => function(id).name,
            Location::Var(id, var) => function(id).vars[var.index()],
            Location::Block(id, at) => block(id, at).name,
            Location::Stmt(id, at, stmt) => block(id, at).stmts[stmt],
            Location::Term(id, at) => block(id, at).term,
            Location::Expr(id, expr) => function(id).exprs[expr.index()],
            Location::Realization(id, nth) => function(id).realizations[nth],
        }
    }
}
