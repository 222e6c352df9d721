//! Further realizations: other inputs that lead to a defined output.

use rand::RngExt;

use super::config::RealizeOptions;
use crate::choose::{choose_below, choose_bool};
use crate::ids::FuncId;
use crate::lang::{Program, Realization, StorageTy};
use crate::seed::Rng;
use crate::semantics::{Limits, Machine, Outcome};
use crate::shape::Path;

/// Runs `function` on inputs derived from those that went well, `first` to begin with, and keeps
/// every input that leads to a defined output: a question with a known answer, for free.
pub fn more_realizations(
    program: &Program,
    function: FuncId,
    machine: &mut Machine<'_>,
    first: Realization,
    options: &RealizeOptions,
    rng: &mut Rng,
) -> Vec<Realization> {
    let types: Vec<StorageTy> =
        program.function(function).params().iter().map(|param| param.ty.elem()).collect();
    let n_steps = first.path.len() as u64;
    let steps = 2 * n_steps + u64::from(options.extra_steps);
    let limits = Limits { steps, ..Limits::default() };
    let mut found = vec![first];
    if types.is_empty() {
        return found;
    }
    let mut n_alike = 0;
    for _ in 0..options.tries {
        if found.len() >= options.most as usize {
            break;
        }
        let args = match choose_bool(0.25, rng) {
            true => choose_afresh(&types, rng),
            // Close to any input that went well, most often to the first.
            false => {
                let base = if choose_bool(0.5, rng) { 0 } else { choose_below(found.len(), rng) };
                choose_nearby(&types, &found[base].args, rng)
            }
        };
        if found.iter().any(|known| known.args == args) {
            continue;
        }
        if let Outcome::Returned(output) = machine.run(function, &args, limits) {
            let path = machine.path();
            let is_new = found.iter().all(|known| known.path.blocks() != path);
            if is_new || n_alike < options.most_alike {
                n_alike += u32::from(!is_new);
                found.push(Realization { args, path: Path::new(path.to_vec()), output });
            }
        }
    }
    found
}

/// Draws an input that differs from another in one or two values.
fn choose_nearby(types: &[StorageTy], args: &[i64], rng: &mut Rng) -> Vec<i64> {
    let mut args = args.to_vec();
    for _ in 0..1 + choose_below(2, rng) {
        let at = choose_below(args.len(), rng);
        args[at] = choose_mutation(types[at], args[at], rng);
    }
    args
}

/// Draws an input that has nothing to do with others: values of one order of magnitude, as small
/// ones stay defined and large ones decide otherwise.
fn choose_afresh(types: &[StorageTy], rng: &mut Rng) -> Vec<i64> {
    let size = rng.random_range(3..=20_u32);
    let range = 1_i64 << size;
    types.iter().map(|ty| ty.wrap(rng.random_range(-range..=range))).collect()
}

/// Draws a neighbour, a boundary or any value.
fn choose_mutation(ty: StorageTy, value: i64, rng: &mut Rng) -> i64 {
    let size = rng.random_range(0..ty.bits() - 1).min(rng.random_range(0..ty.bits() - 1));
    let distance = 1_i64 << size;
    let changed = match choose_below(16, rng) {
        // Every order of magnitude: nobody knows how far the next decision is.
        0..=3 => value.wrapping_add(distance),
        4..=7 => value.wrapping_sub(distance),
        8 | 9 => value.wrapping_add(rng.random_range(-16..=16)),
        10 => value / 2,
        11 => value.wrapping_neg(),
        12 | 13 => rng.random_range(-100..=100),
        14 => [ty.min(), ty.max(), ty.max() / 2, 0][choose_below(4, rng)],
        _ => rng.random(),
    };
    ty.wrap(changed)
}
