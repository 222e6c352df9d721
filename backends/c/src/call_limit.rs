//! How long calls may run.

use pathsmith_symlang::FuncId;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::{Expr, Function, Program};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Visit};

/// What a call may take whatever it does, in milliseconds. A guess: a busy machine may not run a
/// process for some time.
const LEAST: u64 = 60;

/// So many steps are allowed for in each millisecond. A thousand take less than one.
const STEPS_PER_MS: u64 = 100;

/// What a call may take at the most, in milliseconds.
const MOST: u64 = 60_000;

/// How many milliseconds a call of each function may run. How many steps it takes is known: those of
/// its path, and if it calls others, what the interpreter counts.
pub(crate) fn call_limits(program: &Program) -> Vec<usize> {
    let mut code = None;
    let limit = |(id, function): (FuncId, &Function)| {
        let calls = function.exprs().iter().any(|expr| matches!(expr, Expr::Call(..)));
        let steps = match calls {
            false => function.realizations.iter().map(|known| known.path.len() as u64).max(),
            true => {
                let code = code.get_or_insert_with(|| Code::new(program));
                longest_run(code, id, function)
            }
        };
        (LEAST + (steps.unwrap_or(0) / STEPS_PER_MS).min(MOST)) as usize
    };
    program.functions_with_ids().map(limit).collect()
}

/// The most steps that a realization takes, those of called functions included.
fn longest_run(code: &Code, id: FuncId, function: &Function) -> Option<u64> {
    let mut machine = Machine::new(code, Dialect::C);
    let steps = function.realizations.iter().map(|known| {
        let mut n_steps = 0;
        let mut count = |_: &Visit<'_>| n_steps += 1;
        machine.run_observed(id, &known.args, Limits::default(), &mut count);
        n_steps
    });
    steps.max()
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::text::parse;

    use super::*;

    #[test]
    fn steps_of_called_functions_count() {
        let text = "dialect c;\n\n\
            fn g(a: i32) -> i32 {\nentry:\n    goto B1;\nB1:\n    a = a + 1;\n    \
            if a < 60000 goto B1 else exit;\nexit:\n    return a;\n}\n\n\
            fn f(b: i32) -> u32 {\nentry:\n    b = g(b);\n    return checksum;\n}\n\
            realize f(0) = 0 via entry;\n";
        let program = parse("test", text).unwrap();
        let limits = call_limits(&program);
        // g has no realizations of its own; f takes all of its 60,000 steps.
        assert_eq!(limits[0], LEAST as usize);
        assert!((600..=700).contains(&limits[1]), "{limits:?}");
    }
}
