//! Inputs that a function is known to be defined for.

use pathsmith_symlang::lang::{Program, Scalar};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Visit};
use pathsmith_symlang::{BlockId, FuncId};

/// So many are looked for. A guess: as many realizations as functions often have.
const MAX_INPUTS: usize = 8;

/// Inputs for which a function returns: those of its realizations, or else those that it is called
/// with in runs of the others'.
pub(crate) fn known_inputs(program: &Program, id: FuncId) -> Vec<Vec<Scalar>> {
    let function = program.function(id);
    let returning = function.realizations.iter().filter(|known| known.ending.returned().is_some());
    let realized: Vec<_> = returning.map(|known| known.args.clone()).take(MAX_INPUTS).collect();
    let Some(dialect) = program.dialect.filter(|_| realized.is_empty()) else { return realized };
    let code = Code::new(program);
    let mut machine = Machine::new(&code, dialect);
    let mut found: Vec<Vec<Scalar>> = Vec::new();
    for (caller, function) in program.functions_with_ids() {
        for known in &function.realizations {
            if found.len() >= MAX_INPUTS || known.ending.returned().is_none() {
                continue;
            }
            let mut note = |visit: &Visit<'_>| {
                if visit.function == id && visit.block == BlockId::FIRST {
                    let params = program.function(id).params();
                    let args = std::iter::zip(params, visit.cells);
                    let args = args.map(|(param, word)| Scalar::new(param.ty.cell_ty(), *word));
                    let args: Vec<Scalar> = args.collect();
                    if found.len() < MAX_INPUTS && !found.contains(&args) {
                        found.push(args);
                    }
                }
            };
            machine.run_observed(caller, &known.args, Limits::default(), &mut note);
        }
    }
    found
}
