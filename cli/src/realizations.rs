//! Checking realizations with the interpreter.

use pathsmith_symlang::lang::{Function, IntTy, Program, Realization};
use pathsmith_symlang::semantics::{Limits, Machine, Outcome};
use pathsmith_symlang::{BlockId, FuncId};

/// Runs a realization, and says why it does not hold if it does not.
pub(crate) fn check(
    program: &Program,
    machine: &mut Machine<'_>,
    function: FuncId,
    realization: &Realization,
    limits: Limits,
) -> Result<(), String> {
    let data = program.function(function);
    match machine.run(function, &realization.args, limits) {
        Outcome::Returned(output) if output != realization.output => Err(format!(
            "expected {}, got {}",
            value(data.ret.into(), realization.output),
            value(data.ret.into(), output),
        )),
        Outcome::Returned(_) => {
            let (expected, actual) = (realization.path.blocks(), machine.path());
            if expected == actual { Ok(()) } else { Err(divergence(data, expected, actual)) }
        }
        other => Err(other.describe(program)),
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

/// A canonical value as a number.
pub(crate) fn value(ty: IntTy, canonical: i64) -> i128 {
    ty.to_wide(canonical)
}

/// A call with its arguments, as text.
pub(crate) fn call(function: &Function, args: &[i64]) -> String {
    let args: Vec<String> = std::iter::zip(function.params(), args)
        .map(|(param, arg)| value(param.ty.elem(), *arg).to_string())
        .collect();
    format!("{}({})", function.name, args.join(", "))
}
