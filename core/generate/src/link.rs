//! Whole programs: a call graph over solved functions, and calls in the place of constants.
//!
//! [`link`] draws functions from a [`Pool`] and a call graph of any shape, and replaces constants of
//! callers by `f(i) + (c - o)`, where `o` is what `f` is known to return for `i`. Nothing else
//! changes, so every function still takes the paths that it took alone. Where calls could go in
//! circles they pass a [`RecursionGuard`], which ends them with the known output after some rounds.

mod measure;
mod options;
mod plan;
mod pool;
mod rewrite;

pub use measure::LinkStats;
pub use options::LinkOptions;
pub use pool::{Pool, PoolError};

use thiserror::Error;

use self::plan::{CallPlace, LinkPlan, plan};
use self::rewrite::{Callee, put_free_call, put_known_call};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::lang::{
    ConstOrHole, Expr, Function, Program, RecursionGuard, Scalar, Var, VarTy,
};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
use pathsmith_symlang::{FuncId, GlobalId};

/// A program that was linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linked {
    /// The program: first the entry, which is its `main`, then the other functions, then guards.
    /// All realizations that it carries were run.
    pub program: Program,
    /// How many of its functions are guards.
    pub n_guards: usize,
}

/// Why there is no program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkError {
    /// There are fewer functions than are asked for.
    #[error("the pool has {actual} functions, but a program needs {needed}")]
    PoolTooSmall {
        /// How many are needed.
        needed: usize,
        /// How many there are.
        actual: usize,
    },
    /// The interpreter does not agree with what should come out: a bug of our own, or a pool whose
    /// realizations do not hold.
    #[error("the interpreter does not agree with {call}: {why}")]
    Unsound {
        /// The realization.
        call: String,
        /// How its run ended.
        why: String,
    },
}

/// Links functions of `pool` into a program whose entry is called `name`.
///
/// # Errors
/// If the pool is too small, or holds what is not true.
pub fn link(
    pool: &Pool,
    options: &LinkOptions,
    name: &str,
    rng: &mut Rng,
) -> Result<Linked, LinkError> {
    let (needed, actual) = (options.functions as usize, pool.len());
    if needed > actual || needed == 0 {
        return Err(LinkError::PoolTooSmall { needed: needed.max(1), actual });
    }
    let mut plan = plan(pool, options, rng);
    let mut program = write(pool, options, &plan, name, rng);
    let limits = Limits { steps: plan.steps, depth: options.depth as usize };
    loop {
        match check(&program, pool, limits) {
            Ok(()) => break,
            // Recursion guards that pass on less take recursion less deep; without any, it is not there.
            Err((_, Outcome::OutOfDepth)) if plan.guards.iter().any(|guard| guard.rounds > 0) => {
                plan.guards.iter_mut().for_each(|guard| guard.rounds /= 2);
                write_guards(&mut program, pool, &plan, name);
            }
            Err((call, outcome)) => {
                return Err(LinkError::Unsound { call, why: outcome.describe(&program) });
            }
        }
    }
    Ok(Linked { program, n_guards: plan.guards.len() })
}

/// Writes down what is planned.
fn write(
    pool: &Pool,
    options: &LinkOptions,
    plan: &LinkPlan,
    name: &str,
    rng: &mut Rng,
) -> Program {
    let n_functions = plan.functions.len() + plan.guards.len();
    let mut program = Program {
        dialect: Some(pool.dialect),
        functions: Vec::with_capacity(n_functions),
        main: Some(FuncId::FIRST),
        ..Program::default()
    };
    for (index, chosen) in plan.functions.iter().enumerate() {
        let mut function = write_function(pool, plan, index, rng);
        function.name = function_name(name, index);
        let member = &pool.members[chosen.member];
        let n_kept = match index {
            0 => chosen.used.len(),
            _ => chosen.used.len().min(options.other_realizations as usize),
        };
        let kept = chosen.used[..n_kept].iter().map(|nth| member.realizations[*nth].clone());
        function.realizations = kept.collect();
        program.functions.push(function);
    }
    write_guards(&mut program, pool, plan, name);
    program
}

fn function_name(name: &str, index: usize) -> String {
    if index == 0 { name.to_owned() } else { format!("{name}_{index}") }
}

/// Writes the guards behind all other functions, in the place of what is there.
fn write_guards(program: &mut Program, pool: &Pool, plan: &LinkPlan, name: &str) {
    program.functions.truncate(plan.functions.len());
    program.globals.clear();
    for (index, planned) in plan.guards.iter().enumerate() {
        let body = &program.functions[planned.callee];
        let member = &pool.members[plan.functions[planned.callee].member];
        let guard = RecursionGuard {
            counter: GlobalId::new(index),
            rounds: planned.rounds,
            body: FuncId::new(planned.callee),
            output: member.output(planned.realization),
        };
        let guard_name = format!("{}_r{}", body.name, planned.realization);
        let function = guard.function(guard_name, body);
        program.globals.push(Var {
            name: format!("{name}_n{index}"),
            ty: VarTy::scalar(RecursionGuard::COUNTER_TY),
            init: vec![ConstOrHole::Const(Scalar::new(RecursionGuard::COUNTER_TY, 0))],
        });
        program.functions.push(function);
    }
}

/// A function with its calls.
fn write_function(pool: &Pool, plan: &LinkPlan, index: usize, rng: &mut Rng) -> Function {
    let member = &pool.members[plan.functions[index].member];
    let mut function = member.function.clone();
    function.reserve_exprs(plan.calls[index].len() * 12);
    // The constants that came with each call.
    let mut fresh = Vec::with_capacity(plan.calls[index].len());
    for call in &plan.calls[index] {
        let called = &pool.members[plan.functions[call.callee].member];
        let id = call.guard.map_or(call.callee, |guard| plan.functions.len() + guard);
        let callee = Callee { id: FuncId::new(id), function: &called.function };
        let at = match call.place {
            CallPlace::Site(site) => member.sites[site].expr,
            CallPlace::Inside(outer) => {
                let inside: &Vec<_> = &fresh[outer];
                inside[choose_below(inside.len(), rng)]
            }
        };
        // Sites are constants, each is used once, and calls bring at least one constant along.
        let &Expr::Const(constant) = function.expr(at) else {
            fresh.push(Vec::new());
            continue;
        };
        match call.realization {
            Some(nth) => fresh.push(put_known_call(
                &mut function,
                at,
                constant,
                callee,
                (&called.realizations[nth].args, called.output(nth)),
                pool.dialect,
                rng,
            )),
            None => {
                put_free_call(&mut function, at, constant, callee, &member.scalars, rng);
                fresh.push(Vec::new());
            }
        }
    }
    function
}

/// Runs all realizations of a program; gives the first that does not come out as it should.
fn check(program: &Program, pool: &Pool, limits: Limits) -> Result<(), (String, Outcome)> {
    let code = Code::new(program);
    let mut machine = Machine::new(&code, pool.dialect);
    for (id, function) in program.functions_with_ids() {
        for realization in &function.realizations {
            let outcome = machine.run(id, &realization.args, limits);
            let is_same = |ending| realization.same_result(ending, machine.leaving());
            let holds = outcome.ending().is_some_and(is_same)
                && machine.path() == realization.path.blocks();
            if !holds {
                let args: Vec<String> = realization.args.iter().map(Scalar::to_string).collect();
                return Err((format!("{}({})", function.name, args.join(", ")), outcome));
            }
        }
    }
    Ok(())
}
