//! Operators that C has no operator for and that compilers recognize by their form. Each has
//! several forms, and lowering options say which one a function uses. What an operator becomes is
//! a small function, so that operands are evaluated once.
//!
//! No form is undefined for operands for which SYMLANG defines the operator.

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{BinOp, Expr, Function, Program, UnOp, WordTy};
use serde::{Deserialize, Serialize};

use crate::floats::FloatForms;
use crate::types::{is_wide, type_name, unsigned};

/// Which of its forms each operator takes that compilers recognize by its form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Idioms {
    /// Absolute values.
    pub abs: AbsForm,
    /// Three-way comparisons.
    pub cmp: CmpForm,
    /// Upper halves of products.
    pub mulh: MulhForm,
    /// Bits in reverse order.
    pub bitrev: BitrevForm,
    /// Saturating sums and differences.
    pub saturation: SaturationForm,
    /// Operators on floating-point numbers.
    #[serde(skip_serializing_if = "FloatForms::is_default")]
    pub floats: FloatForms,
}

/// What an absolute value becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AbsForm {
    /// `a < 0 ? -a : a`
    #[default]
    Select,
    /// `__builtin_abs(a)`
    Builtin,
    /// `(a ^ m) - m`, with a mask of the sign
    Mask,
    /// `a > -a ? a : -a`
    Maximum,
}

/// What a three-way comparison becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CmpForm {
    /// `(a > b) - (a < b)`
    #[default]
    Difference,
    /// `a < b ? -1 : a > b`
    Select,
    /// `a == b ? 0 : a < b ? -1 : 1`
    Equality,
}

/// What the upper half of a product becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MulhForm {
    /// A product in a type of twice the width.
    #[default]
    Wide,
    /// Products of halves.
    Halves,
}

/// What reversing bits becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BitrevForm {
    /// Neighbours change places, then pairs of them, and so on.
    #[default]
    Ladder,
    /// The builtin of clang; for other compilers, the ladder.
    Builtin,
    /// The ladder within bytes, and a builtin that swaps them.
    Bswap,
    /// One bit after the other.
    Loop,
}

/// What saturating sums and differences become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SaturationForm {
    /// `__builtin_add_overflow` and a limit.
    #[default]
    Builtin,
    /// Comparisons with what is left up to the limit.
    Compare,
    /// In a wider type, between the limits.
    Wide,
    /// In the unsigned type, with overflow found in its bits.
    Unsigned,
}

/// An operator at a type that becomes a function of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Idiom {
    Abs,
    Bitrev,
    Cmp,
    Mulh,
    Addsat,
    Subsat,
}

impl Idiom {
    const fn unary(op: UnOp) -> Option<Self> {
        match op {
            UnOp::Abs => Some(Self::Abs),
            UnOp::Bitrev => Some(Self::Bitrev),
            UnOp::Neg | UnOp::Not | UnOp::Clz | UnOp::Ctz | UnOp::Popcnt | UnOp::Bswap => None,
            UnOp::Sqrt | UnOp::Floor | UnOp::Ceil | UnOp::Trunc | UnOp::Nearest => None,
            UnOp::Bits | UnOp::FromBits => None,
            UnOp::SatI32 | UnOp::SatU32 | UnOp::SatI64 | UnOp::SatU64 => None,
        }
    }

    const fn binary(op: BinOp) -> Option<Self> {
        match op {
            BinOp::Cmp => Some(Self::Cmp),
            BinOp::Mulh => Some(Self::Mulh),
            BinOp::Addsat => Some(Self::Addsat),
            BinOp::Subsat => Some(Self::Subsat),
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => None,
            BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => None,
            BinOp::Rotl | BinOp::Rotr | BinOp::Min | BinOp::Max | BinOp::Copysign => None,
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => None,
        }
    }
}

