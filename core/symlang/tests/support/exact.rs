//! Floating-point numbers by arithmetic on integers alone.

use pathsmith_symlang::lang::FloatTy;

/// What a word stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Nan,
    Infinity { is_negative: bool },
    Finite(Exact),
}

/// `magnitude` times 2 to the `exponent`, with a sign, which zeros have too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exact {
    pub(crate) is_negative: bool,
    pub(crate) magnitude: u128,
    pub(crate) exponent: i32,
    /// Whether something less than 1 belongs to `magnitude`, besides what it says.
    pub(crate) is_inexact: bool,
}

/// The exponent of the smallest number.
fn least_exponent(ty: FloatTy) -> i32 {
    match ty {
        FloatTy::F32 => -149,
        FloatTy::F64 => -1074,
    }
}

/// From 2 to this power on, numbers are infinite.
fn end_exponent(ty: FloatTy) -> i32 {
    match ty {
        FloatTy::F32 => 128,
        FloatTy::F64 => 1024,
    }
}

fn sign_bit(ty: FloatTy, is_negative: bool) -> i64 {
    match (is_negative, ty) {
        (false, _) => 0,
        (true, FloatTy::F32) => 1 << 31,
        (true, FloatTy::F64) => i64::MIN,
    }
}

impl Number {
    pub(crate) fn of(ty: FloatTy, word: i64) -> Self {
        let n_fraction = ty.precision() - 1;
        let is_negative = word as u64 >> (ty.bits() - 1) & 1 == 1;
        let n_exponent = ty.bits() - ty.precision();
        let exponent = word as u64 >> n_fraction & ((1 << n_exponent) - 1);
        let fraction = u128::from(word as u64 & ((1 << n_fraction) - 1));
        let biased = exponent as i32;
        let least = least_exponent(ty);
        match biased {
            0 => Self::finite(is_negative, fraction, least),
            all if all == (1 << n_exponent) - 1 => match fraction {
                0 => Self::Infinity { is_negative },
                _ => Self::Nan,
            },
            _ => Self::finite(is_negative, fraction | 1 << n_fraction, least + biased - 1),
        }
    }

    fn finite(is_negative: bool, magnitude: u128, exponent: i32) -> Self {
        Self::Finite(Exact { is_negative, magnitude, exponent, is_inexact: false })
    }

    pub(crate) fn rounded(self, ty: FloatTy) -> i64 {
        match self {
            Self::Nan => ty.nan(),
            Self::Infinity { is_negative } => sign_bit(ty, is_negative) | ty.infinity(),
            Self::Finite(exact) => exact.rounded(ty),
        }
    }

    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Nan => Self::Nan,
            Self::Infinity { is_negative } => Self::Infinity { is_negative: !is_negative },
            Self::Finite(exact) => Self::Finite(Exact { is_negative: !exact.is_negative, ..exact }),
        }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nan, _) | (_, Self::Nan) => Self::Nan,
            (Self::Infinity { is_negative: a }, Self::Infinity { is_negative: b }) => {
                if a == b {
                    self
                } else {
                    Self::Nan
                }
            }
            (Self::Infinity { .. }, Self::Finite(_)) => self,
            (Self::Finite(_), Self::Infinity { .. }) => other,
            (Self::Finite(a), Self::Finite(b)) => Self::Finite(a.plus(b)),
        }
    }

    fn is_negative(self) -> bool {
        match self {
            Self::Nan => false,
            Self::Infinity { is_negative } => is_negative,
            Self::Finite(exact) => exact.is_negative,
        }
    }

    fn is_zero(self) -> bool {
        matches!(self, Self::Finite(exact) if exact.magnitude == 0)
    }

    pub(crate) fn times(self, other: Self) -> Self {
        let is_negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Self::Nan, _) | (_, Self::Nan) => Self::Nan,
            (Self::Infinity { .. }, _) | (_, Self::Infinity { .. }) => {
                let has_zero = self.is_zero() || other.is_zero();
                if has_zero { Self::Nan } else { Self::Infinity { is_negative } }
            }
            (Self::Finite(a), Self::Finite(b)) => {
                Self::finite(is_negative, a.magnitude * b.magnitude, a.exponent + b.exponent)
            }
        }
    }

    pub(crate) fn over(self, other: Self) -> Self {
        let is_negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Self::Nan, _) | (_, Self::Nan) => Self::Nan,
            (Self::Infinity { .. }, Self::Infinity { .. }) => Self::Nan,
            (Self::Infinity { .. }, Self::Finite(_)) => Self::Infinity { is_negative },
            (Self::Finite(_), Self::Infinity { .. }) => Self::finite(is_negative, 0, 0),
            (Self::Finite(a), Self::Finite(b)) => match (a.magnitude, b.magnitude) {
                (0, 0) => Self::Nan,
                (_, 0) => Self::Infinity { is_negative },
                (0, _) => Self::finite(is_negative, 0, 0),
                (_, divisor) => {
                    // As many digits as there is room for.
                    let room = a.magnitude.leading_zeros() as i32;
                    let dividend = a.magnitude << room;
                    Self::Finite(Exact {
                        is_negative,
                        magnitude: dividend / divisor,
                        exponent: a.exponent - room - b.exponent,
                        is_inexact: !dividend.is_multiple_of(divisor),
                    })
                }
            },
        }
    }
}

