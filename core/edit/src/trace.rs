//! Running a program while noting everything that it does.
//!
//! The interpreter is made to be fast and sees blocks, not expressions. This one keeps the value of
//! every expression, by its id, and a stack of its own. It is only asked about runs that the
//! interpreter has found to be defined, so what a hazard can do is end the run in a trap; what it
//! tells helps to guess what could be left out, and whether recursion guards keep their word.

use std::ops::ControlFlow;

use pathsmith_symlang::dialect::HazardSet;
use pathsmith_symlang::lang::{
    Cells, ConstOrHole, Expr, ExprTypes, Function, Layout, Place, PlaceForm, Program, Return,
    Scalar, Stmt, Term, VarRef,
};
use pathsmith_symlang::semantics::checksum::Crc32;
use pathsmith_symlang::semantics::eval::{Env, evaluate};
use pathsmith_symlang::{BlockId, ExprId, FuncId, HoleId};

use crate::facts::{Facts, FunctionFacts, MAX_CALLS, Seen};

/// Runs the functions of a program, and notes what they do.
pub(crate) struct Tracer<'p> {
    program: &'p Program,
    /// The hazards that end a run.
    forbidden: HazardSet,
    functions: Vec<Traced<'p>>,
    facts: Facts,
    globals: Vec<i64>,
}

/// A function, made ready to be traced.
struct Traced<'p> {
    /// What to do in each block.
    blocks: Vec<Vec<Step<'p>>>,
    types: ExprTypes,
    layout: Layout,
    /// The words of the cells as a call finds them.
    cells: Vec<i64>,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Evaluate(ExprId),
    Assign(&'p Place, ExprId),
}

struct Frame {
    function: FuncId,
    block: BlockId,
    /// The next step of the block.
    at: usize,
    cells: Vec<i64>,
    values: Vec<i64>,
}

