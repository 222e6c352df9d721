//! What the forward engine knows of a function before it starts: where variables live, the types
//! of expressions, and how to evaluate them with holes.

use super::calls::Calls;
use super::states::CellSource;
use crate::solve::ValuePolicy;
use pathsmith_symlang::dialect::{Dialect, HazardSet};
use pathsmith_symlang::lang::{
    Cells, Expr, ExprTypes, Function, Layout, Place, PlaceForm, Program, Scalar, ValueTy, VarRef,
};
use pathsmith_symlang::semantics::Limits;
use pathsmith_symlang::semantics::eval::{Env, evaluate};
use pathsmith_symlang::{ExprId, FuncId, HoleId};

/// A function laid out for evaluation. Its state is one slice: the words of the cells of its
/// variables, then those of the program's globals.
pub(super) struct EvalContext<'a> {
    pub(super) program: &'a Program,
    pub(super) function: &'a Function,
    pub(super) dialect: Dialect,
    pub(super) value_policy: ValuePolicy<'a>,
    forbidden: HazardSet,
    types: ExprTypes,
    layout: Layout,
    /// For calls, which have no holes in them.
    calls: Option<Calls>,
}

/// An expression has no value: the dialect does not define it, or a hole in it has none yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Undefined;

impl<'a> EvalContext<'a> {
    pub(super) fn new(
        program: &'a Program,
        id: FuncId,
        dialect: Dialect,
        value_policy: ValuePolicy<'a>,
        limits: Limits,
    ) -> Self {
        let function = program.function(id);
        let has_calls = function.exprs().iter().any(|expr| matches!(expr, Expr::Call(..)));
        Self {
            program,
            function,
            dialect,
            value_policy,
            forbidden: dialect.forbidden(),
            types: ExprTypes::new(program, function),
            layout: Layout::new(program, function),
            calls: has_calls.then(|| Calls::new(program, limits)),
        }
    }

    /// Why no further call is run, if calls took too long.
    pub(super) fn calls_given_up(&self) -> Option<String> {
        self.calls.as_ref().and_then(|calls| calls.given_up(self.program))
    }

    /// How many cells a state has.
    pub(super) fn n_cells(&self) -> usize {
        self.layout.n_cells() + self.layout.n_global_cells()
    }

    #[inline]
    pub(super) fn ty(&self, id: ExprId) -> ValueTy {
        self.types.of(id)
    }

    /// The cells of a variable in a state.
    #[inline]
    pub(super) fn cells(&self, var: VarRef) -> Cells {
        let cells = self.layout.cells(var);
        match var {
            VarRef::Var(_) => cells,
            VarRef::Global(_) => {
                Cells { start: cells.start + self.layout.n_cells() as u32, ..cells }
            }
        }
    }

    /// The first cell of a variable.
    #[inline]
    pub(super) fn start(&self, var: VarRef) -> usize {
        let start = self.layout.cells(var).start as usize;
        match var {
            VarRef::Var(_) => start,
            VarRef::Global(_) => start + self.layout.n_cells(),
        }
    }

    /// The cell that a place stands for.
    #[inline]
    pub(super) fn cell(
        &self,
        place: &Place,
        cells: impl CellSource,
        holes: &[Option<i64>],
    ) -> Result<usize, Undefined> {
        match place.form() {
            PlaceForm::Scalar(var) => Ok(self.start(var)),
            PlaceForm::Element(var, index) => {
                let index = self.eval(index, cells, holes)?;
                // No dialect defines what is out of bounds.
                self.cells(var).element(index).ok_or(Undefined)
            }
        }
    }

    /// The word of an expression in a state.
    pub(super) fn eval(
        &self,
        id: ExprId,
        cells: impl CellSource,
        holes: &[Option<i64>],
    ) -> Result<i64, Undefined> {
        State { ctx: self, cells, holes }.value(self.function.expr(id))
    }
}

/// A state, and the holes that are known.
struct State<'s, C> {
    ctx: &'s EvalContext<'s>,
    cells: C,
    holes: &'s [Option<i64>],
}

impl<C: CellSource> State<'_, C> {
    /// The word of an expression, if it is defined.
    fn value(&mut self, expr: &Expr) -> Result<i64, Undefined> {
        let ctx = self.ctx;
        let meaning = evaluate(expr, &ctx.types, self)?;
        match meaning.hazards.and(ctx.forbidden).is_empty() {
            true => Ok(meaning.word),
            false => Err(Undefined),
        }
    }
}

impl<C: CellSource> Env for State<'_, C> {
    type Error = Undefined;

    #[inline]
    fn operand(&mut self, id: ExprId) -> Result<i64, Undefined> {
        let expr = self.ctx.function.expr(id);
        match expr {
            // Most operands are not worth a call.
            Expr::Const(constant) => Ok(constant.word()),
            Expr::Hole(hole, _) => self.hole(*hole),
            Expr::Read(place) => self.read(place),
            Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(..)
            | Expr::Cast(..)
            | Expr::Call(..) => self.value(expr),
        }
    }

    #[inline(always)]
    fn read(&mut self, place: &Place) -> Result<i64, Undefined> {
        if let Some(var) = place.as_scalar() {
            return Ok(self.cells.word(self.ctx.start(var)));
        }
        Ok(self.cells.word(self.ctx.cell(place, self.cells, self.holes)?))
    }

    #[inline]
    fn hole(&mut self, hole: HoleId) -> Result<i64, Undefined> {
        self.holes[hole.index()].ok_or(Undefined)
    }

    fn call(&mut self, callee: FuncId, args: &[ExprId]) -> Result<i64, Undefined> {
        let params = self.ctx.program.function(callee).params();
        let arg = |(param, arg): (&pathsmith_symlang::lang::Var, &ExprId)| {
            let word = self.ctx.eval(*arg, self.cells, self.holes)?;
            Ok(Scalar::new(param.ty.cell_ty(), word))
        };
        let args = std::iter::zip(params, args).map(arg).collect::<Result<Vec<_>, _>>()?;
        let Some(calls) = &self.ctx.calls else { return Err(Undefined) };
        calls.run(callee, &args, self.ctx.dialect).ok_or(Undefined)
    }
}