impl Exact {
    fn plus(self, other: Self) -> Self {
        if self.magnitude == 0 && other.magnitude == 0 {
            // -0 only if both are.
            return Self { is_negative: self.is_negative && other.is_negative, ..self };
        }
        if self.magnitude == 0 || other.magnitude == 0 {
            return if self.magnitude == 0 { other } else { self };
        }
        let (high, low) = match self.exponent >= other.exponent {
            true => (self, other),
            false => (other, self),
        };
        // Both have 53 digits at most. What is lost of the lower one is less than a sum can tell.
        let apart = (high.exponent - low.exponent) as u32;
        let up = apart.min(64);
        let down = apart - up;
        let kept = low.magnitude.checked_shr(down).unwrap_or(0);
        let is_inexact = kept.checked_shl(down).unwrap_or(0) != low.magnitude;
        let (a, b) = ((high.magnitude << up) as i128, kept as i128);
        let exponent = high.exponent - up as i32;
        if high.is_negative == low.is_negative {
            let magnitude = (a + b) as u128;
            return Self { is_negative: high.is_negative, magnitude, exponent, is_inexact };
        }
        // A little more than `b` is taken from `a`.
        let difference = a - b - i128::from(is_inexact);
        let magnitude = difference.unsigned_abs();
        let is_negative = match difference {
            0 => false,
            _ => high.is_negative != (difference < 0),
        };
        Self { is_negative, magnitude, exponent, is_inexact }
    }

    pub(crate) fn square_root(self) -> Self {
        // As many digits as there is room for, and an even exponent.
        let room = self.magnitude.leading_zeros() as i32;
        let room = if (self.exponent - room) % 2 == 0 { room } else { room - 1 };
        let square = self.magnitude << room;
        let mut root: u128 = 0;
        for bit in (0..64).rev() {
            let larger = root | 1 << bit;
            if larger * larger <= square {
                root = larger;
            }
        }
        Self {
            is_negative: false,
            magnitude: root,
            exponent: (self.exponent - room) / 2,
            is_inexact: root * root != square,
        }
    }

    /// Without its fraction; the largest number there is here if it is larger.
    pub(crate) fn truncated(self) -> i128 {
        let magnitude = match self.exponent {
            0.. if self.exponent as u32 >= self.magnitude.leading_zeros() && self.magnitude > 0 => {
                i128::MAX
            }
            0.. if self.magnitude == 0 => 0,
            0.. => (self.magnitude << self.exponent) as i128,
            _ => self.magnitude.checked_shr(self.exponent.unsigned_abs()).unwrap_or(0) as i128,
        };
        if self.is_negative { -magnitude } else { magnitude }
    }

    fn fraction(self) -> (u128, u32) {
        let n = if self.exponent < 0 { self.exponent.unsigned_abs() } else { 0 };
        let mask = 1_u128.checked_shl(n).map_or(u128::MAX, |bit| bit - 1);
        (self.magnitude & mask, n)
    }

    pub(crate) fn has_fraction(self) -> bool {
        self.fraction().0 != 0
    }

    /// The nearest integer, of two the even one.
    pub(crate) fn nearest(self) -> i128 {
        let (fraction, n) = self.fraction();
        let whole = self.truncated();
        // With more digits behind the point than it has, it is less than a half.
        let half = if n == 0 || n > 127 { u128::MAX } else { 1 << (n - 1) };
        let is_up = fraction > half || (fraction == half && whole % 2 != 0);
        match (is_up, self.is_negative) {
            (false, _) => whole,
            (true, false) => whole + 1,
            (true, true) => whole - 1,
        }
    }

    /// The nearest number of a type, of two the one that ends with an even digit.
    pub(crate) fn rounded(self, ty: FloatTy) -> i64 {
        let sign = sign_bit(ty, self.is_negative);
        if self.magnitude == 0 {
            assert!(!self.is_inexact, "there would be digits to come");
            return sign;
        }
        let (precision, least) = (ty.precision() as i32, least_exponent(ty));
        let n_digits = 128 - self.magnitude.leading_zeros() as i32;
        let mut exponent = (self.exponent + n_digits - precision).max(least);
        let dropped = exponent - self.exponent;
        let mut kept = if dropped > 0 {
            let dropped = dropped.unsigned_abs();
            let kept = self.magnitude.checked_shr(dropped).unwrap_or(0);
            let rest = match dropped {
                128.. => self.magnitude,
                _ => self.magnitude & ((1 << dropped) - 1),
            };
            // Half of more than 128 digits is more than there can be.
            let half = if dropped > 128 { u128::MAX } else { 1 << (dropped - 1) };
            let is_tie = rest == half && !self.is_inexact && dropped <= 128;
            let is_up = (rest >= half && dropped <= 128 && !is_tie) || (is_tie && kept % 2 == 1);
            kept + u128::from(is_up)
        } else {
            assert!(!self.is_inexact, "there would be digits to come");
            self.magnitude << -dropped
        };
        if kept == 1 << precision {
            (kept, exponent) = (kept >> 1, exponent + 1);
        }
        if exponent + precision > end_exponent(ty) {
            return sign | ty.infinity();
        }
        let kept = kept as i64;
        let first = 1_i64 << (precision - 1);
        if kept < first {
            return sign | kept;
        }
        sign | ((i64::from(exponent - least + 1) << (precision - 1)) + (kept - first))
    }
}
