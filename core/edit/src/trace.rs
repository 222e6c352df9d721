//! Running a program while noting everything that it does.
//!
//! The interpreter is made to be fast and sees blocks, not expressions. This one keeps the value of
//! every expression, by its id, and a stack of its own. It is only asked about programs that the
//! interpreter has found to be defined, so it looks at no hazards; what it tells helps to guess
//! what could be left out, and whether gates keep their word.

use crate::facts::{Facts, FunctionFacts, MAX_CALLS, Seen};
use pathsmith_symlang::lang::{
    ConstOrHole, Expr, Function, Place, Program, Return, Term, VarRef, WordTy,
};
use pathsmith_symlang::semantics::checksum::Crc32;
use pathsmith_symlang::semantics::table;
use pathsmith_symlang::{BlockId, ExprId, FuncId};

/// Runs the functions of a program, and notes what they do.
pub(crate) struct Tracer<'p> {
    program: &'p Program,
    functions: Vec<Plan>,
    facts: Facts,
    globals: Vec<i64>,
    global_starts: Vec<usize>,
}

/// A function, made ready to be traced.
struct Plan {
    /// What to do in each block.
    blocks: Vec<Vec<Step>>,
    /// The type that each expression's operator works in: that of its first operand.
    types: Vec<WordTy>,
    /// Where the cells of each variable begin.
    starts: Vec<usize>,
    /// The cells as a call finds them.
    cells: Vec<i64>,
}

#[derive(Clone, Copy)]
enum Step {
    Evaluate(ExprId),
    Assign(Place, ExprId),
}

struct Frame {
    function: FuncId,
    block: BlockId,
    /// The next step of the block.
    at: usize,
    cells: Vec<i64>,
    values: Vec<i64>,
}

impl Facts {
    /// What `program`, which was found to be defined, does on its realizations.
    pub fn new(program: &Program) -> Self {
        let mut tracer = Tracer::new(program);
        for (id, function) in program.functions_with_ids() {
            for realization in &function.realizations {
                tracer.run(id, &realization.args);
            }
        }
        tracer.finish()
    }
}