impl Idioms {
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
        let integers = Self::choose_for_integers(function, probability, rng);
        let floats = FloatForms::choose(program, function, probability, rng);
        Self { floats, ..integers }
    }

    fn choose_for_integers(function: &Function, probability: f64, rng: &mut Rng) -> Self {
        let mut has_idiom = false;
        function.for_each_expr(|_, expr| {
            has_idiom |= match expr {
                Expr::Unary(op, _) => Idiom::unary(*op).is_some(),
                Expr::Binary(op, ..) => Idiom::binary(*op).is_some(),
                Expr::Const(_) | Expr::Hole(..) | Expr::Read(_) => false,
                Expr::Select(..) | Expr::Cast(..) | Expr::Call(..) => false,
            };
        });
        if !has_idiom || !choose_bool(probability, rng) {
            return Self::default();
        }
        use {AbsForm as A, BitrevForm as B, CmpForm as C, MulhForm as M, SaturationForm as S};
        Self {
            abs: [A::Select, A::Builtin, A::Mask, A::Maximum][choose_below(4, rng)],
            cmp: [C::Difference, C::Select, C::Equality][choose_below(3, rng)],
            mulh: [M::Wide, M::Halves][choose_below(2, rng)],
            bitrev: [B::Ladder, B::Builtin, B::Bswap, B::Loop][choose_below(4, rng)],
            saturation: [S::Builtin, S::Compare, S::Wide, S::Unsigned][choose_below(4, rng)],
            floats: FloatForms::default(),
        }
    }

    /// The name of the function that an operator at a type becomes, and its C text.
    pub(crate) fn definition(self, idiom: Idiom, ty: WordTy) -> (String, String) {
        let (word, form, body) = match idiom {
            Idiom::Abs => ("abs", abs_name(self.abs), abs(self.abs, ty)),
            Idiom::Cmp => {
                let (name, body) = cmp(self.cmp);
                ("cmp", name, body.to_owned())
            }
            Idiom::Mulh => {
                let (name, body) = mulh(self.mulh, ty);
                ("mulh", name, body)
            }
            Idiom::Bitrev => return bitrev(self.bitrev, unsigned(ty)),
            Idiom::Addsat => {
                ("addsat", saturation_name(self.saturation), self.saturated(ty, "add"))
            }
            Idiom::Subsat => {
                ("subsat", saturation_name(self.saturation), self.saturated(ty, "sub"))
            }
        };
        let name = format!("ps_{word}_{form}_{ty}");
        let c_ty = type_name(ty.into());
        let result = if idiom == Idiom::Cmp { type_name(WordTy::I32.into()) } else { c_ty };
        let params = match idiom {
            Idiom::Abs | Idiom::Bitrev => format!("{c_ty} a"),
            Idiom::Cmp | Idiom::Mulh | Idiom::Addsat | Idiom::Subsat => {
                format!("{c_ty} a, {c_ty} b")
            }
        };
        let define = |body: &str| format!("static inline {result} {name}({params}) {{ {body} }}");
        let text = match self.without_int128(idiom, ty) {
            None => define(&body),
            Some(other) => format!(
                "#ifdef __SIZEOF_INT128__\n{}\n#else\n{}\n#endif",
                define(&body),
                define(&other)
            ),
        };
        (name, text)
    }

    /// What stands for an operator where there is no type of 128 bits, if its form has one.
    fn without_int128(self, idiom: Idiom, ty: WordTy) -> Option<String> {
        match idiom {
            Idiom::Mulh if is_wide(ty) && self.mulh == MulhForm::Wide => {
                Some(mulh(MulhForm::Halves, ty).1)
            }
            Idiom::Addsat | Idiom::Subsat
                if is_wide(ty) && self.saturation == SaturationForm::Wide =>
            {
                Some(saturated(SaturationForm::Compare, ty, idiom == Idiom::Addsat))
            }
            Idiom::Abs | Idiom::Bitrev | Idiom::Cmp => None,
            Idiom::Mulh | Idiom::Addsat | Idiom::Subsat => None,
        }
    }

    fn saturated(self, ty: WordTy, word: &str) -> String {
        saturated(self.saturation, ty, word == "add")
    }
}

const fn abs_name(form: AbsForm) -> &'static str {
    match form {
        AbsForm::Select => "select",
        AbsForm::Builtin => "builtin",
        AbsForm::Mask => "mask",
        AbsForm::Maximum => "maximum",
    }
}

/// The smallest value is the only one for which these overflow, and SYMLANG leaves that undefined.
fn abs(form: AbsForm, ty: WordTy) -> String {
    let c_ty = type_name(ty.into());
    match form {
        // An unsigned number is its own absolute value, in all forms.
        _ if !ty.is_signed() => "return a;".to_owned(),
        AbsForm::Select => "return a < 0 ? -a : a;".to_owned(),
        AbsForm::Builtin if is_wide(ty) => "return __builtin_llabs(a);".to_owned(),
        AbsForm::Builtin => "return __builtin_abs(a);".to_owned(),
        AbsForm::Mask => {
            format!("{c_ty} m = a >> {}; return (a ^ m) - m;", ty.bits() - 1)
        }
        AbsForm::Maximum => "return a > -a ? a : -a;".to_owned(),
    }
}

