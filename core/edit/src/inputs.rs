//! Drawing inputs of functions: near one that went well, or afresh.

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::lang::{IntTy, Scalar};
use rand::RngExt;

/// Draws an input that differs from another in up to three values.
pub fn choose_nearby(types: &[IntTy], base: &[Scalar], args: &mut Vec<i64>, rng: &mut Rng) {
    args.clear();
    args.extend(base.iter().map(|value| value.word()));
    for _ in 0..1 + choose_below(3, rng) {
        let at = choose_below(args.len(), rng);
        args[at] = choose_mutation(types[at], args[at], rng);
    }
}

/// Draws an input that has nothing to do with others: values of one order of magnitude, as small
/// ones stay defined and large ones decide otherwise.
pub fn choose_afresh(types: &[IntTy], args: &mut Vec<i64>, rng: &mut Rng) {
    let size = rng.random_range(3..=20_u32);
    let range = 1_i64 << size;
    args.clear();
    args.extend(types.iter().map(|ty| ty.wrap(rng.random_range(-range..=range))));
}

/// Draws a neighbour, a boundary or any value.
fn choose_mutation(ty: IntTy, value: i64, rng: &mut Rng) -> i64 {
    let changed = match choose_below(16, rng) {
        // Bounds of loops matter by ones and by the widths of vectors.
        0..=3 => {
            let distance = [1, 1, 1, 2, 3, 4, 8, 16][choose_below(8, rng)];
            value.wrapping_add(if rng.random_bool(0.5) { distance } else { -distance })
        }
        // Nobody knows how far the next decision is, but beyond many things overflow.
        4..=12 => {
            let size = rng.random_range(0..(ty.bits() - 1).min(24));
            let distance = rng.random_range(1..=1_i64 << size);
            let is_up = rng.random_bool(0.5);
            value.wrapping_add(if is_up { distance } else { -distance })
        }
        13 => rng.random_range(-100..=100),
        14 => [value / 2, value.wrapping_neg(), 0, ty.min(), ty.max()][choose_below(5, rng)],
        _ => rng.random(),
    };
    ty.wrap(changed)
}
