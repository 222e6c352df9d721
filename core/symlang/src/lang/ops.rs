//! Operators. Each is declared once: how it is written, what operands it takes, what it yields,
//! what can go wrong, and what generators use it for. The parser, the printer, the interpreter's
//! dispatch, the hazards and the candidates of generators follow from the declaration. What an
//! operator computes is in [`semantics::table`](crate::semantics::table).

use super::types::{FloatTy, IntTy, ValueTy, WordTy};
use crate::dialect::{Hazard, HazardSet};

/// Calls a macro with the declarations of all operators, after the macro's own arguments.
///
/// A declaration reads: text and notation; class of the operands, and the type of the result;
/// hazards at all types; further hazards at signed types; what generators use the operator for.
/// An operator of the class `Number` has no hazards at floating-point types.
macro_rules! with_operators {
    ($callback:ident! { $($args:tt)* }) => {
        $callback! {
            { $($args)* }
            unary {
                /// `-a`
                Neg { "-" Prefix, Number -> Same, any [], signed [SignedOverflow], [Term] }
                /// `~a`
                Not { "~" Prefix, Int -> Same, any [], signed [], [Term] }
                /// `clz(a)`: how many leading bits are zero
                Clz { "clz" Named, Int -> Same, any [CountOfZero], signed [], [Term Intrinsic] }
                /// `ctz(a)`: how many trailing bits are zero
                Ctz { "ctz" Named, Int -> Same, any [CountOfZero], signed [], [Term Intrinsic] }
                /// `popcnt(a)`: how many bits are one
                Popcnt { "popcnt" Named, Int -> Same, any [], signed [], [Term Intrinsic] }
                /// `bswap(a)`: the bytes in reverse order
                Bswap { "bswap" Named, Int -> Same, any [], signed [], [Term Intrinsic] }
                /// `bitrev(a)`: the bits in reverse order
                Bitrev { "bitrev" Named, Int -> Same, any [], signed [], [Intrinsic] }
                /// `abs(a)`: the absolute value; of an unsigned type, the operand
                Abs { "abs" Named, Number -> Same, any [], signed [SignedOverflow], [Intrinsic] }
                /// `sqrt(a)`: the square root
                Sqrt { "sqrt" Named, Float -> Same, any [], signed [], [Term] }
                /// `floor(a)`: the largest integer that is not greater
                Floor { "floor" Named, Float -> Same, any [], signed [], [Term] }
                /// `ceil(a)`: the smallest integer that is not less
                Ceil { "ceil" Named, Float -> Same, any [], signed [], [Term] }
                /// `trunc(a)`: the number without its fraction
                Trunc { "trunc" Named, Float -> Same, any [], signed [], [Term] }
                /// `nearest(a)`: the nearest integer, ties to even
                Nearest { "nearest" Named, Float -> Same, any [], signed [], [Term] }
                /// `bits(a)`: the bits, as an unsigned integer
                Bits { "bits" Named, Float -> Bits, any [NanBits], signed [], [] }
                /// `from_bits(a)`: the floating-point number with these bits
                FromBits { "from_bits" Named, Int -> FromBits, any [], signed [], [] }
                /// `sat_i32(a)`: the number without its fraction, or the limit that is nearest to
                /// it; 0 for NaN
                SatI32 { "sat_i32" Named, Float -> I32, any [], signed [], [] }
                /// `sat_u32(a)`
                SatU32 { "sat_u32" Named, Float -> U32, any [], signed [], [] }
                /// `sat_i64(a)`
                SatI64 { "sat_i64" Named, Float -> I64, any [], signed [], [] }
                /// `sat_u64(a)`
                SatU64 { "sat_u64" Named, Float -> U64, any [], signed [], [] }
            }
            binary {
                /// `a + b`
                Add { "+" Infix(6), Number -> Same, any [], signed [SignedOverflow], [Term Join] }
                /// `a - b`
                Sub { "-" Infix(6), Number -> Same, any [], signed [SignedOverflow], [Term Join] }
                /// `a * b`
                Mul { "*" Infix(7), Number -> Same, any [], signed [SignedOverflow], [Term] }
                /// `a / b`, rounded towards zero
                Div { "/" Infix(7), Number -> Same, any [DivisionByZero], signed [QuotientOverflow], [Term] }
                /// `a % b`, with the sign of `a`
                Rem { "%" Infix(7), Int -> Same, any [DivisionByZero], signed [RemainderOverflow], [Term] }
                /// `a & b`
                And { "&" Infix(4), Int -> Same, any [], signed [], [Term Join] }
                /// `a | b`
                Or { "|" Infix(2), Int -> Same, any [], signed [], [Term Join] }
                /// `a ^ b`
                Xor { "^" Infix(3), Int -> Same, any [], signed [], [Term Join] }
                /// `a << b`
                Shl { "<<" Infix(5), Int -> Same, any [ShiftCount], signed [ShiftedOut], [] }
                /// `a >> b`: arithmetic if the type is signed, logical if it is not
                Shr { ">>" Infix(5), Int -> Same, any [ShiftCount], signed [], [Term] }
                /// `rotl(a, b)`: rotation to the left by `b` modulo the width
                Rotl { "rotl" Named, Int -> Same, any [], signed [], [Term Intrinsic] }
                /// `rotr(a, b)`: rotation to the right by `b` modulo the width
                Rotr { "rotr" Named, Int -> Same, any [], signed [], [Term Intrinsic] }
                /// `min(a, b)`
                Min { "min" Named, Number -> Same, any [], signed [], [Term Join Intrinsic] }
                /// `max(a, b)`
                Max { "max" Named, Number -> Same, any [], signed [], [Term Join Intrinsic] }
                /// `mulh(a, b)`: the upper half of the product, which has twice as many bits
                Mulh { "mulh" Named, Int -> Same, any [], signed [], [Intrinsic] }
                /// `addsat(a, b)`: the sum, or the limit of the type that is nearest to it
                Addsat { "addsat" Named, Int -> Same, any [], signed [], [Intrinsic] }
                /// `subsat(a, b)`: the difference, or the limit of the type that is nearest to it
                Subsat { "subsat" Named, Int -> Same, any [], signed [], [Intrinsic] }
                /// `copysign(a, b)`: `a` with the sign of `b`
                Copysign { "copysign" Named, Float -> Same, any [NanBits], signed [], [Term Join] }
                /// `cmp(a, b)`: -1 if `a < b`, 0 if they are equal, 1 if `a > b`
                Cmp { "cmp" Named, Int -> Order, any [], signed [], [Intrinsic] }
                /// `a == b`
                Eq { "==" Infix(COMPARISON_PRECEDENCE), Number -> Condition, any [], signed [], [Compare] }
                /// `a != b`
                Ne { "!=" Infix(COMPARISON_PRECEDENCE), Number -> Condition, any [], signed [], [Compare] }
                /// `a < b`
                Lt { "<" Infix(COMPARISON_PRECEDENCE), Number -> Condition, any [], signed [], [Compare] }
                /// `a <= b`
                Le { "<=" Infix(COMPARISON_PRECEDENCE), Number -> Condition, any [], signed [], [Compare] }
                /// `a > b`
                Gt { ">" Infix(COMPARISON_PRECEDENCE), Number -> Condition, any [], signed [], [Compare] }
                /// `a >= b`
                Ge { ">=" Infix(COMPARISON_PRECEDENCE), Number -> Condition, any [], signed [], [Compare] }
            }
        }
    };
}
pub(crate) use with_operators;

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

