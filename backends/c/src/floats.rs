//! Operators on floating-point numbers that C has no operator for, or one that means something else.
//! Each becomes a builtin or a small function, and lowering options say which.
//!
//! All forms of an operator are equal for all operands, apart from which NaN they return: for zeros
//! of either sign, subnormal numbers, infinities and NaN. None is undefined for any operand. They
//! rely on arithmetic that is rounded to the type after each operation, to nearest.

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{
    BinOp, Expr, ExprTypes, FloatTy, Function, Program, UnOp, ValueTy, WordTy,
};
use serde::{Deserialize, Serialize};

use crate::types::type_name;

/// Which of its forms each operator on floating-point numbers takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FloatForms {
    /// How a number and its bits become each other.
    pub bits: BitsForm,
    /// Absolute values and copied signs.
    pub sign: SignForm,
    /// The lesser and the greater of two.
    pub min_max: MinMaxForm,
    /// Roundings to integers.
    pub rounding: RoundingForm,
    /// Saturating conversions to integers.
    pub conversion: ConversionForm,
}

/// How a number and its bits become each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BitsForm {
    /// Their bytes are copied.
    #[default]
    Memcpy,
    /// Through a union.
    Union,
}

/// What absolute values and copied signs become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SignForm {
    /// `__builtin_fabs(a)`
    #[default]
    Builtin,
    /// `a <= 0 ? 0 - a : a`
    Select,
    /// A mask of the bits.
    Mask,
}

/// What the lesser and the greater of two become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MinMaxForm {
    /// Comparisons, and the sign of equal ones.
    #[default]
    Compare,
    /// `__builtin_fmin(a, b)`, which knows neither of NaN nor of the sign of zeros what SYMLANG does:
    /// for different numbers.
    Builtin,
    /// A comparison of the bits as integers.
    Integer,
}

/// What roundings to integers become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoundingForm {
    /// `__builtin_floor(a)`; to the nearest, `__builtin_rint(a)`.
    #[default]
    Builtin,
    /// The same, and `__builtin_nearbyint(a)`.
    Nearbyint,
    /// By way of an integer, or of a number that is so large that it has no fraction.
    OpenCode,
}

/// What saturating conversions become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConversionForm {
    /// NaN first, then the limits.
    #[default]
    Compare,
    /// What is within the limits first.
    Range,
    /// Comparisons that NaN fails.
    Negated,
}

/// An operator on floating-point numbers that becomes a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatOp {
    Abs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    Nearest,
    Bits,
    FromBits,
    Copysign,
    Min,
    Max,
    /// To an integer type.
    Saturate(WordTy),
    /// The bits, with the one NaN for all: what tests observe. No operator does that.
    Canonical,
}

impl FloatOp {
    /// The call that an operator becomes on numbers or, for `from_bits`, their bits; none if C has an
    /// operator for it.
    pub(crate) const fn unary(op: UnOp) -> Option<Self> {
        match op {
            UnOp::Abs => Some(Self::Abs),
            UnOp::Sqrt => Some(Self::Sqrt),
            UnOp::Floor => Some(Self::Floor),
            UnOp::Ceil => Some(Self::Ceil),
            UnOp::Trunc => Some(Self::Trunc),
            UnOp::Nearest => Some(Self::Nearest),
            UnOp::Bits => Some(Self::Bits),
            UnOp::FromBits => Some(Self::FromBits),
            UnOp::SatI32 => Some(Self::Saturate(WordTy::I32)),
            UnOp::SatU32 => Some(Self::Saturate(WordTy::U32)),
            UnOp::SatI64 => Some(Self::Saturate(WordTy::I64)),
            UnOp::SatU64 => Some(Self::Saturate(WordTy::U64)),
            UnOp::Neg => None,
            // These take integers only.
            UnOp::Not | UnOp::Clz | UnOp::Ctz | UnOp::Popcnt | UnOp::Bswap | UnOp::Bitrev => None,
        }
    }

    /// The same for operators with two operands.
    pub(crate) const fn binary(op: BinOp) -> Option<Self> {
        match op {
            BinOp::Min => Some(Self::Min),
            BinOp::Max => Some(Self::Max),
            BinOp::Copysign => Some(Self::Copysign),
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div => None,
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => None,
            // These take integers only.
            BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => None,
            BinOp::Rotl | BinOp::Rotr | BinOp::Mulh | BinOp::Cmp => None,
            BinOp::Addsat | BinOp::Subsat => None,
        }
    }
}

