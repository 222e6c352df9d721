//! Further realizations: other inputs that lead to a defined output.

use crate::solve::ValuePolicy;
use pathsmith_edit::{choose_afresh, choose_nearby};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::{Ending, Program, Realization, Scalar, ScalarTy};
use pathsmith_symlang::semantics::{Limits, Machine, Outcome};
use pathsmith_symlang::{FuncId, VarId};

pathsmith_symlang::knobs! {
    /// How much is tried to find further realizations.
    #[derive(Eq)]
    pub struct RealizeOptions {
        /// Inputs that are tried.
        tries: u32 = 80;
        /// Inputs in a row that may yield nothing.
        patience: u32 = 20;
        /// Realizations that are enough.
        most: u32 = 32;
        /// Realizations that may take a path that another one takes.
        most_alike: u32 = 20;
        /// Steps that a run may take beyond twice those of the first.
        extra_steps: u32 = 8;
    }
}

/// Runs of long paths are fewer: together they take no more steps than about this …
const MAX_STEPS: u64 = 20_000;
/// … but there are at least so many (both are guesses).
const MIN_TRIES: u64 = 8;

/// Runs `function` on inputs derived from those that went well, `first` to begin with, and keeps
/// every input that leads to a defined output: a question with a known answer, for free.
pub(crate) fn more_realizations(
    program: &Program,
    function: FuncId,
    machine: &mut Machine<'_>,
    first: Realization,
    options: &RealizeOptions,
    value_policy: ValuePolicy<'_>,
    rng: &mut Rng,
) -> Vec<Realization> {
    let params = program.function(function).params().iter();
    let types: Vec<ScalarTy> = params.map(|param| param.ty.cell_ty()).collect();
    let n_steps = first.path.len() as u64;
    let steps = 2 * n_steps + u64::from(options.extra_steps);
    let limits = Limits { steps, ..Limits::default() };
    let mut found = vec![first];
    if types.is_empty() {
        return found;
    }
    // The first realization of each path: what is close to a path that was hard to find finds
    // others sooner than what is close to the one that most inputs take.
    let mut pioneers = vec![0];
    let mut n_alike = 0;
    let mut n_in_vain = 0;
    let (mut args, mut input) = (Vec::new(), Vec::new());
    // The words of all inputs that were found, one input after the other.
    let mut known: Vec<i64> = found[0].args.iter().map(|arg| arg.word()).collect();
    let affordable = (MAX_STEPS / n_steps.max(1)).max(MIN_TRIES);
    for _ in 0..affordable.min(options.tries.into()) {
        if found.len() >= options.most as usize || n_in_vain >= options.patience {
            break;
        }
        if choose_bool(0.1, rng) {
            choose_afresh(&types, &mut args, rng);
        } else {
            let base = pioneers[choose_below(pioneers.len(), rng)];
            choose_nearby(&types, &found[base].args, &mut args, rng);
        }
        if let Some(boundary) = &value_policy.knobs.boundary
            && choose_bool(boundary.input_share, rng)
        {
            let at = choose_below(types.len(), rng);
            if let Some(value) = value_policy.choose_input(VarId::new(at), types[at], &args, rng) {
                args[at] = value;
            }
        }
        n_in_vain += 1;
        if known.chunks_exact(args.len()).any(|known| known == args) {
            continue;
        }
        input.clear();
        input.extend(std::iter::zip(&types, &args).map(|(ty, word)| Scalar::new(*ty, *word)));
        if let Outcome::Returned(output) = machine.run(function, &input, limits) {
            let path = machine.path();
            let is_new = pioneers.iter().all(|known| found[*known].path.blocks() != path);
            if is_new {
                pioneers.push(found.len());
            } else if n_alike < options.most_alike {
                n_alike += 1;
            } else {
                continue;
            }
            n_in_vain = 0;
            known.extend_from_slice(&args);
            let path = Path::new(path.to_vec());
            let (args, ending) = (input.clone(), Ending::Returns(output));
            found.push(Realization { args, path, ending, leaving: machine.leaving() });
        }
    }
    found
}
