//! Hazards: the situations in which dialects part ways.

use std::fmt;

/// A situation in which an operator's result may not be defined; a dialect says whether it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Hazard {
    /// A signed `+ - *`, unary `-` or `abs` leaves the type's range.
    SignedOverflow,
    /// `/` or `%` by 0.
    DivisionByZero,
    /// `MIN / -1`.
    QuotientOverflow,
    /// `MIN % -1`.
    RemainderOverflow,
    /// A shift by a count that is negative, or not less than the width.
    ShiftCount,
    /// A signed `<<` of a negative value, or one that shifts out value bits.
    ShiftedOut,
    /// An index that is negative, or not less than the array's length.
    OutOfBounds,
    /// `clz` or `ctz` of 0.
    CountOfZero,
    /// A floating-point number that is converted to an integer type which has no such value, once
    /// its fraction is dropped; or a NaN.
    ConversionRange,
    /// The bits of a NaN, or its sign.
    NanBits,
}

impl Hazard {
    /// All hazards.
    pub const ALL: [Self; 10] = [
        Self::SignedOverflow,
        Self::DivisionByZero,
        Self::QuotientOverflow,
        Self::RemainderOverflow,
        Self::ShiftCount,
        Self::ShiftedOut,
        Self::OutOfBounds,
        Self::CountOfZero,
        Self::ConversionRange,
        Self::NanBits,
    ];
}

impl fmt::Display for Hazard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SignedOverflow => "signed overflow",
            Self::DivisionByZero => "division by zero",
            Self::QuotientOverflow => "the smallest value divided by -1",
            Self::RemainderOverflow => "the remainder of the smallest value by -1",
            Self::ShiftCount => "shift count out of range",
            Self::ShiftedOut => "left shift of a negative value or beyond the largest value",
            Self::OutOfBounds => "index out of bounds",
            Self::CountOfZero => "count of leading or trailing zeros of 0",
            Self::ConversionRange => "conversion to an integer out of range",
            Self::NanBits => "the bits or the sign of a NaN are used",
        })
    }
}

/// A kind of trap or exception that a run can end with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrapKind {
    /// `/` or `%` by 0.
    DivisionByZero,
    /// `MIN / -1`.
    DivisionOverflow,
    /// An index out of bounds.
    OutOfBounds,
    /// A floating-point number that the integer type which it is converted to does not have.
    ConversionRange,
}

impl TrapKind {
    /// All kinds.
    pub const ALL: [Self; 4] =
        [Self::DivisionByZero, Self::DivisionOverflow, Self::OutOfBounds, Self::ConversionRange];

    /// The name in SYMLANG text.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DivisionByZero => "division_by_zero",
            Self::DivisionOverflow => "division_overflow",
            Self::OutOfBounds => "out_of_bounds",
            Self::ConversionRange => "conversion_range",
        }
    }
}

impl fmt::Display for TrapKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of hazards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HazardSet(u32);

impl HazardSet {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// The set of one hazard.
    pub const fn only(hazard: Hazard) -> Self {
        Self(1 << hazard as u8)
    }

    /// The set of `hazard`, if `present`.
    #[inline(always)]
    pub const fn when(hazard: Hazard, present: bool) -> Self {
        Self((present as u32) << hazard as u8)
    }

    /// This set and `hazard`.
    pub const fn with(self, hazard: Hazard) -> Self {
        Self(self.0 | Self::only(hazard).0)
    }

    /// What is in either set.
    #[inline(always)]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in both sets.
    #[inline(always)]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether nothing is in it.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `hazard` is in it.
    pub const fn contains(self, hazard: Hazard) -> bool {
        self.0 & Self::only(hazard).0 != 0
    }

    /// The hazards in it, in order.
    pub fn iter(self) -> impl Iterator<Item = Hazard> {
        Hazard::ALL.into_iter().filter(move |&hazard| self.contains(hazard))
    }
}
