//! Operators: what there is, and how it is spelled. What they mean is in
//! [`semantics`](crate::semantics).

use super::types::WordTy;

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum UnOp {
    /// `-a`
    Neg,
    /// `~a`
    Not,
    /// `clz(a)`: how many leading bits are zero
    Clz,
    /// `ctz(a)`: how many trailing bits are zero
    Ctz,
    /// `popcnt(a)`: how many bits are one
    Popcnt,
    /// `bswap(a)`: the bytes in reverse order
    Bswap,
}

/// An operator with two operands of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum BinOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`, rounded towards zero
    Div,
    /// `a % b`, with the sign of `a`
    Rem,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
    /// `a << b`
    Shl,
    /// `a >> b`: arithmetic where the type is signed, logical where it is not
    Shr,
    /// `rotl(a, b)`: rotation to the left by `b` modulo the width
    Rotl,
    /// `rotr(a, b)`: rotation to the right by `b` modulo the width
    Rotr,
    /// `min(a, b)`
    Min,
    /// `max(a, b)`
    Max,
    /// `a == b`
    Eq,
    /// `a != b`
    Ne,
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
}

/// How an operator is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Before its operand.
    Prefix(&'static str),
    /// Between its operands; a higher number binds tighter.
    Infix(&'static str, u8),
    /// As a function is called.
    Named(&'static str),
}

/// How tight comparisons bind: the loosest of all. They do not chain.
pub const COMPARISON_PRECEDENCE: u8 = 1;

impl UnOp {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Neg, Self::Not, Self::Clz, Self::Ctz, Self::Popcnt, Self::Bswap];

    /// How it is written.
    pub const fn spelling(self) -> Notation {
        match self {
            Self::Neg => Notation::Prefix("-"),
            Self::Not => Notation::Prefix("~"),
            Self::Clz => Notation::Named("clz"),
            Self::Ctz => Notation::Named("ctz"),
            Self::Popcnt => Notation::Named("popcnt"),
            Self::Bswap => Notation::Named("bswap"),
        }
    }

    /// The operator that is written as a call of `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.spelling().is_named(name))
    }
}

impl BinOp {
    /// All of them.
    pub const ALL: [Self; 20] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Rem,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Shl,
        Self::Shr,
        Self::Rotl,
        Self::Rotr,
        Self::Min,
        Self::Max,
        Self::Eq,
        Self::Ne,
        Self::Lt,
        Self::Le,
        Self::Gt,
        Self::Ge,
    ];

    /// Whether it compares: the result is an `i32`, 1 or 0, whatever the operands' type.
    pub const fn is_comparison(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }

    /// The type of the result for operands of type `operands`.
    pub const fn result_ty(self, operands: WordTy) -> WordTy {
        if self.is_comparison() { WordTy::I32 } else { operands }
    }

    /// How it is written.
    pub const fn spelling(self) -> Notation {
        match self {
            Self::Mul => Notation::Infix("*", 7),
            Self::Div => Notation::Infix("/", 7),
            Self::Rem => Notation::Infix("%", 7),
            Self::Add => Notation::Infix("+", 6),
            Self::Sub => Notation::Infix("-", 6),
            Self::Shl => Notation::Infix("<<", 5),
            Self::Shr => Notation::Infix(">>", 5),
            Self::And => Notation::Infix("&", 4),
            Self::Xor => Notation::Infix("^", 3),
            Self::Or => Notation::Infix("|", 2),
            Self::Eq => Notation::Infix("==", COMPARISON_PRECEDENCE),
            Self::Ne => Notation::Infix("!=", COMPARISON_PRECEDENCE),
            Self::Lt => Notation::Infix("<", COMPARISON_PRECEDENCE),
            Self::Le => Notation::Infix("<=", COMPARISON_PRECEDENCE),
            Self::Gt => Notation::Infix(">", COMPARISON_PRECEDENCE),
            Self::Ge => Notation::Infix(">=", COMPARISON_PRECEDENCE),
            Self::Rotl => Notation::Named("rotl"),
            Self::Rotr => Notation::Named("rotr"),
            Self::Min => Notation::Named("min"),
            Self::Max => Notation::Named("max"),
        }
    }

    /// The operator that is written as a call of `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.spelling().is_named(name))
    }

    /// The operator that is written `symbol` between its operands, with its precedence.
    pub fn from_symbol(symbol: &str) -> Option<(Self, u8)> {
        let op = match symbol {
            "+" => Self::Add,
            "-" => Self::Sub,
            "*" => Self::Mul,
            "/" => Self::Div,
            "%" => Self::Rem,
            "&" => Self::And,
            "|" => Self::Or,
            "^" => Self::Xor,
            "<<" => Self::Shl,
            ">>" => Self::Shr,
            "==" => Self::Eq,
            "!=" => Self::Ne,
            "<" => Self::Lt,
            "<=" => Self::Le,
            ">" => Self::Gt,
            ">=" => Self::Ge,
            _ => return None,
        };
        match op.spelling() {
            Notation::Infix(_, precedence) => Some((op, precedence)),
            Notation::Prefix(_) | Notation::Named(_) => None,
        }
    }
}

impl Notation {
    fn is_named(self, name: &str) -> bool {
        matches!(self, Self::Named(spelled) if spelled == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_read_as_they_are_spelled() {
        for op in BinOp::ALL {
            match op.spelling() {
                Notation::Infix(symbol, precedence) => {
                    assert_eq!(BinOp::from_symbol(symbol), Some((op, precedence)));
                }
                Notation::Named(name) => assert_eq!(BinOp::from_name(name), Some(op)),
                Notation::Prefix(_) => panic!("{op:?} has two operands"),
            }
        }
        for op in UnOp::ALL {
            if let Notation::Named(name) = op.spelling() {
                assert_eq!(UnOp::from_name(name), Some(op));
            }
        }
    }
}
