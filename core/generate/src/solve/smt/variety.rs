//! Other values than those that Z3 chose.

use rand::RngExt;

use crate::solve::{Model, Task, verify};
use pathsmith_symlang::HoleId;
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::lang::{Scalar, ScalarTy};

/// Tries `n_tries` other values for each value of `model` that `fixed` does not know, and keeps
/// those with which the interpreter still takes the path.
pub(super) fn vary(task: &Task<'_>, model: &mut Model, fixed: &Model, n_tries: u32, rng: &mut Rng) {
    if n_tries == 0 {
        return;
    }
    let function = task.program.function(task.function);
    let mut slots: Vec<(Slot, ScalarTy)> = Vec::new();
    for (at, param) in function.params().iter().enumerate() {
        if !matches!(fixed.args.get(at), Some(Some(_))) {
            slots.push((Slot::Arg(at), param.ty.cell_ty()));
        }
    }
    let mut seen = vec![false; model.holes.len()];
    task.program.for_each_hole(function, |hole, ty, _| {
        let is_open = model.hole(hole).is_some() && fixed.hole(hole).is_none();
        if is_open && !std::mem::replace(&mut seen[hole.index()], true) {
            slots.push((Slot::Hole(hole), ty));
        }
    });
    // In random order, so that no value is always the first to take up the slack.
    for i in (1..slots.len()).rev() {
        slots.swap(i, choose_below(i + 1, rng));
    }
    for (slot, ty) in slots {
        for _ in 0..n_tries {
            let found = slot.replace(model, Some(Scalar::new(ty, choose_value(ty, rng))));
            if verify(task, model).is_ok() {
                break;
            }
            slot.replace(model, found);
        }
    }
}

#[derive(Clone, Copy)]
enum Slot {
    Hole(HoleId),
    Arg(usize),
}

impl Slot {
    fn replace(self, model: &mut Model, value: Option<Scalar>) -> Option<Scalar> {
        let place = match self {
            Self::Hole(hole) => &mut model.holes[hole.index()],
            Self::Arg(at) => &mut model.args[at],
        };
        std::mem::replace(place, value)
    }
}

/// Draws a value: any, near a limit, or small, about as often; small ones break the least.
fn choose_value(ty: ScalarTy, rng: &mut Rng) -> i64 {
    let ty = match ty {
        ScalarTy::Int(ty) => ty,
        ScalarTy::Float(ty) => return ty.canonical(rng.random()),
    };
    let near = rng.random_range(-100..=100_i64);
    ty.wrap(match choose_below(6, rng) {
        0 => rng.random(),
        1 => ty.max().wrapping_sub(near.abs()),
        2 => ty.min().wrapping_add(near.abs()),
        3 => rng.random::<i64>() >> rng.random_range(0..64_u32),
        _ => near,
    })
}