/// The run ends here, because something traps.
struct Trap;

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
        let facts = program.functions_with_ids().map(|(id, _)| FunctionFacts::none(program, id));
        Self {
            program,
            forbidden: program.dialect.map_or(HazardSet::NONE, |dialect| dialect.forbidden()),
            functions: program.functions.iter().map(|f| Traced::new(program, f)).collect(),
            facts: Facts { functions: facts.collect() },
            globals: Vec::new(),
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
    pub(crate) fn run(&mut self, function: FuncId, args: &[Scalar]) {
        self.globals = self.program.globals.iter().flat_map(|var| &var.init).map(word).collect();
        let mut callers: Vec<Frame> = Vec::new();
        let mut frame = self.called(function, args.to_vec());
        loop {
            let steps = &self.functions[frame.function.index()].blocks[frame.block.index()];
            let Some(step) = steps.get(frame.at) else {
                let ControlFlow::Break(output) = self.leave(&mut frame) else { continue };
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
                    let Ok((cells, cell)) = self.cell(&frame, place) else { return };
                    let stored = cells.ty.stored(frame.values[value.index()]);
                    match place.var() {
                        VarRef::Var(_) => frame.cells[cell] = stored,
                        VarRef::Global(_) => self.globals[cell] = stored,
                    }
                    frame.at += 1;
                }
                Step::Evaluate(id) => {
                    if let Expr::Call(callee, args) = self.function(&frame).expr(id) {
                        let params = self.program.function(*callee).params();
                        let args = std::iter::zip(params, args).map(|(param, arg)| {
                            Scalar::new(param.ty.cell_ty(), frame.values[arg.index()])
                        });
                        let called = self.called(*callee, args.collect());
                        callers.push(std::mem::replace(&mut frame, called));
                    } else {
                        let types = &self.functions[frame.function.index()].types;
                        let expr = self.function(&frame).expr(id);
                        let meaning =
                            evaluate(expr, types, &mut At { tracer: self, frame: &frame });
                        let Ok(meaning) = meaning else { return };
                        if !meaning.hazards.and(self.forbidden).is_empty() {
                            return;
                        }
                        self.note(&mut frame, id, meaning.word);
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
    fn called(&mut self, id: FuncId, args: Vec<Scalar>) -> Frame {
        let traced = &self.functions[id.index()];
        let mut cells = traced.cells.clone();
        for (cell, arg) in std::iter::zip(&mut cells, &args) {
            *cell = arg.word();
        }
        let values = vec![0; self.program.function(id).n_exprs()];
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

    fn note(&mut self, frame: &mut Frame, expr: ExprId, word: i64) {
        frame.values[expr.index()] = word;
        let facts = &mut self.facts.functions[frame.function.index()];
        Seen::note(&mut facts.values[expr.index()], word);
    }

    /// The cells that a place belongs to, and which of them it is.
    fn cell(&self, frame: &Frame, place: &Place) -> Result<(Cells, usize), Trap> {
        let layout = &self.functions[frame.function.index()].layout;
        let (cells, index) = match place.form() {
            PlaceForm::Scalar(var) => (layout.cells(var), 0),
            PlaceForm::Element(var, index) => (layout.cells(var), frame.values[index.index()]),
        };
        Ok((cells, cells.element(index).ok_or(Trap)?))
    }

    /// Goes on to the next block, or breaks with what is returned.
    fn leave(&mut self, frame: &mut Frame) -> ControlFlow<i64> {
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
                cases.iter().find(|(label, _)| word(label) == on).map_or(*default, |case| case.1)
            }
            Term::Return(Return::Value(id)) => return ControlFlow::Break(of(id)),
            Term::Return(Return::Checksum | Return::ChecksumOf(_)) => {
                return ControlFlow::Break(self.checksum(frame));
            }
        };
        let facts = &mut self.facts.functions[frame.function.index()];
        let taken = &mut facts.taken[frame.block.index()];
        if !taken.contains(&target) {
            taken.push(target);
        }
        facts.n_visits += 1;
        facts.visits[target.index()] += 1;
        (frame.block, frame.at) = (target, 0);
        ControlFlow::Continue(())
    }

    fn checksum(&self, frame: &Frame) -> i64 {
        let function = self.function(frame);
        let layout = &self.functions[frame.function.index()].layout;
        let mut crc = Crc32::new();
        let mut add = |memory: &[i64], cells: Cells| {
            memory[cells.range()].iter().for_each(|word| crc.add(cells.ty, *word));
        };
        for var in self.program.checksum_vars(function) {
            match var {
                VarRef::Var(_) => add(&frame.cells, layout.cells(var)),
                VarRef::Global(_) => add(&self.globals, layout.cells(var)),
            }
        }
        crc.value().into()
    }
}

/// Where a traced run stands.
struct At<'a, 'p> {
    tracer: &'a Tracer<'p>,
    frame: &'a Frame,
}

impl Env for At<'_, '_> {
    type Error = Trap;

    fn operand(&mut self, id: ExprId) -> Result<i64, Trap> {
        Ok(self.frame.values[id.index()])
    }

    fn read(&mut self, place: &Place) -> Result<i64, Trap> {
        let (_, cell) = self.tracer.cell(self.frame, place)?;
        Ok(match place.var() {
            VarRef::Var(_) => self.frame.cells[cell],
            VarRef::Global(_) => self.tracer.globals[cell],
        })
    }

    /// What has holes is not run.
    fn hole(&mut self, _: HoleId) -> Result<i64, Trap> {
        Ok(0)
    }

    /// Calls have frames of their own.
    fn call(&mut self, _: FuncId, _: &[ExprId]) -> Result<i64, Trap> {
        Ok(0)
    }
}

impl<'p> Traced<'p> {
    fn new(program: &'p Program, function: &'p Function) -> Self {
        let layout = Layout::new(program, function);
        let mut cells = vec![0; layout.n_cells()];
        for (var, at) in std::iter::zip(&function.vars, layout.vars()) {
            for (cell, fill) in std::iter::zip(&mut cells[at.range()], &var.init) {
                *cell = word(fill);
            }
        }
        let mut blocks = Vec::with_capacity(function.blocks.len());
        for block in &function.blocks {
            let mut steps = Vec::new();
            for stmt in &block.stmts {
                stmt.roots().for_each(|root| evaluations(function, root, &mut steps));
                let Stmt::Assign { place, value } = stmt;
                steps.push(Step::Assign(place, *value));
            }
            block.term.root().into_iter().for_each(|root| evaluations(function, root, &mut steps));
            blocks.push(steps);
        }
        Self { blocks, types: ExprTypes::new(program, function), layout, cells }
    }
}

/// Adds the evaluation of `root`, operands first.
fn evaluations(function: &Function, root: ExprId, steps: &mut Vec<Step<'_>>) {
    for operand in function.expr(root).operands() {
        evaluations(function, operand, steps);
    }
    steps.push(Step::Evaluate(root));
}

fn word(fill: &ConstOrHole) -> i64 {
    match fill {
        ConstOrHole::Const(value) => value.word(),
        ConstOrHole::Hole(_) => 0,
    }
}
