//! Floating-point types: IEEE 754 binary32 and binary64, with one NaN.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::int::WordTy;

/// A floating-point type. Cells and arithmetic have the same ones.
///
/// A value is kept as its bits, zero-extended to a word. All NaNs are one value, whose bits are
/// [`nan`](Self::nan).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FloatTy {
    /// 32 bits: 24 of them precision.
    F32,
    /// 64 bits: 53 of them precision.
    F64,
}

impl FloatTy {
    /// All floating-point types.
    pub const ALL: [Self; 2] = [Self::F32, Self::F64];

    /// How many bits a value has.
    pub const fn bits(self) -> u32 {
        match self {
            Self::F32 => 32,
            Self::F64 => 64,
        }
    }

    /// How many bits of precision a normal value has.
    pub const fn precision(self) -> u32 {
        match self {
            Self::F32 => f32::MANTISSA_DIGITS,
            Self::F64 => f64::MANTISSA_DIGITS,
        }
    }

    /// The one NaN, as a word.
    pub const fn nan(self) -> i64 {
        match self {
            Self::F32 => 0x7fc0_0000,
            Self::F64 => 0x7ff8_0000_0000_0000,
        }
    }

    /// Infinity, as a word.
    pub const fn infinity(self) -> i64 {
        match self {
            Self::F32 => 0x7f80_0000,
            Self::F64 => 0x7ff0_0000_0000_0000,
        }
    }

    /// The bits of a value without its sign, as a word.
    #[inline(always)]
    pub const fn magnitude(self, word: i64) -> i64 {
        match self {
            Self::F32 => word & 0x7fff_ffff,
            Self::F64 => word & i64::MAX,
        }
    }

    /// Whether a word stands for NaN.
    #[inline(always)]
    pub const fn is_nan(self, word: i64) -> bool {
        self.magnitude(word) > self.infinity()
    }

    /// A word in the type's canonical form: without bits beyond its width, and with the one NaN
    /// instead of any.
    #[inline(always)]
    pub const fn canonical(self, word: i64) -> i64 {
        let bits = match self {
            Self::F32 => word & 0xffff_ffff,
            Self::F64 => word,
        };
        if self.is_nan(bits) { self.nan() } else { bits }
    }

    /// The word of the value of this type that is nearest to `value`, ties to even.
    #[inline(always)]
    pub const fn word(self, value: f64) -> i64 {
        match self {
            Self::F32 => f32_word(value as f32),
            Self::F64 => f64_word(value),
        }
    }

    /// The value that a word stands for. All values of both types are values of `f64`.
    #[inline(always)]
    pub const fn value(self, word: i64) -> f64 {
        match self {
            Self::F32 => f32::from_bits(word as u32) as f64,
            Self::F64 => f64::from_bits(word as u64),
        }
    }

    /// The word of the value that is nearest to an integer, ties to even.
    #[inline(always)]
    pub const fn from_int(self, ty: WordTy, word: i64) -> i64 {
        // By way of `f64`, 64 bits would be rounded twice.
        match (ty, self) {
            (WordTy::U64, Self::F32) => f32_word(word as u64 as f32),
            (WordTy::I32 | WordTy::U32 | WordTy::I64, Self::F32) => f32_word(word as f32),
            (WordTy::U64, Self::F64) => f64_word(word as u64 as f64),
            (WordTy::I32 | WordTy::U32 | WordTy::I64, Self::F64) => f64_word(word as f64),
        }
    }

    /// A value without its fraction, or the nearest limit of the integer type; 0 for NaN.
    #[inline(always)]
    pub const fn to_int(self, ty: WordTy, word: i64) -> i64 {
        let value = self.value(word);
        match ty {
            WordTy::I32 => value as i32 as i64,
            WordTy::U32 => value as u32 as i64,
            WordTy::I64 => value as i64,
            WordTy::U64 => value as u64 as i64,
        }
    }