impl<'p> Tracer<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        let mut n_cells = 0;
        let starts = program.globals.iter().map(|global| {
            let start = n_cells;
            n_cells += global.ty.n_cells();
            start
        });
        let global_starts = starts.collect();
        let facts = program.functions_with_ids().map(|(id, _)| FunctionFacts::none(program, id));
        Self {
            program,
            functions: program.functions.iter().map(|f| Plan::new(program, f)).collect(),
            facts: Facts { functions: facts.collect() },
            globals: Vec::new(),
            global_starts,
        }
    }

    /// What was seen so far.
    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// What was seen in all runs.
    pub(crate) fn finish(self) -> Facts {
        self.facts
    }

    /// Calls `function` with all globals at their initial values. The call has to be defined.
    pub(crate) fn run(&mut self, function: FuncId, args: &[i64]) {
        self.globals = self.program.globals.iter().flat_map(|var| &var.init).map(value).collect();
        let mut callers: Vec<Frame> = Vec::new();
        let mut frame = self.called(function, args);
        loop {
            let steps = &self.functions[frame.function.index()].blocks[frame.block.index()];
            let Some(step) = steps.get(frame.at) else {
                let Some(output) = self.leave(&mut frame) else { continue };
                let facts = &mut self.facts.functions[frame.function.index()];
                Seen::note(&mut facts.returned, output);
                let Some(caller) = callers.pop() else { return };
                frame = caller;
                let steps = &self.functions[frame.function.index()].blocks[frame.block.index()];
                if let Some(Step::Evaluate(call)) = steps.get(frame.at) {
                    self.note(&mut frame, *call, output);
                }
                frame.at += 1;
                continue;
            };
            match *step {
                Step::Assign(place, value) => {
                    let ty = self.program.var(self.function(&frame), place.var()).ty.elem();
                    let stored = ty.wrap(frame.values[value.index()]);
                    *self.cell(&mut frame, place) = stored;
                    frame.at += 1;
                }
                Step::Evaluate(id) => {
                    if let Expr::Call(callee, args) = self.function(&frame).expr(id) {
                        let args: Vec<i64> =
                            args.iter().map(|arg| frame.values[arg.index()]).collect();
                        let called = self.called(*callee, &args);
                        callers.push(std::mem::replace(&mut frame, called));
                    } else {
                        let value = self.evaluate(&mut frame, id);
                        self.note(&mut frame, id, value);
                        frame.at += 1;
                    }
                }
            }
        }
    }

    fn function(&self, frame: &Frame) -> &'p Function {
        self.program.function(frame.function)
    }

    /// The frame of a new call.
    fn called(&mut self, id: FuncId, args: &[i64]) -> Frame {
        let (function, plan) = (self.program.function(id), &self.functions[id.index()]);
        let mut cells = plan.cells.clone();
        let args: Vec<i64> = std::iter::zip(args, function.params())
            .map(|(arg, param)| param.ty.elem().wrap(*arg))
            .collect();
        cells[..args.len()].copy_from_slice(&args);
        let values = vec![0; plan.types.len()];
        let facts = &mut self.facts.functions[id.index()];
        if !facts.calls.contains(&args) {
            facts.too_many_calls |= facts.calls.len() == MAX_CALLS;
            facts.calls.truncate(MAX_CALLS - 1);
            facts.calls.push(args);
        }
        facts.n_visits += 1;
        facts.visits[0] += 1;
        Frame { function: id, block: BlockId::FIRST, at: 0, cells, values }
    }

    fn note(&mut self, frame: &mut Frame, expr: ExprId, value: i64) {
        frame.values[expr.index()] = value;
        let facts = &mut self.facts.functions[frame.function.index()];
        Seen::note(&mut facts.values[expr.index()], value);
    }

    fn evaluate(&mut self, frame: &mut Frame, id: ExprId) -> i64 {
        let ty = self.functions[frame.function.index()].types[id.index()];
        let of = |id: &ExprId| frame.values[id.index()];
        match self.function(frame).expr(id) {
            Expr::Const(constant) => constant.value(),
            Expr::Read(place) => *self.cell(frame, *place),
            Expr::Unary(op, a) => table::unary(*op, ty, of(a)).value,
            Expr::Binary(op, a, b) => table::binary(*op, ty, of(a), of(b)).value,
            Expr::Select(cond, then, otherwise) => {
                if of(cond) != 0 {
                    of(then)
                } else {
                    of(otherwise)
                }
            }
            Expr::Cast(to, a) => to.wrap(of(a)),
            // Calls have frames of their own, and what has holes is not run.
            Expr::Call(..) | Expr::Hole(..) => 0,
        }
    }

    fn cell<'a>(&'a mut self, frame: &'a mut Frame, place: Place) -> &'a mut i64 {
        let index = place.index().map_or(0, |index| frame.values[index.index()] as usize);
        match place.var() {
            VarRef::Var(id) => {
                let start = self.functions[frame.function.index()].starts[id.index()];
                &mut frame.cells[start + index]
            }
            VarRef::Global(id) => &mut self.globals[self.global_starts[id.index()] + index],
        }
    }

    /// Goes on to the next block, or gives what is returned.
    fn leave(&mut self, frame: &mut Frame) -> Option<i64> {
        let function = self.function(frame);
        let of = |id: &ExprId| frame.values[id.index()];
        let target = match &function.block(frame.block).term {
            Term::Goto(target) => *target,
            Term::If { cond, then, otherwise } => {
                let holds = of(cond) != 0;
                let steps = &self.functions[frame.function.index()].blocks[frame.block.index()];
                let facts = &mut self.facts.functions[frame.function.index()];
                for step in steps.iter().rev() {
                    let Step::Evaluate(part) = step else { break };
                    Seen::note(&mut facts.decided[part.index()][usize::from(holds)], of(part));
                }
                if holds { *then } else { *otherwise }
            }
            Term::Switch { on, cases, default } => {
                let on = of(on);
                cases.iter().find(|(label, _)| value(label) == on).map_or(*default, |case| case.1)
            }
            Term::Return(Return::Value(id)) => return Some(of(id)),
            Term::Return(Return::Checksum) => return Some(self.checksum(frame)),
        };
        let facts = &mut self.facts.functions[frame.function.index()];
        let taken = &mut facts.taken[frame.block.index()];
        if !taken.contains(&target) {
            taken.push(target);
        }
        facts.n_visits += 1;
        facts.visits[target.index()] += 1;
        (frame.block, frame.at) = (target, 0);
        None
    }

    fn checksum(&self, frame: &Frame) -> i64 {
        let function = self.function(frame);
        let mut crc = Crc32::new();
        let mut cells = frame.cells.iter();
        for var in &function.vars {
            cells.by_ref().take(var.ty.n_cells()).for_each(|cell| crc.add(var.ty.elem(), *cell));
        }
        for id in self.program.globals_named(function) {
            let (start, ty) = (self.global_starts[id.index()], self.program.global(id).ty);
            let cells = &self.globals[start..start + ty.n_cells()];
            cells.iter().for_each(|cell| crc.add(ty.elem(), *cell));
        }
        crc.value().into()
    }
}

impl Plan {
    fn new(program: &Program, function: &Function) -> Self {
        let mut types = vec![WordTy::I32; function.n_exprs()];
        function.for_each_expr(|id, expr| {
            types[id.index()] = match expr {
                Expr::Unary(_, a) | Expr::Binary(_, a, _) => program.expr_ty(function, *a),
                _ => WordTy::I32,
            };
        });
        let (mut starts, mut cells) = (Vec::new(), Vec::new());
        for var in &function.vars {
            starts.push(cells.len());
            cells.extend(var.init.iter().map(value));
            cells.resize(starts[starts.len() - 1] + var.ty.n_cells(), 0);
        }
        let mut blocks = Vec::with_capacity(function.blocks.len());
        for block in &function.blocks {
            let mut steps = Vec::new();
            for stmt in &block.stmts {
                for root in stmt.place.index().into_iter().chain([stmt.value]) {
                    evaluations(function, root, &mut steps);
                }
                steps.push(Step::Assign(stmt.place, stmt.value));
            }
            block.term.root().into_iter().for_each(|root| evaluations(function, root, &mut steps));
            blocks.push(steps);
        }
        Self { blocks, types, starts, cells }
    }
}

/// Adds the evaluation of `root`, operands first.
fn evaluations(function: &Function, root: ExprId, steps: &mut Vec<Step>) {
    for operand in function.expr(root).operands() {
        evaluations(function, operand, steps);
    }
    steps.push(Step::Evaluate(root));
}

fn value(fill: &ConstOrHole) -> i64 {
    match fill {
        ConstOrHole::Value(value) => *value,
        ConstOrHole::Hole(_) => 0,
    }
}
