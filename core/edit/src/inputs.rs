//! Drawing inputs of functions: near one that went well, or afresh.

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::lang::{FloatTy, IntTy, Scalar, ScalarTy};
use rand::RngExt;

/// Draws an input that differs from another in up to three values.
pub fn choose_nearby(types: &[ScalarTy], base: &[Scalar], args: &mut Vec<i64>, rng: &mut Rng) {
    args.clear();
    args.extend(base.iter().map(|value| value.word()));
    for _ in 0..1 + choose_below(3, rng) {
        let at = choose_below(args.len(), rng);
        args[at] = match types[at] {
            ScalarTy::Int(ty) => choose_mutation(ty, args[at], rng),
            ScalarTy::Float(ty) => choose_float_near(ty, args[at], rng),
        };
    }
}

/// Draws an input that has nothing to do with others: values of one order of magnitude, as small
/// ones stay defined and large ones decide otherwise.
pub fn choose_afresh(types: &[ScalarTy], args: &mut Vec<i64>, rng: &mut Rng) {
    let size = rng.random_range(3..=20_u32);
    let range = 1_i64 << size;
    args.clear();
    args.extend(types.iter().map(|ty| match ty {
        ScalarTy::Int(ty) => ty.wrap(rng.random_range(-range..=range)),
        ScalarTy::Float(ty) => choose_float(*ty, size, rng),
    }));
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

/// Values at which operators on floating-point numbers behave in ways of their own.
const SPECIAL: [f64; 12] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    2.5,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1e-310,
    1e300,
];

/// Draws a number of at most `size` bits before the point: an integer, one with a short fraction,
/// any, or a special one.
pub fn choose_float(ty: FloatTy, size: u32, rng: &mut Rng) -> i64 {
    let range = 1_i64 << size;
    let whole = rng.random_range(-range..=range) as f64;
    ty.word(match choose_below(8, rng) {
        0 => SPECIAL[choose_below(SPECIAL.len(), rng)],
        1..=3 => whole,
        4..=5 => whole / f64::from(1 << rng.random_range(1..=8_u32)),
        _ => whole * rng.random::<f64>(),
    })
}

/// Draws a neighbour of a floating-point number: a little larger or smaller, at the same magnitude,
/// or with another sign.
fn choose_float_near(ty: FloatTy, word: i64, rng: &mut Rng) -> i64 {
    let value = ty.value(word);
    match choose_below(8, rng) {
        // The next representable numbers.
        0..=1 => ty.canonical(word.wrapping_add(rng.random_range(-2..=2))),
        2..=3 => ty.word(value + f64::from(rng.random_range(-16..=16_i32))),
        4 => ty.word(value * 2.0_f64.powi(rng.random_range(-8..=8))),
        5 => ty.word(-value),
        6 => ty.word(value.round()),
        _ => choose_float(ty, 10, rng),
    }
}
