//! Calls on the path whose arguments are known: the interpreter runs them.

use std::collections::BTreeSet;

use crate::solve::{Model, Task};
use pathsmith_symlang::lang::{ConstOrHole, Expr, Program, Scalar};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
use pathsmith_symlang::{FuncId, GlobalId};

/// Runs the functions that a task's function calls.
pub(super) struct Calls<'a> {
    task: &'a Task<'a>,
    model: &'a Model,
    /// The program with all values that are known, and its code, once there is a call.
    known: Option<(Program, Code)>,
}

impl<'a> Calls<'a> {
    pub(super) fn new(task: &'a Task<'a>, model: &'a Model) -> Self {
        Self { task, model, known: None }
    }

    /// The globals that `callee` reads, itself or through others.
    pub(super) fn globals_read(&self, callee: FuncId) -> BTreeSet<GlobalId> {
        let program = self.task.program;
        let mut globals = BTreeSet::new();
        let mut seen = BTreeSet::from([callee]);
        let mut open = vec![callee];
        while let Some(id) = open.pop() {
            let function = program.function(id);
            globals.extend(program.globals_named(function));
            function.for_each_expr(|_, expr| {
                if let Expr::Call(callee, _) = expr
                    && seen.insert(*callee)
                {
                    open.push(*callee);
                }
            });
        }
        globals
    }

    /// Calls `callee` with `args`, with those globals that are listed at other values than their
    /// initial ones.
    pub(super) fn run(
        &mut self,
        callee: FuncId,
        args: &[Scalar],
        globals: &[(GlobalId, Vec<Scalar>)],
    ) -> Outcome {
        let (task, model) = (self.task, self.model);
        let (program, code) = self.known.get_or_insert_with(|| {
            // The function may be among those that are called.
            let mut program = task.program.clone();
            model.fill(&mut program.functions[task.function.index()]);
            let code = Code::new(&program);
            (program, code)
        });
        // One call is around these.
        let limits = Limits { depth: Limits::default().depth - 1, ..Limits::default() };
        if globals.is_empty() {
            return Machine::new(code, task.dialect).run(callee, args, limits);
        }
        let mut program = program.clone();
        for (id, values) in globals {
            let init = values.iter().map(|value| ConstOrHole::Const(*value));
            program.globals[id.index()].init = init.collect();
        }
        Machine::new(&Code::new(&program), task.dialect).run(callee, args, limits)
    }
}
