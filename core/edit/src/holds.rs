//! Whether realizations hold, and why not.

use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::{Function, Program, Realization, Scalar};
use pathsmith_symlang::semantics::{Code, Limits, Machine};
use pathsmith_symlang::{BlockId, FuncId};

/// Runs all realizations of a valid program, and returns how many there are.
///
/// # Errors
/// The first call that does not end as its realization says, and how it ends.
pub fn check_realizations(
    program: &Program,
    dialect: Dialect,
    limits: Limits,
) -> Result<usize, String> {
    let code = Code::new(program);
    let mut machine = Machine::new(&code, dialect);
    let mut n_checked = 0;
    for (id, function) in program.functions_with_ids() {
        for realization in &function.realizations {
            check_realization(program, &mut machine, id, realization, limits).map_err(|why| {
                format!("{} does not hold: {why}", call_text(function, &realization.args))
            })?;
            n_checked += 1;
        }
    }
    Ok(n_checked)
}

/// Runs a realization, and says why it does not hold if it does not.
///
/// # Errors
/// How the run differs from the realization.
pub fn check_realization(
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
pub fn call_text(function: &Function, args: &[Scalar]) -> String {
    let args: Vec<String> = args.iter().map(Scalar::to_string).collect();
    format!("{}({})", function.name, args.join(", "))
}
