//! What the forward engine knows of a function before it starts: where variables live, the types
//! of expressions, and how to evaluate them with holes.

use crate::solve::ValuePolicy;
use pathsmith_symlang::dialect::{Dialect, HazardSet};
use pathsmith_symlang::lang::{Expr, Function, Place, Program, VarRef, WordTy};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome, table};
use pathsmith_symlang::{ExprId, FuncId};

/// A function laid out for evaluation. Its state is one slice: the cells of its variables, then
/// those of the program's globals.
pub(super) struct EvalContext<'a> {
    pub(super) program: &'a Program,
    pub(super) function: &'a Function,
    pub(super) dialect: Dialect,
    pub(super) value_policy: ValuePolicy<'a>,
    forbidden: HazardSet,
    /// The type of each expression that is in use.
    types: Vec<WordTy>,
    starts: Vec<u32>,
    global_starts: Vec<u32>,
    pub(super) n_cells: usize,
    /// For calls, which have no holes in them.
    code: Option<Code>,
}

/// An expression has no value: the dialect does not define it, or a hole in it has none yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Undefined;

/// Whether all operands of `expr` are kept before `id`.
fn has_operands_before(expr: &Expr, id: ExprId) -> bool {
    match expr {
        // Most expressions, told apart from the rest for speed.
        Expr::Const(_) | Expr::Hole(..) | Expr::Read(Place::Scalar(_)) => true,
        Expr::Binary(_, lhs, rhs) => *lhs < id && *rhs < id,
        _ => expr.operands().all(|operand| operand < id),
    }
}

/// The types of all expressions that are in use.
fn types(program: &Program, function: &Function) -> Vec<WordTy> {
    let mut types = vec![WordTy::I32; function.n_exprs()];
    // Operands come first, so their types are there.
    let note = |id: ExprId, expr: &Expr, types: &mut Vec<WordTy>| {
        types[id.index()] = match expr {
            Expr::Const(constant) => constant.ty(),
            Expr::Hole(_, ty) => *ty,
            Expr::Read(place) => program.var(function, place.var()).ty.elem().widened(),
            Expr::Unary(_, operand) => types[operand.index()],
            Expr::Binary(op, lhs, _) => op.result_ty(types[lhs.index()]),
            Expr::Select(_, then, _) => types[then.index()],
            Expr::Cast(to, _) => to.widened(),
            Expr::Call(callee, _) => program.function(*callee).ret,
        };
    };
    // Where expressions were built from their operands, they are in order as they are kept.
    let kept = || function.exprs().iter().enumerate().map(|(i, expr)| (ExprId::new(i), expr));
    if kept().all(|(id, expr)| has_operands_before(expr, id)) {
        kept().for_each(|(id, expr)| note(id, expr, &mut types));
    } else {
        function.for_each_expr(|id, expr| note(id, expr, &mut types));
    }
    types
}

impl<'a> EvalContext<'a> {
    pub(super) fn new(
        program: &'a Program,
        id: FuncId,
        dialect: Dialect,
        value_policy: ValuePolicy<'a>,
    ) -> Self {
        let function = program.function(id);
        let mut n_cells = 0;
        let mut place = |n: usize| {
            n_cells += n;
            (n_cells - n) as u32
        };
        let starts = function.vars.iter().map(|var| place(var.ty.n_cells())).collect();
        let global_starts = program.globals.iter().map(|var| place(var.ty.n_cells())).collect();
        let has_calls = function.exprs().iter().any(|expr| matches!(expr, Expr::Call(..)));
        Self {
            program,
            function,
            dialect,
            value_policy,
            forbidden: dialect.forbidden(),
            types: types(program, function),
            starts,
            global_starts,
            n_cells,
            code: has_calls.then(|| Code::new(program)),
        }
    }

    #[inline]
    pub(super) fn ty(&self, id: ExprId) -> WordTy {
        self.types[id.index()]
    }

    /// The first cell of a variable.
    #[inline]
    pub(super) fn start(&self, var: VarRef) -> usize {
        match var {
            VarRef::Var(id) => self.starts[id.index()] as usize,
            VarRef::Global(id) => self.global_starts[id.index()] as usize,
        }
    }

    /// The cell that a place stands for.
    pub(super) fn cell(
        &self,
        place: Place,
        cells: &[i64],
        holes: &[Option<i64>],
    ) -> Result<usize, Undefined> {
        let start = self.start(place.var());
        let Some(index) = place.index() else { return Ok(start) };
        let index = self.eval(index, cells, holes)?;
        let len = self.program.var(self.function, place.var()).ty.n_cells();
        // No dialect defines what is out of bounds.
        if (index as u64) < len as u64 { Ok(start + index as usize) } else { Err(Undefined) }
    }

    /// The value of an expression in a state.
    pub(super) fn eval(
        &self,
        id: ExprId,
        cells: &[i64],
        holes: &[Option<i64>],
    ) -> Result<i64, Undefined> {
        let eval = |id| self.eval(id, cells, holes);
        match self.function.expr(id) {
            Expr::Const(constant) => Ok(constant.value()),
            Expr::Hole(hole, _) => holes[hole.index()].ok_or(Undefined),
            Expr::Read(Place::Scalar(var)) => Ok(cells[self.start(*var)]),
            Expr::Read(place) => Ok(cells[self.cell(*place, cells, holes)?]),
            Expr::Unary(op, operand) => {
                self.defined(table::unary(*op, self.ty(*operand), eval(*operand)?))
            }
            Expr::Binary(op, lhs, rhs) => {
                let a = eval(*lhs)?;
                let b = match self.function.expr(*rhs) {
                    // What stands on the right mostly is a hole, and not worth a call.
                    Expr::Hole(hole, _) => holes[hole.index()].ok_or(Undefined)?,
                    _ => eval(*rhs)?,
                };
                self.defined(table::binary(*op, self.ty(*lhs), a, b))
            }
            Expr::Select(cond, then, otherwise) => {
                let (cond, then, otherwise) = (eval(*cond)?, eval(*then)?, eval(*otherwise)?);
                Ok(if cond != 0 { then } else { otherwise })
            }
            Expr::Cast(to, operand) => Ok(to.wrap(eval(*operand)?)),
            Expr::Call(callee, args) => {
                let args = args.iter().map(|arg| eval(*arg)).collect::<Result<Vec<i64>, _>>()?;
                let Some(code) = &self.code else { return Err(Undefined) };
                match Machine::new(code, self.dialect).run(*callee, &args, Limits::default()) {
                    Outcome::Returned(output) => Ok(output),
                    _ => Err(Undefined),
                }
            }
        }
    }

    #[inline]
    fn defined(&self, meaning: table::Meaning) -> Result<i64, Undefined> {
        if meaning.hazards.and(self.forbidden).is_empty() {
            Ok(meaning.value)
        } else {
            Err(Undefined)
        }
    }
}
