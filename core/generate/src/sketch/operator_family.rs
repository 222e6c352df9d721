//! Families of operators that a block can keep to.

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::lang::{BinOp, UnOp};

/// A family of operators. Rewrites of optimizers are about operators that stand next to others of
/// their family, which is rare where all of them are drawn alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorFamily {
    /// `+`, `-` and negation.
    Additive,
    /// `~`, `&`, `|` and `^`.
    Bitwise,
    /// Comparisons, and what joins them.
    Logical,
    /// `*`, `/` and `%`.
    Multiplicative,
    /// The bitwise ones, with shifts and rotations.
    BitwiseShift,
    /// The additive and the multiplicative ones.
    AdditiveMultiplicative,
}

impl OperatorFamily {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Additive,
        Self::Bitwise,
        Self::Logical,
        Self::Multiplicative,
        Self::BitwiseShift,
        Self::AdditiveMultiplicative,
    ];

    /// Draws one.
    pub fn choose(rng: &mut Rng) -> Self {
        Self::ALL[choose_below(Self::ALL.len(), rng)]
    }

    /// Its operators with two operands, each as likely as it is listed often.
    pub const fn binary(self) -> &'static [BinOp] {
        use BinOp::{Add, And, Div, Max, Min, Mul, Or, Rem, Rotl, Shl, Shr, Sub, Xor};
        match self {
            Self::Additive => &[Add, Sub],
            Self::Bitwise | Self::Logical => &[And, Or, Xor],
            Self::Multiplicative => &[Mul, Mul, Div, Rem],
            Self::BitwiseShift => &[And, Or, Xor, Shl, Shr, Shr, Rotl],
            Self::AdditiveMultiplicative => &[Add, Sub, Mul, Mul, Div, Rem, Min, Max],
        }
    }

    /// Its operators that join terms to a sum.
    pub const fn joining(self) -> &'static [BinOp] {
        use BinOp::{Add, And, Or, Sub, Xor};
        match self {
            Self::Additive | Self::Multiplicative | Self::AdditiveMultiplicative => &[Add, Sub],
            Self::Bitwise | Self::Logical | Self::BitwiseShift => &[And, Or, Xor],
        }
    }

    /// Its operator with one operand, if it has one.
    pub const fn unary(self) -> Option<UnOp> {
        match self {
            Self::Additive | Self::AdditiveMultiplicative => Some(UnOp::Neg),
            Self::Bitwise | Self::BitwiseShift => Some(UnOp::Not),
            Self::Logical | Self::Multiplicative => None,
        }
    }
}