    /// The name in SYMLANG text.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The type called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// The word of the literal `text`, which may have a sign: decimal, or hexadecimal if it begins
    /// with `0x`, or `inf` or `nan`.
    ///
    /// # Errors
    /// If it is none, too large, or a hexadecimal number that is no value of the type.
    pub fn parse(self, text: &str) -> Result<i64, FloatError> {
        let (is_negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let magnitude = match unsigned {
            "inf" => self.infinity(),
            "nan" if !is_negative => self.nan(),
            _ => match unsigned.strip_prefix("0x") {
                Some(hex) => self.parse_hexadecimal(hex)?,
                None => self.parse_decimal(unsigned)?,
            },
        };
        Ok(if is_negative { magnitude | self.sign_bit() } else { magnitude })
    }

    fn parse_decimal(self, text: &str) -> Result<i64, FloatError> {
        // Rust knows further names, and signs.
        let first_is_digit = text.starts_with(|c: char| c.is_ascii_digit());
        if !first_is_digit || text.contains(|c: char| !c.is_ascii_digit() && !".eE+-".contains(c)) {
            return Err(FloatError::NotANumber);
        }
        // Rust does without digits behind the point.
        let has_fraction = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        if text.split_once('.').is_some_and(|(_, rest)| !has_fraction(rest)) {
            return Err(FloatError::NotANumber);
        }
        let word = match self {
            Self::F32 => text.parse().map(f32_word),
            Self::F64 => text.parse().map(f64_word),
        };
        let word = word.map_err(|_| FloatError::NotANumber)?;
        if word == self.infinity() { Err(FloatError::TooLarge) } else { Ok(word) }
    }

    /// `1.8p3`, behind its `0x`.
    fn parse_hexadecimal(self, text: &str) -> Result<i64, FloatError> {
        // Without an exponent, a type behind it would be digits.
        let (mantissa, exponent) = text.split_once(['p', 'P']).ok_or(FloatError::NotANumber)?;
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return Err(FloatError::NotANumber),
            Some(parts) => parts,
            None => (mantissa, ""),
        };
        let mut exponent: i64 = exponent.parse().map_err(|_| FloatError::NotANumber)?;
        if whole.is_empty() || exponent.unsigned_abs() > 1_000_000 {
            return Err(FloatError::NotANumber);
        }
        exponent -= 4 * fraction.len() as i64;
        let mut significand: u128 = 0;
        for digit in whole.chars().chain(fraction.chars()) {
            let digit = digit.to_digit(16).ok_or(FloatError::NotANumber)?;
            if significand >> 120 != 0 {
                return Err(FloatError::NotExact);
            }
            significand = significand << 4 | u128::from(digit);
        }
        if significand == 0 {
            return Ok(0);
        }
        let zeros = significand.trailing_zeros();
        (significand, exponent) = (significand >> zeros, exponent + i64::from(zeros));
        let n_bits = i64::from(128 - significand.leading_zeros());
        let (max_exponent, min_exponent) = match self {
            Self::F32 => (i64::from(f32::MAX_EXP), -149),
            Self::F64 => (i64::from(f64::MAX_EXP), -1074),
        };
        if exponent + n_bits > max_exponent {
            return Err(FloatError::TooLarge);
        }
        if n_bits > i64::from(self.precision()) || exponent < min_exponent {
            return Err(FloatError::NotExact);
        }
        // Both factors, and each product, are values of `f64`.
        let mut value = significand as f64;
        while exponent != 0 {
            let step = exponent.clamp(-60, 60);
            value *= 2f64.powi(step as i32);
            exponent -= step;
        }
        Ok(self.word(value))
    }

    const fn sign_bit(self) -> i64 {
        match self {
            Self::F32 => 0x8000_0000,
            Self::F64 => i64::MIN,
        }
    }

