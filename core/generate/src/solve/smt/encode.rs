//! A path as constraints.
//!
//! The blocks are laid out as the path visits them, and every assignment makes a new version of
//! what it assigns: the term of its value. What has to hold on the way are the [`Constraint`]s.
//! Operations on literals are folded, so that a path whose values are all known comes down to
//! truth values.

use std::collections::BTreeMap;

use z3::ast::{Ast, BV, Bool};

use super::calls::Calls;
use super::memory::{Cell, Variable};
use super::ops::{self, literal};
use super::requirement::{Requirement, Unsatisfied};
use crate::solve::{Model, Task};
use pathsmith_symlang::dialect::{Hazard, HazardSet};
use pathsmith_symlang::lang::{
    ConstOrHole, Expr, ExprTypes, Function, IntTy, PlaceForm, Program, Return, Scalar, ScalarTy,
    Stmt, Term, ValueTy, Var, VarRef, WordTy,
};
use pathsmith_symlang::semantics::Outcome;
use pathsmith_symlang::{BlockId, ExprId, FuncId, GlobalId, HoleId};

/// How many operations an encoding may have: Z3 needs up to some kilobytes for each.
const MAX_OPERATIONS: usize = 200_000;

/// Something that has to hold.
#[derive(Debug)]
pub(super) struct Constraint {
    pub(super) requirement: Requirement,
    pub(super) holds: Bool,
}

/// A path as constraints, and what they leave open.
#[derive(Debug)]
pub(super) struct Encoding {
    pub(super) constraints: Vec<Constraint>,
    pub(super) holes: BTreeMap<HoleId, (IntTy, BV)>,
    /// The parameters that are not known, by position.
    pub(super) args: BTreeMap<usize, (IntTy, BV)>,
    /// Whether there are Z3 arrays among the terms.
    pub(super) has_arrays: bool,
}

/// Why there is no encoding.
#[derive(Debug)]
pub(super) enum Stop {
    /// Values may be open, and the path needs what cannot be expressed then.
    Unsupported { step: usize, why: String },
    /// All values have to be known, and they break a constraint.
    Unsatisfied(Unsatisfied),
}

/// Whether values may be left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// What the model does not know is a free constant.
    Solve,
    /// The model knows everything, and constraints are checked step by step.
    Check,
}

/// Encodes the path of a task, with the values of `model` in place.
pub(super) fn encode(task: &Task<'_>, model: &Model, mode: Mode) -> Result<Encoding, Stop> {
    let function = task.program.function(task.function);
    if has_floats(task.program, function) {
        return Err(match mode {
            Mode::Solve => {
                Stop::Unsupported { step: 0, why: Requirement::no_floats(&function.name) }
            }
            Mode::Check => {
                let (step, block, requirement) = (0, BlockId::FIRST, Requirement::NoFloats);
                Stop::Unsatisfied(Unsatisfied { step, block, requirement })
            }
        });
    }
    let mut encoder = Encoder {
        task,
        function,
        model,
        mode,
        forbidden: task.dialect.forbidden(),
        vars: Vec::with_capacity(function.vars.len()),
        globals: BTreeMap::new(),
        calls: Calls::new(task, model),
        encoding: Encoding {
            constraints: Vec::new(),
            holes: BTreeMap::new(),
            args: BTreeMap::new(),
            has_arrays: false,
        },
        step: 0,
        n_operations: 0,
    };
    encoder.path()?;
    let mut variables = encoder.vars.iter().chain(encoder.globals.values());
    encoder.encoding.has_arrays = variables.any(|variable| variable.cells().is_none());
    Ok(encoder.encoding)
}

struct Encoder<'a> {
    task: &'a Task<'a>,
    function: &'a Function,
    model: &'a Model,
    mode: Mode,
    forbidden: HazardSet,
    vars: Vec<Variable>,
    globals: BTreeMap<GlobalId, Variable>,
    calls: Calls<'a>,
    encoding: Encoding,
    step: usize,
    n_operations: usize,
}