/// The types that an operator takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandClass {
    /// Integers.
    Int,
    /// Floating-point numbers.
    Float,
    /// Either.
    Number,
}

impl OperandClass {
    /// Whether operands of type `ty` are of this class.
    pub const fn has(self, ty: ValueTy) -> bool {
        match (self, ty) {
            (Self::Int | Self::Number, ValueTy::Int(_)) => true,
            (Self::Float | Self::Number, ValueTy::Float(_)) => true,
            (Self::Float, ValueTy::Int(_)) | (Self::Int, ValueTy::Float(_)) => false,
        }
    }

    /// What its operands are, in messages.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Int => "integers",
            Self::Float => "floating-point numbers",
            Self::Number => "numbers",
        }
    }
}

/// The type that an operator yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultTy {
    /// That of its operands.
    Same,
    /// [`ValueTy::CONDITION`]: 1 or 0.
    Condition,
    /// [`ValueTy::ORDER`]: -1, 0 or 1.
    Order,
    /// The unsigned integer type as wide as its operand.
    Bits,
    /// The floating-point type as wide as its operand.
    FromBits,
    /// `i32`.
    I32,
    /// `u32`.
    U32,
    /// `i64`.
    I64,
    /// `u64`.
    U64,
}

/// What generators use an operator for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpUse {
    /// To make a term of a variable and a constant, or of a variable alone.
    Term,
    /// To join terms.
    Join,
    /// To compare.
    Compare,
    /// To make trees of operators that compilers know as intrinsics or idioms.
    Intrinsic,
}

/// How tight comparisons bind: the loosest of all. They do not chain.
pub const COMPARISON_PRECEDENCE: u8 = 1;

macro_rules! notation {
    ($text:literal Infix($precedence:expr)) => {
        Notation::Infix($text, $precedence)
    };
    ($text:literal $notation:ident) => {
        Notation::$notation($text)
    };
}

macro_rules! hazard_set {
    ($($hazard:ident)*) => {
        HazardSet::NONE$(.with(Hazard::$hazard))*
    };
}