/// What an operator becomes a call of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Callee {
    pub(crate) name: String,
    /// Its C text, unless it is a builtin.
    pub(crate) text: Option<String>,
}

/// The names of a floating-point type, and of the integers of its width.
struct Words {
    /// `double`
    c: &'static str,
    /// The suffix of builtins and literals.
    f: &'static str,
    u: &'static str,
    i: &'static str,
    /// The suffix of unsigned literals.
    ul: &'static str,
    sign: &'static str,
    magnitude: &'static str,
    nan: &'static str,
    /// From here on, numbers have no fraction; and they fit `i` up to here.
    whole: &'static str,
    last: u32,
}

const fn words(ty: FloatTy) -> Words {
    match ty {
        FloatTy::F32 => Words {
            c: "float",
            f: "f",
            u: "uint32_t",
            i: "int32_t",
            ul: "u",
            sign: "0x80000000u",
            magnitude: "0x7fffffff",
            nan: "0x7fc00000",
            whole: "0x1p23f",
            last: 31,
        },
        FloatTy::F64 => Words {
            c: "double",
            f: "",
            u: "uint64_t",
            i: "int64_t",
            ul: "uLL",
            sign: "0x8000000000000000uLL",
            magnitude: "0x7fffffffffffffff",
            nan: "0x7ff8000000000000",
            whole: "0x1p52",
            last: 63,
        },
    }
}

impl FloatForms {
    /// Whether all operators take their first form.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Draws forms for a function, or leaves them at the first. One without such operators draws
    /// nothing.
    pub(crate) fn choose(
        program: &Program,
        function: &Function,
        probability: f64,
        rng: &mut Rng,
    ) -> Self {
        let mut types = None;
        let mut has_form = false;
        function.for_each_expr(|_, expr| {
            let (op, operand) = match expr {
                Expr::Unary(op, operand) => (FloatOp::unary(*op), *operand),
                Expr::Binary(op, lhs, _) => (FloatOp::binary(*op), *lhs),
                Expr::Const(_) | Expr::Hole(..) | Expr::Read(_) => return,
                Expr::Select(..) | Expr::Cast(..) | Expr::Call(..) => return,
            };
            let Some(op) = op else { return };
            let types = types.get_or_insert_with(|| ExprTypes::new(program, function));
            has_form |= op == FloatOp::FromBits || !types.of(operand).is_int();
        });
        if !has_form || !choose_bool(probability, rng) {
            return Self::default();
        }
        use {
            BitsForm as B, ConversionForm as C, MinMaxForm as M, RoundingForm as R, SignForm as S,
        };
        Self {
            bits: [B::Memcpy, B::Union][choose_below(2, rng)],
            sign: [S::Builtin, S::Select, S::Mask][choose_below(3, rng)],
            min_max: [M::Compare, M::Builtin, M::Integer][choose_below(3, rng)],
            rounding: [R::Builtin, R::Nearbyint, R::OpenCode][choose_below(3, rng)],
            conversion: [C::Compare, C::Range, C::Negated][choose_below(3, rng)],
        }
    }

