//! What linked programs are like, by what happens when they run.

use super::Linked;
use crate::shape::Counts;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::{Expr, Function, Program, Stmt};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Visit};
use pathsmith_symlang::{BlockId, FuncId};

/// Measures of many programs. Whatever is said of runs is said of those of the entry's realizations.
#[derive(Clone, Debug, Default)]
pub struct LinkStats {
    /// How many programs there are.
    pub n_programs: u64,
    /// How many of them have a run in which a function is called before an earlier call of it has
    /// returned.
    pub n_recursive: u64,
    /// How many of them have a run that comes by a call several times within one call of the caller.
    pub n_in_loops: u64,
    /// Functions, guards not counted.
    pub n_functions: u64,
    /// Those of them that some run comes to.
    pub n_functions_run: u64,
    /// Recursion guards.
    pub guards: Counts,
    /// Calls in the text of a program.
    pub calls: Counts,
    /// Calls that take place in a run, those of guards included.
    pub calls_run: Counts,
    /// Steps of a run.
    pub steps: Counts,
    /// The most calls that are nested in each other in a run.
    pub depth: Counts,
}

/// A call that is under way.
struct Activation {
    function: FuncId,
    /// How often it came by each block that has calls.
    visits: Vec<u32>,
}

#[derive(Default)]
struct Watch {
    active: Vec<Activation>,
    n_calls: u64,
    n_steps: u64,
    deepest: u64,
    is_recursive: bool,
    is_in_loop: bool,
}

impl LinkStats {
    /// Counts what a program does.
    pub fn add(&mut self, linked: &Linked) {
        let program = &linked.program;
        let n_functions = program.functions.len() - linked.n_guards;
        let calling: Vec<Vec<bool>> = program.functions.iter().map(calling_blocks).collect();
        let mut is_run = vec![false; program.functions.len()];
        let code = Code::new(program);
        let mut machine = Machine::new(&code, program.dialect.unwrap_or(Dialect::C));
        let (mut is_recursive, mut is_in_loop) = (false, false);
        let entry = FuncId::FIRST;
        for realization in &program.function(entry).realizations {
            let mut watch = Watch::default();
            let mut observe = |visit: &Visit<'_>| {
                is_run[visit.function.index()] = true;
                watch.visit(visit, &calling);
            };
            machine.run_observed(entry, &realization.args, Limits::default(), &mut observe);
            is_recursive |= watch.is_recursive;
            is_in_loop |= watch.is_in_loop;
            self.calls_run.add(watch.n_calls);
            self.steps.add(watch.n_steps);
            self.depth.add(watch.deepest);
        }
        self.n_programs += 1;
        self.n_recursive += u64::from(is_recursive);
        self.n_in_loops += u64::from(is_in_loop);
        self.n_functions += n_functions as u64;
        self.n_functions_run += is_run[..n_functions].iter().filter(|run| **run).count() as u64;
        self.guards.add(linked.n_guards as u64);
        self.calls.add(n_calls(program));
    }
}

impl Watch {
    fn visit(&mut self, visit: &Visit<'_>, calling: &[Vec<bool>]) {
        self.n_steps += 1;
        self.deepest = self.deepest.max(visit.depth as u64);
        self.active.truncate(visit.depth + 1);
        // Nothing leads back to an entry, so a visit of it begins a call.
        if visit.block == BlockId::FIRST {
            self.active.truncate(visit.depth);
            self.n_calls += u64::from(visit.depth > 0);
            self.is_recursive |= self.active.iter().any(|call| call.function == visit.function);
            let visits = vec![0; calling[visit.function.index()].len()];
            self.active.push(Activation { function: visit.function, visits });
        }
        if let Some(call) = self.active.last_mut()
            && calling[visit.function.index()][visit.block.index()]
        {
            call.visits[visit.block.index()] += 1;
            self.is_in_loop |= call.visits[visit.block.index()] > 1;
        }
    }
}

/// The blocks of a function that have calls in them.
fn calling_blocks(function: &Function) -> Vec<bool> {
    let has_call = |root| {
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            let expr = function.expr(id);
            if matches!(expr, Expr::Call(..)) {
                return true;
            }
            stack.extend(expr.operands());
        }
        false
    };
    let blocks = function.blocks.iter().map(|block| {
        let stmts = block.stmts.iter().flat_map(Stmt::roots);
        stmts.chain(block.term.root()).any(has_call)
    });
    blocks.collect()
}

fn n_calls(program: &Program) -> u64 {
    let mut n = 0;
    for function in &program.functions {
        function.for_each_expr(|_, expr| n += u64::from(matches!(expr, Expr::Call(..))));
    }
    n
}