const fn cmp(form: CmpForm) -> (&'static str, &'static str) {
    match form {
        CmpForm::Difference => ("difference", "return (a > b) - (a < b);"),
        CmpForm::Select => ("select", "return a < b ? -1 : a > b;"),
        CmpForm::Equality => ("equality", "return a == b ? 0 : a < b ? -1 : 1;"),
    }
}

fn mulh(form: MulhForm, ty: WordTy) -> (&'static str, String) {
    let (c_ty, bits) = (type_name(ty.into()), ty.bits());
    match form {
        MulhForm::Wide => {
            let wide = wide_type(ty);
            ("wide", format!("return ({c_ty})({wide}a * b >> {bits});"))
        }
        MulhForm::Halves => {
            let (u, half) = (type_name(unsigned(ty).into()), bits / 2);
            // Products of signed numbers differ from those of their bits by an operand or two.
            let correction = match ty.is_signed() {
                true => " if (a < 0) r -= y; if (b < 0) r -= x;",
                false => "",
            };
            let body = format!(
                "const {u} m = (({u})1 << {half}) - 1, x = ({u})a, y = ({u})b; \
                 {u} t = (x >> {half}) * (y & m) + ((x & m) * (y & m) >> {half}); \
                 {u} w = (x & m) * (y >> {half}) + (t & m); \
                 {u} r = (x >> {half}) * (y >> {half}) + (t >> {half}) + (w >> {half});\
                 {correction} return ({c_ty})r;"
            );
            ("halves", body)
        }
    }
}

/// A cast to a type of twice the width. `__extension__` keeps pedantic compilers quiet.
const fn wide_type(ty: WordTy) -> &'static str {
    match ty {
        WordTy::I32 => "(int64_t)",
        WordTy::U32 => "(uint64_t)",
        WordTy::I64 => "__extension__ (__int128)",
        WordTy::U64 => "__extension__ (unsigned __int128)",
    }
}

/// On bits: the operand and the result are unsigned.
fn bitrev(form: BitrevForm, ty: WordTy) -> (String, String) {
    let (u, bits) = (type_name(ty.into()), ty.bits());
    let (masks, suffix): (&[&str], &str) = match is_wide(ty) {
        false => (&["55555555", "33333333", "0f0f0f0f", "00ff00ff"], "u"),
        true => {
            let masks = &[
                "5555555555555555",
                "3333333333333333",
                "0f0f0f0f0f0f0f0f",
                "00ff00ff00ff00ff",
                "0000ffff0000ffff",
            ];
            (masks, "uLL")
        }
    };
    let step = |(at, mask): (usize, &&str)| {
        let (shift, mask) = (1 << at, format!("0x{mask}{suffix}"));
        format!("a = (a >> {shift} & {mask}) | (a & {mask}) << {shift}; ")
    };
    let steps = |n: usize| masks.iter().enumerate().take(n).map(step).collect::<String>();
    let half = bits / 2;
    let ladder = format!("{}return a >> {half} | a << {half};", steps(masks.len()));
    let (form_name, body) = match form {
        BitrevForm::Ladder | BitrevForm::Builtin => ("ladder", ladder),
        BitrevForm::Bswap => ("bswap", format!("{}return __builtin_bswap{bits}(a);", steps(3))),
        BitrevForm::Loop => (
            "loop",
            format!(
                "{u} r = 0; for (int i = 0; i < {bits}; i++) {{ r = r << 1 | (a & 1); a >>= 1; }} \
                 return r;"
            ),
        ),
    };
    if form == BitrevForm::Builtin {
        let name = format!("ps_bitrev_builtin_{ty}");
        let text = format!(
            "#ifdef __clang__\n#define {name}(a) __builtin_bitreverse{bits}(a)\n#else\n\
             static inline {u} {name}({u} a) {{ {body} }}\n#endif"
        );
        return (name, text);
    }
    let name = format!("ps_bitrev_{form_name}_{ty}");
    let text = format!("static inline {u} {name}({u} a) {{ {body} }}");
    (name, text)
}

const fn saturation_name(form: SaturationForm) -> &'static str {
    match form {
        SaturationForm::Builtin => "builtin",
        SaturationForm::Compare => "compare",
        SaturationForm::Wide => "wide",
        SaturationForm::Unsigned => "unsigned",
    }
}