    /// What an operator on numbers of a type, or on their bits, becomes a call of.
    pub(crate) fn callee(self, op: FloatOp, ty: FloatTy) -> Callee {
        let Words { c, f, u, .. } = words(ty);
        let builtin = |word: &str| Callee { name: format!("__builtin_{word}{f}"), text: None };
        let define = |word: &str, result: &str, params: &str, body: String| {
            let name = format!("ps_{word}_{ty}");
            let text = format!("static inline {result} {name}({params}) {{ {body} }}");
            Callee { name, text: Some(text) }
        };
        let one = format!("{c} a");
        let two = format!("{c} a, {c} b");
        match op {
            FloatOp::Sqrt => builtin("sqrt"),
            FloatOp::Abs => match self.sign {
                SignForm::Builtin => builtin("fabs"),
                SignForm::Select => {
                    define("fabs_select", c, &one, "return a <= 0 ? 0 - a : a;".into())
                }
                SignForm::Mask => define("fabs_mask", c, &one, masked_abs(ty)),
            },
            FloatOp::Copysign => match self.sign {
                SignForm::Builtin => builtin("copysign"),
                SignForm::Select => {
                    let body = format!(
                        "{c} m = __builtin_fabs{f}(a); return __builtin_signbit{f}(b) ? -m : m;"
                    );
                    define("copysign_select", c, &two, body)
                }
                SignForm::Mask => define("copysign_mask", c, &two, masked_copysign(ty)),
            },
            FloatOp::Min => define(
                &format!("fmin_{}", self.min_max.name()),
                c,
                &two,
                self.min_max.body(ty, true),
            ),
            FloatOp::Max => define(
                &format!("fmax_{}", self.min_max.name()),
                c,
                &two,
                self.min_max.body(ty, false),
            ),
            FloatOp::Floor | FloatOp::Ceil | FloatOp::Trunc | FloatOp::Nearest => {
                let (word, body) = open_rounding(op, ty);
                match (self.rounding, op) {
                    (RoundingForm::OpenCode, _) => define(&format!("{word}_open"), c, &one, body),
                    (RoundingForm::Nearbyint, FloatOp::Nearest) => builtin("nearbyint"),
                    (RoundingForm::Builtin | RoundingForm::Nearbyint, _) => builtin(word),
                }
            }
            FloatOp::Bits => match self.bits {
                BitsForm::Memcpy => {
                    let body = format!("{u} r; __builtin_memcpy(&r, &a, sizeof r); return r;");
                    define("bits_memcpy", u, &one, body)
                }
                BitsForm::Union => {
                    let body = format!("union {{ {c} f; {u} u; }} r = {{a}}; return r.u;");
                    define("bits_union", u, &one, body)
                }
            },
            FloatOp::FromBits => {
                let param = format!("{u} a");
                match self.bits {
                    BitsForm::Memcpy => {
                        let body = format!("{c} r; __builtin_memcpy(&r, &a, sizeof r); return r;");
                        define("from_bits_memcpy", c, &param, body)
                    }
                    BitsForm::Union => {
                        let body = format!("union {{ {u} u; {c} f; }} r = {{a}}; return r.f;");
                        define("from_bits_union", c, &param, body)
                    }
                }
            }
            FloatOp::Saturate(to) => {
                let word = format!("sat_{}_{to}", self.conversion.name());
                define(&word, type_name(to.into()), &one, self.conversion.body(ty, to))
            }
            FloatOp::Canonical => {
                let (nan, ul) = (words(ty).nan, words(ty).ul);
                let body = format!(
                    "{u} r; __builtin_memcpy(&r, &a, sizeof r); return a != a ? {nan}{ul} : r;"
                );
                define("canonical", u, &one, body)
            }
        }
    }
}

fn masked_abs(ty: FloatTy) -> String {
    let Words { u, magnitude, ul, .. } = words(ty);
    format!(
        "{u} x; __builtin_memcpy(&x, &a, sizeof x); x &= {magnitude}{ul}; \
         __builtin_memcpy(&a, &x, sizeof x); return a;"
    )
}

fn masked_copysign(ty: FloatTy) -> String {
    let Words { u, magnitude, ul, sign, .. } = words(ty);
    format!(
        "{u} x, y; __builtin_memcpy(&x, &a, sizeof x); __builtin_memcpy(&y, &b, sizeof y); \
         x = (x & {magnitude}{ul}) | (y & {sign}); \
         __builtin_memcpy(&a, &x, sizeof x); return a;"
    )
}

impl MinMaxForm {
    const fn name(self) -> &'static str {
        match self {
            Self::Compare => "compare",
            Self::Builtin => "builtin",
            Self::Integer => "integer",
        }
    }

    /// NaN if either is, and -0 is less than 0.
    fn body(self, ty: FloatTy, is_min: bool) -> String {
        let Words { f, i, magnitude, last, .. } = words(ty);
        // Of equal numbers, the one with the sign bit, or the one without.
        let equal = match is_min {
            true => format!("__builtin_signbit{f}(a) ? a : b"),
            false => format!("__builtin_signbit{f}(a) ? b : a"),
        };
        let symbol = if is_min { "<" } else { ">" };
        match self {
            Self::Compare => format!(
                "return a != a || b != b ? a + b : a {symbol} b ? a : b {symbol} a ? b : {equal};"
            ),
            Self::Builtin => {
                let builtin = if is_min { "fmin" } else { "fmax" };
                format!(
                    "return a == b ? ({equal}) : a != a ? a : b != b ? b : __builtin_{builtin}{f}(a, b);"
                )
            }
            // Bits of negative numbers grow with their magnitude.
            Self::Integer => format!(
                "{i} x, y; __builtin_memcpy(&x, &a, sizeof x); __builtin_memcpy(&y, &b, sizeof y); \
                 x ^= x >> {last} & {magnitude}; y ^= y >> {last} & {magnitude}; \
                 return a != a ? a : b != b ? b : x {symbol} y ? a : b;"
            ),
        }
    }
}