impl Encoder<'_> {
    fn path(&mut self) -> Result<(), Stop> {
        self.begin()?;
        let blocks = self.task.path.blocks();
        if blocks.first().is_none_or(|first| first.index() != 0) {
            self.require(Requirement::Path, Bool::from_bool(false));
        }
        for (step, block) in blocks.iter().enumerate() {
            self.step = step;
            self.visit(*block, blocks.get(step + 1).copied())?;
            self.end_step()?;
        }
        self.labels();
        self.end_step()
    }

    /// Gives every variable its first version.
    fn begin(&mut self) -> Result<(), Stop> {
        let function = self.function;
        for (i, var) in function.vars.iter().enumerate() {
            let cells = if i < function.n_params {
                vec![self.arg(i, cell_ty(var))?]
            } else {
                self.initial(var)?
            };
            self.vars.push(Variable::new(&var.ty, cell_ty(var), cells));
        }
        for id in self.task.program.globals_named(function) {
            let global = self.task.program.global(id);
            let cells = self.initial(global)?;
            self.globals.insert(id, Variable::new(&global.ty, cell_ty(global), cells));
        }
        Ok(())
    }

    fn initial(&mut self, var: &Var) -> Result<Vec<BV>, Stop> {
        var.init.iter().map(|fill| self.fill(*fill, cell_ty(var))).collect()
    }

    fn fill(&mut self, fill: ConstOrHole, ty: IntTy) -> Result<BV, Stop> {
        match fill {
            ConstOrHole::Const(value) => Ok(literal(value.word(), ty.bits())),
            ConstOrHole::Hole(hole) => self.hole(hole, ty),
        }
    }

    fn hole(&mut self, hole: HoleId, ty: IntTy) -> Result<BV, Stop> {
        if let Some(value) = self.model.hole(hole) {
            return Ok(literal(value.word(), ty.bits()));
        }
        if self.mode == Mode::Check {
            return Err(self.unsatisfied(Requirement::HoleKnown(hole)));
        }
        let new = || (ty, BV::new_const(format!("s{}", hole.index()), ty.bits()));
        Ok(self.encoding.holes.entry(hole).or_insert_with(new).1.clone())
    }

    fn arg(&mut self, at: usize, ty: IntTy) -> Result<BV, Stop> {
        if let Some(Some(value)) = self.model.args.get(at) {
            return Ok(literal(value.word(), ty.bits()));
        }
        if self.mode == Mode::Check {
            return Err(self.unsatisfied(Requirement::ArgKnown(at)));
        }
        let new = || (ty, BV::new_const(format!("p{at}"), ty.bits()));
        Ok(self.encoding.args.entry(at).or_insert_with(new).1.clone())
    }

    fn visit(&mut self, block: BlockId, next: Option<BlockId>) -> Result<(), Stop> {
        let function = self.function;
        let Some(block) = function.blocks.get(block.index()) else {
            self.require(Requirement::Path, Bool::from_bool(false));
            return Ok(());
        };
        for stmt in &block.stmts {
            self.assign(stmt)?;
        }
        let goes = match &block.term {
            Term::Goto(target) => Bool::from_bool(Some(*target) == next),
            Term::If { cond, then, otherwise } => {
                let (cond, _) = self.value(*cond)?;
                let is_taken = cond.ne(literal(0, 32));
                match (Some(*then) == next, Some(*otherwise) == next) {
                    (true, false) => is_taken,
                    (false, true) => is_taken.not(),
                    (both, _) => Bool::from_bool(both),
                }
            }
            Term::Switch { on, cases, default } => {
                let (on, ty) = self.value(*on)?;
                let mut fits = Vec::new();
                let mut fits_not = Vec::new();
                for (label, target) in cases {
                    let label = self.fill(*label, ty.into())?;
                    if Some(*target) == next {
                        fits.push(on.eq(&label));
                    } else {
                        fits_not.push(on.ne(&label));
                    }
                }
                // Labels differ, so it is enough to look at one of the two kinds.
                if Some(*default) == next { Bool::and(&fits_not) } else { Bool::or(&fits) }
            }
            Term::Return(what) => {
                if let Return::Value(value) = what {
                    self.value(*value)?;
                }
                Bool::from_bool(next.is_none())
            }
        };
        self.require(Requirement::Goes, goes);
        Ok(())
    }

    /// Asks that the labels of each `switch` differ, as they must once the values are in place.
    /// Where the path does not come by, this is asked of the labels that it uses elsewhere.
    fn labels(&mut self) {
        for (block, data) in self.function.blocks_with_ids() {
            let Term::Switch { on, cases, .. } = &data.term else { continue };
            if cases.iter().all(|(label, _)| matches!(label, ConstOrHole::Const(_))) {
                continue;
            }
            let ty = int(self.task.program.expr_ty(self.function, *on));
            let mut labels: Vec<(bool, BV)> = Vec::with_capacity(cases.len());
            let mut differ = Vec::new();
            for (label, _) in cases {
                let (is_hole, term) = match label {
                    ConstOrHole::Const(value) => (false, literal(value.word(), ty.bits())),
                    ConstOrHole::Hole(hole) => match self.model.hole(*hole) {
                        Some(value) => (true, literal(value.word(), ty.bits())),
                        None => match self.encoding.holes.get(hole) {
                            Some((_, term)) => (true, term.clone()),
                            None => continue,
                        },
                    },
                };
                // Labels that were there from the beginning differ.
                let others = labels.iter().filter(|(other_is_hole, _)| is_hole || *other_is_hole);
                differ.extend(others.map(|(_, other)| term.ne(other)));
                labels.push((is_hole, term));
            }
            self.require(Requirement::LabelsDiffer(block), Bool::and(&differ));
        }
    }

    fn assign(&mut self, stmt: &Stmt) -> Result<(), Stop> {
        // The interpreter's order: the index, the value, the bounds.
        let Stmt::Assign { place, value } = stmt;
        let (var, index) = match place.form() {
            PlaceForm::Scalar(var) => (var, None),
            PlaceForm::Element(var, index) => (var, Some((index, self.value(index)?))),
        };
        let (value, _) = self.value(*value)?;
        let cell = match index {
            None => Cell::At(0),
            Some((at, index)) => self.cell(var, at, index),
        };
        let variable = self.variable(var);
        let narrow = value.extract(variable.elem().bits() - 1, 0);
        let narrow = match self.mode {
            Mode::Solve => self.folded(narrow, &[&value]),
            Mode::Check => narrow.simplify(),
        };
        self.variable(var).write(&cell, narrow);
        Ok(())
    }

    fn variable(&mut self, var: VarRef) -> &mut Variable {
        match var {
            VarRef::Var(id) => &mut self.vars[id.index()],
            // All that the function names are there from the beginning.
            VarRef::Global(id) => {
                let program = self.task.program;
                self.globals.entry(id).or_insert_with(|| {
                    let global = program.global(id);
                    let zero = literal(0, cell_ty(global).bits());
                    Variable::new(&global.ty, cell_ty(global), vec![zero; global.ty.n_cells()])
                })
            }
        }
    }

    /// The cell that an index leads to, which has to be in bounds.
    fn cell(&mut self, var: VarRef, at: ExprId, (index, ty): (BV, WordTy)) -> Cell {
        let len = self.variable(var).len();
        let bits = match self.mode {
            Mode::Solve => index.as_u64(),
            Mode::Check => known(&index).map(|bits| bits as u64),
        };
        let cell = match bits {
            // A negative index counts as a large one here too.
            Some(bits) => Cell::At(usize::try_from(bits).unwrap_or(usize::MAX)),
            None if len == 1 => Cell::At(0),
            None => Cell::Term(index.clone()),
        };
        if self.forbidden.contains(Hazard::OutOfBounds) {
            let is_inside = index.bvult(literal(len as i64, ty.bits()));
            self.require(Requirement::Defined(Hazard::OutOfBounds, at), is_inside);
        }
        match cell {
            Cell::At(at) if at >= len => Cell::At(0),
            cell => cell,
        }
    }

    fn value(&mut self, id: ExprId) -> Result<(BV, WordTy), Stop> {
        self.n_operations += 1;
        if self.mode == Mode::Solve && self.n_operations > MAX_OPERATIONS {
            return Err(self.unsupported(id, "the path has too many operations".to_owned()));
        }
        let function = self.function;
        Ok(match function.expr(id) {
            Expr::Const(constant) => {
                let ty = int(constant.ty());
                (literal(constant.word(), ty.bits()), ty)
            }
            Expr::Hole(hole, ty) => {
                let ty = int(*ty);
                (self.hole(*hole, ty.into())?, ty)
            }
            Expr::Read(place) => {
                let cell = match place.form() {
                    PlaceForm::Scalar(_) => Cell::At(0),
                    PlaceForm::Element(var, index) => {
                        let value = self.value(index)?;
                        self.cell(var, index, value)
                    }
                };
                let variable = self.variable(place.var());
                let elem = variable.elem();
                let narrow = variable.read(&cell);
                (self.folded(widened(&narrow, elem), &[&narrow]), elem.widened())
            }
            Expr::Unary(op, operand) => {
                let (a, ty) = self.value(*operand)?;
                for hazard in op.hazards(ValueTy::Int(ty)).and(self.forbidden).iter() {
                    let holds = ops::unary_hazard(*op, ty, hazard, &a).not();
                    self.require(Requirement::Defined(hazard, id), holds);
                }
                (self.folded(ops::unary(*op, ty, &a), &[&a]), ty)
            }
            Expr::Binary(op, lhs, rhs) => {
                let (a, ty) = self.value(*lhs)?;
                let (b, _) = self.value(*rhs)?;
                for hazard in op.hazards(ValueTy::Int(ty)).and(self.forbidden).iter() {
                    let holds = ops::binary_hazard(*op, ty, hazard, &a, &b).not();
                    self.require(Requirement::Defined(hazard, id), holds);
                }
                let result = int(op.result_ty(ValueTy::Int(ty)));
                (self.folded(ops::binary(*op, ty, &a, &b), &[&a, &b]), result)
            }
            Expr::Select(cond, then, otherwise) => {
                let (cond, _) = self.value(*cond)?;
                let (then, ty) = self.value(*then)?;
                let (otherwise, _) = self.value(*otherwise)?;
                let term = cond.ne(literal(0, 32)).ite(&then, &otherwise);
                (self.folded(term, &[&cond, &then, &otherwise]), ty)
            }
            Expr::Cast(to, operand) => {
                let to = int_cell(*to);
                let (a, from) = self.value(*operand)?;
                let kept = match to.bits().checked_sub(from.bits()) {
                    None => a.extract(to.bits() - 1, 0),
                    Some(0) => a.clone(),
                    Some(more) if from.is_signed() => a.sign_ext(more),
                    Some(more) => a.zero_ext(more),
                };
                (self.folded(widened(&kept, to), &[&a]), to.widened())
            }
            Expr::Call(callee, args) => {
                let args =
                    args.iter().map(|arg| self.value(*arg)).collect::<Result<Vec<_>, _>>()?;
                let ret = int(self.task.program.function(*callee).ret);
                (literal(self.call(id, *callee, &args)?, ret.bits()), ret)
            }
        })
    }

    /// `term` as a literal, if its operands are. Where everything is known, that waits until the end
    /// of the statement or step: Z3 sets up anew for every term that it simplifies.
    fn folded(&self, term: BV, operands: &[&BV]) -> BV {
        let is_literal = |operand: &&BV| operand.as_u64().is_some();
        if self.mode == Mode::Solve && operands.iter().all(is_literal) {
            return term.simplify();
        }
        term
    }

    /// What a call returns, where everything that it depends on is known.
    fn call(&mut self, id: ExprId, callee: FuncId, args: &[(BV, WordTy)]) -> Result<i64, Stop> {
        let name = &self.task.program.function(callee).name;
        let params = self.task.program.function(callee).params();
        let value = |((arg, ty), param): (&(BV, WordTy), &Var)| {
            known(arg).map(|word| Scalar::new(param.ty.cell_ty(), ty.wrap(word)))
        };
        let known: Option<Vec<Scalar>> = std::iter::zip(args, params).map(value).collect();
        let Some(known) = known else {
            let why = format!("the arguments of the call of {name} are not known constants");
            return Err(self.unsupported(id, why));
        };
        let Some(globals) = self.globals_for(callee) else {
            let why = format!("the call of {name} reads a global that is not a known constant");
            return Err(self.unsupported(id, why));
        };
        match self.calls.run(callee, &known, &globals) {
            Outcome::Returned(value) => Ok(value.word()),
            Outcome::Undefined(_) | Outcome::Trapped(..) => {
                self.require(Requirement::CallReturns(id), Bool::from_bool(false));
                Ok(0)
            }
            Outcome::OutOfSteps | Outcome::OutOfDepth => {
                Err(self.unsupported(id, format!("the call of {name} does not end soon enough")))
            }
            Outcome::Hole(hole, _) => {
                let hole = hole.index();
                Err(self.unsupported(id, format!("the call of {name} meets the hole ?s{hole}")))
            }
        }
    }

    /// The globals that `callee` reads and that no longer have their initial values; nothing if
    /// one of them is not known.
    fn globals_for(&self, callee: FuncId) -> Option<Vec<(GlobalId, Vec<Scalar>)>> {
        if self.globals.is_empty() {
            return Some(Vec::new());
        }
        let mut changed = Vec::new();
        for id in self.calls.globals_read(callee) {
            let Some(variable) = self.globals.get(&id) else { continue };
            let values = variable.cells()?.iter().map(known);
            let values: Vec<Scalar> = values
                .map(|word| word.map(|word| Scalar::new(variable.elem(), word)))
                .collect::<Option<_>>()?;
            let init = &self.task.program.global(id).init;
            if std::iter::zip(init, &values)
                .any(|(fill, value)| *fill != ConstOrHole::Const(*value))
            {
                changed.push((id, values));
            }
        }
        Some(changed)
    }

    fn require(&mut self, requirement: Requirement, holds: Bool) {
        self.encoding.constraints.push(Constraint { requirement, holds });
    }

    /// Where everything is known, checks the constraints of this step.
    fn end_step(&mut self) -> Result<(), Stop> {
        if self.mode == Mode::Solve {
            return Ok(());
        }
        let constraints = std::mem::take(&mut self.encoding.constraints);
        let all: Vec<&Bool> = constraints.iter().map(|constraint| &constraint.holds).collect();
        if Bool::and(&all).simplify().as_bool() == Some(true) {
            return Ok(());
        }
        let is_broken = |holds: &Bool| holds.simplify().as_bool() != Some(true);
        match constraints.into_iter().find(|constraint| is_broken(&constraint.holds)) {
            None => Ok(()),
            Some(broken) => Err(self.unsatisfied(broken.requirement)),
        }
    }

    /// Where everything is known, only a call can be in the way of going on.
    fn unsupported(&mut self, expr: ExprId, why: String) -> Stop {
        if self.mode == Mode::Solve {
            return Stop::Unsupported { step: self.step, why };
        }
        // A constraint that was broken before says more.
        match self.end_step() {
            Err(stop) => stop,
            Ok(()) => self.unsatisfied(Requirement::CallReturns(expr)),
        }
    }

    fn unsatisfied(&self, requirement: Requirement) -> Stop {
        let step = self.step;
        let block = self.task.path.blocks().get(step).copied().unwrap_or(BlockId::new(0));
        Stop::Unsatisfied(Unsatisfied { step, block, requirement })
    }
}

