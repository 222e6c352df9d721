//! Operators: what there is, and how it is spelled. What they mean is in
//! [`semantics`](crate::semantics).

use super::types::ArithTy;

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
pub enum Spelling {
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
    pub const fn spelling(self) -> Spelling {
        match self {
            Self::Neg => Spelling::Prefix("-"),
            Self::Not => Spelling::Prefix("~"),
            Self::Clz => Spelling::Named("clz"),
            Self::Ctz => Spelling::Named("ctz"),
            Self::Popcnt => Spelling::Named("popcnt"),
            Self::Bswap => Spelling::Named("bswap"),
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
    pub const fn result_ty(self, operands: ArithTy) -> ArithTy {
        if self.is_comparison() { ArithTy::I32 } else { operands }
    }

    /// How it is written.
    pub const fn spelling(self) -> Spelling {
        match self {
            Self::Mul => Spelling::Infix("*", 7),
            Self::Div => Spelling::Infix("/", 7),
            Self::Rem => Spelling::Infix("%", 7),
            Self::Add => Spelling::Infix("+", 6),
            Self::Sub => Spelling::Infix("-", 6),
            Self::Shl => Spelling::Infix("<<", 5),
            Self::Shr => Spelling::Infix(">>", 5),
            Self::And => Spelling::Infix("&", 4),
            Self::Xor => Spelling::Infix("^", 3),
            Self::Or => Spelling::Infix("|", 2),
            Self::Eq => Spelling::Infix("==", COMPARISON_PRECEDENCE),
            Self::Ne => Spelling::Infix("!=", COMPARISON_PRECEDENCE),
            Self::Lt => Spelling::Infix("<", COMPARISON_PRECEDENCE),
            Self::Le => Spelling::Infix("<=", COMPARISON_PRECEDENCE),
            Self::Gt => Spelling::Infix(">", COMPARISON_PRECEDENCE),
            Self::Ge => Spelling::Infix(">=", COMPARISON_PRECEDENCE),
            Self::Rotl => Spelling::Named("rotl"),
            Self::Rotr => Spelling::Named("rotr"),
            Self::Min => Spelling::Named("min"),
            Self::Max => Spelling::Named("max"),
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
            Spelling::Infix(_, precedence) => Some((op, precedence)),
            Spelling::Prefix(_) | Spelling::Named(_) => None,
        }
    }
}

impl Spelling {
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
                Spelling::Infix(symbol, precedence) => {
                    assert_eq!(BinOp::from_symbol(symbol), Some((op, precedence)));
                }
                Spelling::Named(name) => assert_eq!(BinOp::from_name(name), Some(op)),
                Spelling::Prefix(_) => panic!("{op:?} has two operands"),
            }
        }
        for op in UnOp::ALL {
            if let Spelling::Named(name) = op.spelling() {
                assert_eq!(UnOp::from_name(name), Some(op));
            }
        }
    }
}