/// The word for a rounding, and what it becomes without builtins that round.
fn open_rounding(op: FloatOp, ty: FloatTy) -> (&'static str, String) {
    let Words { c, f, i, whole, .. } = words(ty);
    // NaN and what has no fraction stay as they are, and so do the signs of zeros.
    let trunc =
        format!("__builtin_fabs{f}(a) < {whole} ? __builtin_copysign{f}(({c})({i})a, a) : a");
    match op {
        FloatOp::Floor => ("floor", format!("{c} t = {trunc}; return t > a ? t - 1 : t;")),
        FloatOp::Ceil => ("ceil", format!("{c} t = {trunc}; return t < a ? t + 1 : t;")),
        FloatOp::Nearest => (
            "rint",
            format!(
                "{c} m = __builtin_fabs{f}(a); \
                 return m < {whole} ? __builtin_copysign{f}(m + {whole} - {whole}, a) : a;"
            ),
        ),
        FloatOp::Trunc
        | FloatOp::Abs
        | FloatOp::Sqrt
        | FloatOp::Bits
        | FloatOp::FromBits
        | FloatOp::Copysign
        | FloatOp::Min
        | FloatOp::Max
        | FloatOp::Saturate(_)
        | FloatOp::Canonical => ("trunc", format!("return {trunc};")),
    }
}

impl ConversionForm {
    const fn name(self) -> &'static str {
        match self {
            Self::Compare => "compare",
            Self::Range => "range",
            Self::Negated => "negated",
        }
    }

    /// The conversion is made only if it is defined: for numbers above the lower limit less 1, and
    /// below the upper limit plus 1. The latter is a power of two.
    fn body(self, ty: FloatTy, to: WordTy) -> String {
        let Words { f, .. } = words(ty);
        let (low, high) = match to {
            WordTy::I32 => ("-0x1p31", "0x1p31"),
            WordTy::U32 => ("0x0p0", "0x1p32"),
            WordTy::I64 => ("-0x1p63", "0x1p63"),
            WordTy::U64 => ("0x0p0", "0x1p64"),
        };
        let (low, high) = (format!("{low}{f}"), format!("{high}{f}"));
        let (min, max) = match to {
            WordTy::I32 => ("INT32_MIN", "INT32_MAX"),
            WordTy::U32 => ("0", "UINT32_MAX"),
            WordTy::I64 => ("INT64_MIN", "INT64_MAX"),
            WordTy::U64 => ("0", "UINT64_MAX"),
        };
        let converted = format!("({})a", type_name(to.into()));
        match self {
            Self::Compare => format!(
                "return a != a ? 0 : a <= {low} ? {min} : a >= {high} ? {max} : {converted};"
            ),
            Self::Range => {
                let is_above = match to.is_signed() {
                    true => format!("a >= {low}"),
                    // What is above -1 becomes 0 too.
                    false => format!("a > -0x1p0{f}"),
                };
                format!(
                    "return {is_above} && a < {high} ? {converted} : a < {low} ? {min} : a > 0 ? {max} : 0;"
                )
            }
            Self::Negated => format!(
                "return !(a > {low}) ? (a == a ? {min} : 0) : !(a < {high}) ? {max} : {converted};"
            ),
        }
    }
}

/// Whether a program returns or keeps in globals what tests have to know to be floating-point
/// numbers.
pub(crate) fn are_observed(program: &Program) -> bool {
    let is_float = |ty: ValueTy| !ty.is_int();
    program.functions.iter().any(|function| is_float(function.ret))
        || program.globals.iter().any(|global| is_float(global.ty.cell_ty().widened()))
}

/// Whether a program computes with floating-point numbers anywhere.
pub(crate) fn are_used(program: &Program) -> bool {
    let is_float = |ty: ValueTy| !ty.is_int();
    are_observed(program)
        || program.functions.iter().any(|function| {
            let types = ExprTypes::new(program, function);
            let mut has_float =
                function.vars.iter().any(|var| is_float(var.ty.cell_ty().widened()));
            function.for_each_expr(|id, _| has_float |= is_float(types.of(id)));
            has_float
        })
}