/// Whether a function has to do with floating-point numbers, which are not encoded.
pub(super) fn has_floats(program: &Program, function: &Function) -> bool {
    let types = ExprTypes::new(program, function);
    let mut found = false;
    function.for_each_expr(|id, _| found |= !types.of(id).is_int());
    let globals = program.globals_named(function).into_iter().map(|id| program.global(id));
    let mut vars = function.vars.iter().chain(globals);
    found || vars.any(|var| var.ty.cell_ty().as_int().is_none())
}

/// The type of a variable's cells.
pub(super) fn cell_ty(var: &Var) -> IntTy {
    int_cell(var.ty.cell_ty())
}

/// The integer type that this is: functions with others are declined.
fn int_cell(ty: ScalarTy) -> IntTy {
    match ty {
        ScalarTy::Int(ty) => ty,
        ScalarTy::Float(_) => unreachable!("functions with floating-point numbers are declined"),
    }
}

/// The integer type that this is: functions with others are declined.
fn int(ty: ValueTy) -> WordTy {
    match ty {
        ValueTy::Int(ty) => ty,
        ValueTy::Float(_) => unreachable!("functions with floating-point numbers are declined"),
    }
}

/// A cell's value as arithmetic sees it.
fn widened(narrow: &BV, elem: IntTy) -> BV {
    let more = elem.widened().bits() - elem.bits();
    match (more, elem.is_signed()) {
        (0, _) => narrow.clone(),
        (_, true) => narrow.sign_ext(more),
        (_, false) => narrow.zero_ext(more),
    }
}

/// The bits of a term that comes down to a literal.
fn known(term: &BV) -> Option<i64> {
    term.as_u64().or_else(|| term.simplify().as_u64()).map(|bits| bits as i64)
}
