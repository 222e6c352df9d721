//! Integer types. What only integers have (width, signedness, wrapping) stands here and nowhere
//! else, so that code which needs it has to say that it means integers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An integer type that arithmetic happens in: a word of 32 or 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WordTy {
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 64 bits.
    I64,
    /// Unsigned, 64 bits.
    U64,
}

/// An integer type that cells are kept in.
///
/// A load widens to [`widened`](Self::widened), a store narrows modulo 2^bits; arithmetic never
/// happens on the narrow ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IntTy {
    /// Signed, 8 bits.
    I8,
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 16 bits.
    I16,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 64 bits.
    I64,
    /// Unsigned, 64 bits.
    U64,
}

impl WordTy {
    /// All arithmetic types.
    pub const ALL: [Self; 4] = [Self::I32, Self::U32, Self::I64, Self::U64];

    /// How many bits a value has.
    pub const fn bits(self) -> u32 {
        IntTy::from_word(self).bits()
    }

    /// Whether values can be negative.
    pub const fn is_signed(self) -> bool {
        IntTy::from_word(self).is_signed()
    }

    /// The unsigned type of the same width.
    pub const fn unsigned(self) -> Self {
        match self {
            Self::I32 | Self::U32 => Self::U32,
            Self::I64 | Self::U64 => Self::U64,
        }
    }

    /// `value` modulo 2^bits, in the type's canonical form.
    #[inline(always)]
    pub const fn wrap(self, value: i64) -> i64 {
        IntTy::from_word(self).wrap(value)
    }

    /// The smallest value, in canonical form.
    pub const fn min(self) -> i64 {
        IntTy::from_word(self).min()
    }

    /// The largest value, in canonical form.
    pub const fn max(self) -> i64 {
        IntTy::from_word(self).max()
    }
}

impl IntTy {
    /// All storage types.
    pub const ALL: [Self; 8] =
        [Self::I8, Self::U8, Self::I16, Self::U16, Self::I32, Self::U32, Self::I64, Self::U64];

    /// The storage type that keeps an arithmetic type as it is.
    pub const fn from_word(ty: WordTy) -> Self {
        match ty {
            WordTy::I32 => Self::I32,
            WordTy::U32 => Self::U32,
            WordTy::I64 => Self::I64,
            WordTy::U64 => Self::U64,
        }
    }

    /// The type that a load gives: the arithmetic type of the same signedness that is as wide, or
    /// 32 bits wide for the narrow ones.
    pub const fn widened(self) -> WordTy {
        match self {
            Self::I8 | Self::I16 | Self::I32 => WordTy::I32,
            Self::U8 | Self::U16 | Self::U32 => WordTy::U32,
            Self::I64 => WordTy::I64,
            Self::U64 => WordTy::U64,
        }
    }

    /// How many bits a value has.
    pub const fn bits(self) -> u32 {
        match self {
            Self::I8 | Self::U8 => 8,
            Self::I16 | Self::U16 => 16,
            Self::I32 | Self::U32 => 32,
            Self::I64 | Self::U64 => 64,
        }
    }

    /// Whether values can be negative.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// `value` modulo 2^bits, in the type's canonical form: sign-extended to 64 bits where the
    /// type is signed, zero-extended where it is not. A `u64` of 2^63 or more is kept as the
    /// negative number with the same bits.
    #[inline(always)]
    pub const fn wrap(self, value: i64) -> i64 {
        match self {
            Self::I8 => value as i8 as i64,
            Self::U8 => value as u8 as i64,
            Self::I16 => value as i16 as i64,
            Self::U16 => value as u16 as i64,
            Self::I32 => value as i32 as i64,
            Self::U32 => value as u32 as i64,
            Self::I64 | Self::U64 => value,
        }
    }

    /// The smallest value, in canonical form.
    pub const fn min(self) -> i64 {
        if self.is_signed() { i64::MIN >> (64 - self.bits()) } else { 0 }
    }

    /// The largest value, in canonical form.
    pub const fn max(self) -> i64 {
        let ones = u64::MAX >> (64 - self.bits());
        (if self.is_signed() { ones >> 1 } else { ones }) as i64
    }

    /// The canonical form of `value`, if the type can hold it.
    pub fn from_wide(self, value: i128) -> Option<i64> {
        (self.to_wide(self.min()) <= value && value <= self.to_wide(self.max()))
            .then_some(value as i64)
    }

    /// The number that a canonical form stands for.
    pub const fn to_wide(self, canonical: i64) -> i128 {
        if self.is_signed() { canonical as i128 } else { canonical as u64 as i128 }
    }

    /// The name in SYMLANG text.
    pub const fn name(self) -> &'static str {
        match self {
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::I16 => "i16",
            Self::U16 => "u16",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
        }
    }

    /// The type called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// The arithmetic type of the same width and signedness, for all but the narrow types.
    pub fn as_word(self) -> Option<WordTy> {
        (self.bits() >= 32).then_some(self.widened())
    }
}

impl From<WordTy> for IntTy {
    fn from(ty: WordTy) -> Self {
        Self::from_word(ty)
    }
}

impl fmt::Display for WordTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(IntTy::from(*self).name())
    }
}

impl fmt::Display for IntTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        let limits = |ty: IntTy| (ty.to_wide(ty.min()), ty.to_wide(ty.max()));
        assert_eq!(limits(IntTy::I8), (-128, 127));
        assert_eq!(limits(IntTy::U16), (0, 65535));
        assert_eq!(limits(IntTy::I32), (i32::MIN.into(), i32::MAX.into()));
        assert_eq!(limits(IntTy::I64), (i64::MIN.into(), i64::MAX.into()));
        assert_eq!(limits(IntTy::U64), (0, u64::MAX.into()));
    }

    #[test]
    fn wrapping_is_reduction_modulo_two_to_the_bits() {
        for ty in IntTy::ALL {
            let modulus = 1i128 << ty.bits();
            for value in [0, 1, -1, 127, 128, 255, 256, 65535, 65536, i64::MAX, i64::MIN, 1 << 31] {
                let canonical = ty.wrap(value);
                assert_eq!((ty.to_wide(canonical) - i128::from(value)) % modulus, 0);
                assert_eq!(ty.from_wide(ty.to_wide(canonical)), Some(canonical));
            }
        }
    }
}
