//! Checking realizations with the interpreter.

use crate::errors::Failure;
use crate::input::Input;
use crate::options::RunOptions;
use pathsmith_symlang::lang::{Function, Program, Realization, Scalar};
use pathsmith_symlang::semantics::{Code, Limits, Machine};
use pathsmith_symlang::{BlockId, FuncId};

/// Runs a realization, and says why it does not hold if it does not.
pub(crate) fn check(
    program: &Program,
    machine: &mut Machine<'_>,
    function: FuncId,
    realization: &Realization,
    limits: Limits,
) -> Result<(), String> {
    let outcome = machine.run(function, &realization.args, limits);
    let Some(actual) = outcome.ending() else { return Err(outcome.describe(program)) };
    if !actual.same_result(realization.ending) {
        return Err(format!("expected {}, got {actual}", realization.ending));
    }
    let leaving = machine.leaving();
    if !realization.same_result(actual, leaving) {
        let shown = |crc: Option<u32>| crc.map_or("nothing".to_owned(), |crc| crc.to_string());
        let (expected, actual) = (shown(realization.leaving), shown(leaving));
        return Err(format!("expected to leave {expected} in the globals, got {actual}"));
    }
    let (expected, actual) = (realization.path.blocks(), machine.path());
    match expected == actual {
        true => Ok(()),
        false => Err(divergence(program.function(function), expected, actual)),
    }
}

fn divergence(function: &Function, expected: &[BlockId], actual: &[BlockId]) -> String {
    let common = std::iter::zip(expected, actual).take_while(|(a, b)| a == b).count();
    let name = |path: &[BlockId]| match path.get(common) {
        Some(block) => function.block(*block).name.clone(),
        None => "the end".to_owned(),
    };
    format!("at step {common}, expected block {}, got {}", name(expected), name(actual))
}

/// A call with its arguments, as text.
pub(crate) fn call(function: &Function, args: &[Scalar]) -> String {
    let args: Vec<String> = args.iter().map(Scalar::to_string).collect();
    format!("{}({})", function.name, args.join(", "))
}

/// The program of a file, with its dialect, if it has realizations and all of them hold.
pub(crate) fn holding(file: &Input, run: &RunOptions) -> Result<Program, Failure> {
    let mut program = file.program()?;
    program.dialect = Some(run.dialect(&program));
    let code = Code::new(&program);
    let mut machine = Machine::new(&code, run.dialect(&program));
    let mut has_any = false;
    for (id, function) in program.functions_with_ids() {
        for realization in &function.realizations {
            has_any = true;
            check(&program, &mut machine, id, realization, run.limits()).map_err(|why| {
                let call = call(function, &realization.args);
                Failure::Input(format!("{}: {call} does not hold: {why}", file.name()))
            })?;
        }
    }
    if !has_any {
        let message = "there is no realization; write, say, `realize f(1) = 2 via entry;`";
        return Err(Failure::Input(format!("{}: {message}", file.name())));
    }
    Ok(program)
}
