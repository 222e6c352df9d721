//! Types and values of samples.

use rand::RngExt;

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{FloatTy, IntTy, Scalar, ScalarTy, ValueTy, WordTy};

/// The types that a program may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Types {
    /// Whether there are floating-point numbers among them.
    pub(super) has_floats: bool,
}

/// The share of floating-point types where there are any.
const FLOATS: f64 = 0.4;

impl Types {
    /// Draws the type of a variable.
    pub(super) fn choose_storage(self, rng: &mut Rng) -> ScalarTy {
        match self.has_floats && choose_bool(FLOATS, rng) {
            true => choose_float_ty(rng).into(),
            false => choose_int_storage(rng).into(),
        }
    }

    /// Draws the type of a value.
    pub(super) fn choose_value_ty(self, rng: &mut Rng) -> ValueTy {
        match self.has_floats && choose_bool(FLOATS, rng) {
            true => choose_float_ty(rng).into(),
            false => choose_word_ty(rng).into(),
        }
    }
}

pub(super) fn choose_int_storage(rng: &mut Rng) -> IntTy {
    IntTy::ALL[choose_below(IntTy::ALL.len(), rng)]
}

pub(super) fn choose_word_ty(rng: &mut Rng) -> WordTy {
    WordTy::ALL[choose_below(WordTy::ALL.len(), rng)]
}

pub(super) fn choose_float_ty(rng: &mut Rng) -> FloatTy {
    FloatTy::ALL[choose_below(FloatTy::ALL.len(), rng)]
}

/// Draws a value of any type.
pub(super) fn choose_scalar(ty: ScalarTy, rng: &mut Rng) -> Scalar {
    match ty {
        ScalarTy::Int(ty) => choose_int(ty, rng),
        ScalarTy::Float(ty) => Scalar::new(ty, choose_float(ty, rng)),
    }
}

/// Draws an integer: mostly a small one, sometimes one near a limit, sometimes any.
pub(super) fn choose_int(ty: IntTy, rng: &mut Rng) -> Scalar {
    let near = rng.random_range(-3..=3_i64);
    let value = match choose_below(20, rng) {
        0..=14 => ty.wrap(near),
        15 => ty.wrap(ty.max().wrapping_add(near)),
        16 => ty.wrap(ty.min().wrapping_add(near)),
        17 => ty.wrap(1_i64 << rng.random_range(0..64_u32)),
        18 => ty.wrap(rng.random_range(-1000..=1000_i64)),
        _ => ty.wrap(rng.random()),
    };
    Scalar::new(ty, value)
}

/// Draws a floating-point number: mostly a small one, sometimes one at which rounding, range or
/// order are special, sometimes any.
fn choose_float(ty: FloatTy, rng: &mut Rng) -> i64 {
    let near = rng.random_range(-3..=3_i64);
    let magnitude = match choose_below(20, rng) {
        0..=6 => return ty.word(near as f64),
        7..=10 => return ty.word(near as f64 / 4.0),
        11 => return ty.word(rng.random_range(-1000.0..1000.0)),
        12 => 0,
        // Where integers stop being exact.
        13 => ty.word(2_f64.powi(ty.precision() as i32)) + near,
        // Where integer types end.
        14 => {
            let bits = [7, 8, 15, 16, 31, 32, 63, 64][choose_below(8, rng)];
            ty.word(2_f64.powi(bits)) + near
        }
        // Infinity, and the largest numbers.
        15 => ty.infinity() + near.min(0),
        // Around the least normal number.
        16 => (1 << (ty.precision() - 1)) + near,
        17 => near.abs(),
        18 if choose_bool(0.3, rng) => return ty.nan(),
        18 => ty.word(near.abs() as f64 + 0.5),
        _ => return ty.canonical(rng.random()),
    };
    match choose_bool(0.5, rng) {
        true => ty.word(-ty.value(magnitude)),
        false => magnitude,
    }
}