fn saturated(form: SaturationForm, ty: WordTy, is_sum: bool) -> String {
    let (c_ty, u) = (type_name(ty.into()), type_name(unsigned(ty).into()));
    let (is_signed, bits) = (ty.is_signed(), ty.bits());
    let (min, max) = match ty {
        WordTy::I32 => ("INT32_MIN", "INT32_MAX"),
        WordTy::U32 => ("0", "UINT32_MAX"),
        WordTy::I64 => ("INT64_MIN", "INT64_MAX"),
        WordTy::U64 => ("0", "UINT64_MAX"),
    };
    let (word, symbol) = if is_sum { ("add", "+") } else { ("sub", "-") };
    // The limit that an overflow is beyond: the sign of `a` says which.
    let limit = match (is_signed, is_sum) {
        (true, _) => format!("a < 0 ? {min} : {max}"),
        (false, true) => max.to_owned(),
        (false, false) => min.to_owned(),
    };
    match form {
        SaturationForm::Builtin => {
            format!("{c_ty} r; return __builtin_{word}_overflow(a, b, &r) ? ({limit}) : r;")
        }
        SaturationForm::Compare => match (is_signed, is_sum) {
            (true, true) => format!(
                "return b > 0 ? (a > {max} - b ? {max} : a + b) : (a < {min} - b ? {min} : a + b);"
            ),
            (true, false) => format!(
                "return b < 0 ? (a > {max} + b ? {max} : a - b) : (a < {min} + b ? {min} : a - b);"
            ),
            (false, true) => format!("return a > {max} - b ? {max} : a + b;"),
            (false, false) => "return a < b ? 0 : a - b;".to_owned(),
        },
        SaturationForm::Wide => {
            // Signed, so that a difference of unsigned numbers can be less than 0.
            let wide = if is_wide(ty) { "__int128" } else { "int64_t" };
            format!(
                "__extension__ {wide} r = ({wide})a {symbol} ({wide})b; \
                 return r < {min} ? {min} : r > {max} ? {max} : ({c_ty})r;"
            )
        }
        SaturationForm::Unsigned => match (is_signed, is_sum) {
            (true, _) => {
                // Operands of a sum that overflows have one sign, those of a difference two.
                let can = if is_sum { "~(x ^ y)" } else { "(x ^ y)" };
                format!(
                    "{u} x = ({u})a, y = ({u})b, r = x {symbol} y; \
                     return ({can} & (x ^ r)) >> {last} ? ({limit}) : ({c_ty})r;",
                    last = bits - 1
                )
            }
            (false, true) => format!("{u} r = a + b; return r | -({u})(r < a);"),
            (false, false) => format!("{u} r = a - b; return r & -({u})(r <= a);"),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pathsmith_symlang::Seed;
    use pathsmith_symlang::lang::text::parse;

    use super::*;

    #[test]
    fn names_tell_all_forms_apart() {
        let function = parse("test", "fn f(a: i32) -> i32 { entry: return abs(a); }").unwrap();
        let all =
            [Idiom::Abs, Idiom::Bitrev, Idiom::Cmp, Idiom::Mulh, Idiom::Addsat, Idiom::Subsat];
        let mut known: BTreeMap<String, String> = BTreeMap::new();
        for seed in 0..200 {
            let rng = &mut Seed::new(seed).rng();
            let idioms = Idioms::choose(&function, &function.functions[0], 0.9, rng);
            for (idiom, ty) in all.iter().flat_map(|op| WordTy::ALL.map(|ty| (*op, ty))) {
                let (name, text) = idioms.definition(idiom, ty);
                assert!(text.contains(&format!("{name}(")), "{text}");
                assert_eq!(*known.entry(name).or_insert_with(|| text.clone()), text);
            }
        }
        // Signed and unsigned numbers share the functions for bits.
        assert_eq!(known.len(), (4 + 3 + 2 + 4 + 4) * 4 + 4 * 2);
    }

    #[test]
    fn functions_without_idioms_draw_nothing() {
        let text = "fn f(a: i32, b: f64) -> i32 { entry: b = -b * 2.0; return -a; }";
        let program = parse("test", text).unwrap();
        for seed in 0..20 {
            let mut rng = Seed::new(seed).rng();
            let idioms = Idioms::choose(&program, &program.functions[0], 1.0, &mut rng);
            assert!(idioms.is_default());
            assert_eq!(rng, Seed::new(seed).rng());
        }
    }
}