    /// Writes a canonical word so that [`parse`](Self::parse) reads it: as short as possible, and
    /// always with a `.`, an exponent or a name, so that it is no integer.
    pub(super) fn fmt_word(self, word: i64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            _ if self.is_nan(word) => f.write_str("nan"),
            Self::F32 => write!(f, "{:?}", f32::from_bits(word as u32)),
            Self::F64 => write!(f, "{:?}", f64::from_bits(word as u64)),
        }
    }
}

#[inline(always)]
const fn f32_word(value: f32) -> i64 {
    FloatTy::F32.canonical(value.to_bits() as i64)
}

#[inline(always)]
const fn f64_word(value: f64) -> i64 {
    FloatTy::F64.canonical(value.to_bits() as i64)
}

/// Why a text is no floating-point literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatError {
    /// It has another form.
    NotANumber,
    /// It is larger than the largest value.
    TooLarge,
    /// It is hexadecimal, and has more digits than a value can have.
    NotExact,
}

impl fmt::Display for FloatTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(ty: FloatTy, word: i64) -> String {
        struct Shown(FloatTy, i64);
        impl fmt::Display for Shown {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt_word(self.1, f)
            }
        }
        Shown(ty, word).to_string()
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_as_it_was(word: i64) {
            for ty in FloatTy::ALL {
                let word = ty.canonical(word);
                prop_assert_eq!(ty.parse(&written(ty, word)), Ok(word));
                prop_assert_eq!(ty.word(ty.value(word)), word);
            }
        }

        #[test]
        fn hexadecimal_literals_are_exact(significand in 1u64..1 << 53, exponent in -1074i64..970) {
            let text = format!("0x{significand:x}p{exponent}");
            let value = FloatTy::F64.value(FloatTy::F64.parse(&text).unwrap());
            let scaled = if exponent < -1000 {
                significand as f64 * 2f64.powi(-1000) * 2f64.powi(exponent as i32 + 1000)
            } else {
                significand as f64 * 2f64.powi(exponent as i32)
            };
            prop_assert_eq!(value, scaled);
        }
    }

    #[test]
    fn literals() {
        let value = |ty: FloatTy, text| ty.parse(text).map(|word| ty.value(word));
        assert_eq!(value(FloatTy::F64, "1.5"), Ok(1.5));
        assert_eq!(value(FloatTy::F64, "-0x1.8p-1"), Ok(-0.75));
        assert_eq!(value(FloatTy::F32, "0x1p-149"), Ok(f64::from(f32::from_bits(1))));
        assert_eq!(value(FloatTy::F32, "16777217"), Ok(16777216.0));
        assert_eq!(FloatTy::F32.parse("-inf"), Ok(0xff80_0000));
        assert_eq!(FloatTy::F64.parse("nan"), Ok(FloatTy::F64.nan()));
        assert_eq!(FloatTy::F64.parse("-0.0"), Ok(i64::MIN));
        assert_eq!(FloatTy::F64.parse("0x0p0"), Ok(0));
        assert_eq!(FloatTy::F32.parse("0x1.000001p0"), Err(FloatError::NotExact));
        assert_eq!(FloatTy::F32.parse("0x1p-150"), Err(FloatError::NotExact));
        assert_eq!(FloatTy::F32.parse("0x1p128"), Err(FloatError::TooLarge));
        assert_eq!(FloatTy::F32.parse("3.5e38"), Err(FloatError::TooLarge));
        assert_eq!(FloatTy::F64.parse("1e309"), Err(FloatError::TooLarge));
        for text in ["-nan", "infinity", "NaN", "", "-", "1e", ".5", "+1", "0x.8p1", "0x1p", "--1"]
        {
            assert_eq!(FloatTy::F64.parse(text), Err(FloatError::NotANumber), "{text}");
        }
        for text in ["1.", "1.e5", "0x1.8", "0x1.p1", "0x1p-9223372036854775808", "1e5.5"] {
            assert_eq!(FloatTy::F64.parse(text), Err(FloatError::NotANumber), "{text}");
        }
    }
}
