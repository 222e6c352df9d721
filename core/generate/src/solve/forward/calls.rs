//! Calls while the engine looks for values: run by the interpreter, within a budget.

use std::cell::Cell;

use pathsmith_symlang::FuncId;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::{Program, Scalar};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome, Visit};

/// All calls of a search together may take this many times the steps that one call may take (a
/// guess: enough to execute a path some dozens of times).
const MAX_RUNS: u64 = 64;

/// After this many calls that do not return within their limit, the search is given up (a guess):
/// other arguments may help, but each try takes as long as a call may take.
const MAX_ENDLESS: u32 = 8;

/// The functions that a function calls.
pub(super) struct Calls {
    code: Code,
    /// What one call may take.
    limits: Limits,
    /// How many steps all further calls may take.
    steps_left: Cell<u64>,
    n_endless: Cell<u32>,
    /// What did not return within its limit.
    endless: Cell<Option<FuncId>>,
}

impl Calls {
    pub(super) fn new(program: &Program, limits: Limits) -> Self {
        Self {
            code: Code::new(program),
            limits,
            steps_left: Cell::new(limits.steps.saturating_mul(MAX_RUNS)),
            n_endless: Cell::new(0),
            endless: Cell::new(None),
        }
    }

    /// What `callee` returns, if it is defined and the budget allows to find out.
    pub(super) fn run(&self, callee: FuncId, args: &[Scalar], dialect: Dialect) -> Option<i64> {
        let steps_left = self.steps_left.get();
        if steps_left == 0 || self.n_endless.get() >= MAX_ENDLESS {
            return None;
        }
        let limits = Limits { steps: self.limits.steps.min(steps_left), ..self.limits };
        let mut n_steps = 0;
        let mut machine = Machine::new(&self.code, dialect);
        let outcome = machine.run_observed(callee, args, limits, &mut |_: &Visit<'_>| n_steps += 1);
        self.steps_left.set(steps_left.saturating_sub(n_steps));
        match outcome {
            Outcome::Returned(value) => Some(value.word()),
            Outcome::OutOfSteps => {
                self.n_endless.set(self.n_endless.get() + 1);
                self.endless.set(Some(callee));
                None
            }
            Outcome::Trapped(..)
            | Outcome::Undefined(_)
            | Outcome::Hole(..)
            | Outcome::OutOfDepth => None,
        }
    }

    /// Why no further call is run, in words.
    pub(super) fn given_up(&self, program: &Program) -> Option<String> {
        let steps = self.limits.steps;
        if self.n_endless.get() >= MAX_ENDLESS {
            let name = self.endless.get().map_or("", |id| &program.function(id).name);
            return Some(format!("calls of `{name}` do not return within {steps} steps"));
        }
        let total = steps.saturating_mul(MAX_RUNS);
        (self.steps_left.get() == 0).then(|| format!("its calls took more than {total} steps"))
    }
}
