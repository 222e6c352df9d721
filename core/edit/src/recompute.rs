//! From an edited program to one that can be relied on.

use crate::facts::Facts;
use crate::trace::Tracer;
use pathsmith_symlang::FuncId;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::{
    ConstOrHole, Ending, Program, RecursionGuard, Scalar, validate_changed,
};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};

/// How often the outputs of guards are put right before a program is given up.
const MAX_CORRECTIONS: usize = 4;

/// Whether a program keeps all rules of the language, those about paths and outputs aside.
pub fn is_valid(program: &mut Program) -> bool {
    let all: Vec<FuncId> = program.functions_with_ids().map(|(id, _)| id).collect();
    is_valid_but_for(program, &all)
}

/// As [`is_valid`], for a program that is valid but for these functions, in order.
pub(crate) fn is_valid_but_for(program: &mut Program, changed: &[FuncId]) -> bool {
    let realizations: Vec<_> =
        program.functions.iter_mut().map(|f| std::mem::take(&mut f.realizations)).collect();
    let is_valid = validate_changed(program, changed).is_empty();
    for (function, realizations) in std::iter::zip(&mut program.functions, realizations) {
        function.realizations = realizations;
    }
    is_valid
}

/// Runs all realizations of a valid program and writes down the paths they take and what they
/// return. `None` if there are none, if one is not defined in the program's dialect or does not
/// come to its end within `limits`, if one that returned traps or the other way round, or if a
/// recursion guard does not keep its word.
pub fn recompute_realizations(mut program: Program, limits: Limits) -> Option<Program> {
    let dialect = program.dialect?;
    if program.functions.iter().all(|function| function.realizations.is_empty()) {
        return None;
    }
    let has_guards = (0..program.functions.len()).any(|id| is_guard(&program, FuncId::new(id)));
    for _ in 0..MAX_CORRECTIONS {
        run_all(&mut program, dialect, limits)?;
        if !has_guards {
            return Some(program);
        }
        match check_guards(&program, dialect, limits) {
            Guards::Sound => return Some(program),
            Guards::Other(guard, output) => set_guard_output(&mut program, guard, output),
            Guards::Unsound => return None,
        }
    }
    None
}

fn is_guard(program: &Program, id: FuncId) -> bool {
    RecursionGuard::of(program, id).is_some()
}

fn run_all(program: &mut Program, dialect: Dialect, limits: Limits) -> Option<()> {
    let code = Code::new(program);
    let mut machine = Machine::new(&code, dialect);
    for (at, function) in program.functions.iter_mut().enumerate() {
        for realization in &mut function.realizations {
            let outcome = machine.run(FuncId::new(at), &realization.args, limits);
            let ending = outcome.ending()?;
            if !ends_alike(realization.ending, ending) {
                return None;
            }
            realization.ending = ending;
            realization.leaving = realization.leaving.and_then(|_| machine.leaving());
            realization.path = Path::new(machine.path().to_vec());
        }
    }
    Some(())
}

/// Whether an edit may make a realization that ended so end otherwise. Another value will do, but
/// what returned still has to return: a trap is another test, even in a dialect that defines it.
pub(crate) fn ends_alike(before: Ending, now: Ending) -> bool {
    match (before, now) {
        (Ending::Returns(_), Ending::Returns(_)) => true,
        (Ending::Traps(before), Ending::Traps(now)) => before == now,
        (Ending::Returns(_), Ending::Traps(_)) | (Ending::Traps(_), Ending::Returns(_)) => false,
    }
}

/// What was found out about the guards of a program.
enum Guards {
    /// Each returns at once what its function returns.
    Sound,
    /// This one would have to return this.
    Other(FuncId, Scalar),
    /// One would have to return several values, or is called too often to tell.
    Unsound,
}

/// Holds what guards return at once against what their functions return, for all arguments that the
/// guards are called with, whether the call was passed on or not.
fn check_guards(program: &Program, dialect: Dialect, limits: Limits) -> Guards {
    if assigns_globals(program) {
        // What a function behind a recursion guard returns may then depend on when it is called.
        return Guards::Unsound;
    }
    let code = Code::new(program);
    let mut machine = Machine::new(&code, dialect);
    let mut tracer = Tracer::new(program);
    for (id, function) in program.functions_with_ids() {
        function.realizations.iter().for_each(|realization| tracer.run(id, &realization.args));
    }
    let mut checked: Vec<(FuncId, Vec<Scalar>)> = Vec::new();
    // Running what is behind a recursion guard may call guards with arguments that were not seen before.
    loop {
        let facts = tracer.facts();
        let Some((id, guard, args)) = next_call(facts, &checked) else { return Guards::Sound };
        if facts.function(id).too_many_calls {
            return Guards::Unsound;
        }
        let Outcome::Returned(output) = machine.run(guard.body, &args, limits) else {
            return Guards::Unsound;
        };
        if output != guard.output {
            return if checked.iter().any(|(known, _)| *known == id) {
                Guards::Unsound
            } else {
                Guards::Other(id, output)
            };
        }
        tracer.run(guard.body, &args);
        checked.push((id, args));
    }
}

fn next_call(
    facts: &Facts,
    checked: &[(FuncId, Vec<Scalar>)],
) -> Option<(FuncId, RecursionGuard, Vec<Scalar>)> {
    facts.functions.iter().enumerate().find_map(|(at, function)| {
        let (id, guard) = (FuncId::new(at), function.guard?);
        let is_new = |args: &&Vec<Scalar>| !checked.iter().any(|(g, a)| *g == id && a == *args);
        function.calls.iter().find(is_new).map(|args| (id, guard, args.clone()))
    })
}

/// Whether something other than a recursion guard assigns to a global.
fn assigns_globals(program: &Program) -> bool {
    program
        .functions_with_ids()
        .any(|(id, function)| function.writes_global() && !is_guard(program, id))
}

/// Makes a recursion guard return `output` at once.
pub fn set_guard_output(program: &mut Program, guard: FuncId, output: Scalar) {
    let function = &mut program.functions[guard.index()];
    let out = function.n_params;
    if let Some(out) = function.vars.get_mut(out) {
        out.init = vec![ConstOrHole::Const(output)];
    }
}