macro_rules! declare {
    (
        {}
        unary { $($unary:tt)* }
        binary { $($binary:tt)* }
    ) => {
        declare! { @enum "An operator with one operand." UnOp $($unary)* }
        declare! { @enum "An operator with two operands of one type." BinOp $($binary)* }
    };
    (@enum $about:literal $name:ident $(
        $(#[doc = $doc:literal])+
        $op:ident {
            $text:literal $notation:ident $(($precedence:expr))?, $class:ident -> $result:ident,
            any [$($any:ident)*], signed [$($signed:ident)*], [$($used:ident)*]
        }
    )*) => {
        #[doc = $about]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name {
            $($(#[doc = $doc])+ $op,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: [Self; [$(Self::$op),*].len()] = [$(Self::$op),*];

            /// How it is written.
            pub const fn notation(self) -> Notation {
                match self {
                    $(Self::$op => notation!($text $notation $(($precedence))?),)*
                }
            }

            /// The types that it takes.
            pub const fn operands(self) -> OperandClass {
                match self {
                    $(Self::$op => OperandClass::$class,)*
                }
            }

            /// The type that it yields.
            pub const fn result(self) -> ResultTy {
                match self {
                    $(Self::$op => ResultTy::$result,)*
                }
            }

            /// The type of the result for operands of type `operands`.
            #[inline]
            pub const fn result_ty(self, operands: ValueTy) -> ValueTy {
                match self.result() {
                    ResultTy::Same => operands,
                    ResultTy::Condition => ValueTy::CONDITION,
                    ResultTy::Order => ValueTy::ORDER,
                    ResultTy::Bits => match operands.bits() {
                        32 => ValueTy::Int(WordTy::U32),
                        _ => ValueTy::Int(WordTy::U64),
                    },
                    ResultTy::FromBits => match operands.bits() {
                        32 => ValueTy::Float(FloatTy::F32),
                        _ => ValueTy::Float(FloatTy::F64),
                    },
                    ResultTy::I32 => ValueTy::Int(WordTy::I32),
                    ResultTy::U32 => ValueTy::Int(WordTy::U32),
                    ResultTy::I64 => ValueTy::Int(WordTy::I64),
                    ResultTy::U64 => ValueTy::Int(WordTy::U64),
                }
            }

            /// Whether it takes operands of type `ty`.
            pub const fn takes(self, ty: ValueTy) -> bool {
                self.operands().has(ty)
            }

            /// The hazards that it can run into on operands of type `ty`, whatever the dialect.
            pub const fn hazards(self, ty: ValueTy) -> HazardSet {
                let (any, signed) = match self {
                    $(Self::$op => (hazard_set!($($any)*), hazard_set!($($signed)*)),)*
                };
                match (ty, self.operands()) {
                    (ValueTy::Int(ty), _) if IntTy::from_word(ty).is_signed() => any.or(signed),
                    (ValueTy::Int(_), _) | (ValueTy::Float(_), OperandClass::Float) => any,
                    (ValueTy::Float(_), OperandClass::Int | OperandClass::Number) => {
                        HazardSet::NONE
                    }
                }
            }

            /// Whether generators use it so.
            pub const fn is_used_to(self, role: OpUse) -> bool {
                match self {
                    $(Self::$op => {
                        let roles: &[OpUse] = &[$(OpUse::$used),*];
                        let mut at = 0;
                        while at < roles.len() {
                            if roles[at] as u8 == role as u8 {
                                return true;
                            }
                            at += 1;
                        }
                        false
                    })*
                }
            }

            /// The operator that is written as a call of `name`.
            pub fn from_name(name: &str) -> Option<Self> {
                let op = match name {
                    $($text => Self::$op,)*
                    _ => return None,
                };
                match op.notation() {
                    Notation::Named(_) => Some(op),
                    Notation::Prefix(_) | Notation::Infix(..) => None,
                }
            }

            /// The operator that is written as `symbol`, before or between its operands.
            fn of_symbol(symbol: &str) -> Option<Self> {
                match symbol {
                    $($text => Some(Self::$op),)*
                    _ => None,
                }
            }
        }
    };
}

with_operators!(declare! {});

impl UnOp {
    /// The operator that is written as `symbol` before its operand.
    pub fn from_symbol(symbol: &str) -> Option<Self> {
        let op = Self::of_symbol(symbol)?;
        match op.notation() {
            Notation::Prefix(_) => Some(op),
            Notation::Infix(..) | Notation::Named(_) => None,
        }
    }
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
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

impl BinOp {
    /// The comparison that it is, if it is one.
    pub const fn as_comparison(self) -> Option<Comparison> {
        match self {
            Self::Eq => Some(Comparison::Eq),
            Self::Ne => Some(Comparison::Ne),
            Self::Lt => Some(Comparison::Lt),
            Self::Le => Some(Comparison::Le),
            Self::Gt => Some(Comparison::Gt),
            Self::Ge => Some(Comparison::Ge),
            Self::Add | Self::Sub | Self::Mul | Self::Div | Self::Rem => None,
            Self::And | Self::Or | Self::Xor => None,
            Self::Shl | Self::Shr | Self::Rotl | Self::Rotr => None,
            Self::Min | Self::Max | Self::Mulh | Self::Addsat | Self::Subsat => None,
            Self::Copysign => None,
            // It yields an order, which is no condition: -1 is as true as 1.
            Self::Cmp => None,
        }
    }

    /// Whether it compares.
    pub const fn is_comparison(self) -> bool {
        match self.result() {
            ResultTy::Condition => true,
            ResultTy::Same
            | ResultTy::Order
            | ResultTy::Bits
            | ResultTy::FromBits
            | ResultTy::I32
            | ResultTy::U32
            | ResultTy::I64
            | ResultTy::U64 => false,
        }
    }

    /// The operator that is written as `symbol` between its operands, and how tight it binds.
    pub fn from_symbol(symbol: &str) -> Option<(Self, u8)> {
        let op = Self::of_symbol(symbol)?;
        match op.notation() {
            Notation::Infix(_, precedence) => Some((op, precedence)),
            Notation::Prefix(_) | Notation::Named(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_read_as_they_are_written() {
        for op in BinOp::ALL {
            match op.notation() {
                Notation::Infix(symbol, precedence) => {
                    assert_eq!(BinOp::from_symbol(symbol), Some((op, precedence)));
                    assert_eq!(BinOp::from_name(symbol), None);
                }
                Notation::Named(name) => {
                    assert_eq!(BinOp::from_name(name), Some(op));
                    assert_eq!(BinOp::from_symbol(name), None);
                }
                Notation::Prefix(_) => panic!("{op:?} has two operands"),
            }
        }
        for op in UnOp::ALL {
            match op.notation() {
                Notation::Prefix(symbol) => assert_eq!(UnOp::from_symbol(symbol), Some(op)),
                Notation::Named(name) => assert_eq!(UnOp::from_name(name), Some(op)),
                Notation::Infix(..) => panic!("{op:?} has one operand"),
            }
        }
        assert_eq!(BinOp::from_name("rotx"), None);
    }

    #[test]
    fn comparisons_yield_conditions() {
        for op in BinOp::ALL {
            assert_eq!(op.is_comparison(), op.is_used_to(OpUse::Compare));
            assert_eq!(op.is_comparison(), op.as_comparison().is_some());
            let wide = ValueTy::Int(WordTy::U64);
            let expected = match op.result() {
                ResultTy::Condition => ValueTy::CONDITION,
                ResultTy::Order => ValueTy::ORDER,
                _ => wide,
            };
            assert_eq!(op.result_ty(wide), expected);
        }
    }

    #[test]
    fn conversions_by_operators_yield_other_types() {
        let [f32, f64] = FloatTy::ALL.map(ValueTy::Float);
        assert_eq!(UnOp::Bits.result_ty(f32), ValueTy::Int(WordTy::U32));
        assert_eq!(UnOp::Bits.result_ty(f64), ValueTy::Int(WordTy::U64));
        assert_eq!(UnOp::FromBits.result_ty(ValueTy::Int(WordTy::I32)), f32);
        assert_eq!(UnOp::FromBits.result_ty(ValueTy::Int(WordTy::U64)), f64);
        assert_eq!(UnOp::SatI64.result_ty(f32), ValueTy::Int(WordTy::I64));
    }

    #[test]
    fn operators_take_what_their_class_has() {
        let (int, float) = (ValueTy::Int(WordTy::I32), ValueTy::Float(FloatTy::F32));
        assert!(BinOp::Add.takes(int) && BinOp::Add.takes(float));
        assert!(BinOp::Rem.takes(int) && !BinOp::Rem.takes(float));
        assert!(UnOp::Sqrt.takes(float) && !UnOp::Sqrt.takes(int));
        assert_eq!(BinOp::Div.hazards(float), HazardSet::NONE);
        assert_eq!(BinOp::Copysign.hazards(float), HazardSet::only(Hazard::NanBits));
    }

    #[test]
    fn signed_types_have_further_hazards() {
        let hazards = |ty| BinOp::Div.hazards(ValueTy::Int(ty));
        assert_eq!(hazards(WordTy::U32), HazardSet::only(Hazard::DivisionByZero));
        let both = HazardSet::only(Hazard::DivisionByZero).with(Hazard::QuotientOverflow);
        assert_eq!(hazards(WordTy::I64), both);
    }
}
