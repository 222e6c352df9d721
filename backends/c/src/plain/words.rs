//! Types, literals and declarations in plain C.

use pathsmith_symlang::lang::{ConstOrHole, FloatTy, IntTy, Scalar, ScalarTy, Var, VarTy, WordTy};

use crate::types::decimal;

/// The type that values are kept in.
pub(super) const fn type_name(ty: ScalarTy) -> &'static str {
    match ty {
        ScalarTy::Int(IntTy::I8) => "signed char",
        ScalarTy::Int(IntTy::U8) => "unsigned char",
        ScalarTy::Int(IntTy::I16) => "short",
        ScalarTy::Int(IntTy::U16) => "unsigned short",
        ScalarTy::Int(IntTy::I32) => "int",
        ScalarTy::Int(IntTy::U32) => "unsigned",
        ScalarTy::Int(IntTy::I64) => "long long",
        ScalarTy::Int(IntTy::U64) => "unsigned long long",
        ScalarTy::Float(FloatTy::F32) => "float",
        ScalarTy::Float(FloatTy::F64) => "double",
    }
}

/// A value as a number.
pub(super) fn wide(ty: WordTy, word: i64) -> i128 {
    IntTy::from_word(ty).to_wide(word)
}

/// A literal, and whether its C type is `int`. If it is not, it is as wide as `ty`.
pub(super) fn literal(ty: WordTy, word: i64) -> (String, bool) {
    let value = wide(ty, word);
    let max = i128::from(i32::MAX);
    if (-max..=max).contains(&value) {
        return (value.to_string(), true);
    }
    let is_int = ty == WordTy::I32;
    if ty.is_signed() && word == ty.min() {
        return (format!("(-{} - 1)", typed_literal(ty, ty.max())), is_int);
    }
    (typed_literal(ty, word), is_int)
}

/// A literal that is computed with in the type `ty` whatever its value is. The smallest signed values have none.
pub(super) fn typed_literal(ty: WordTy, word: i64) -> String {
    let value = wide(ty, word);
    let suffix = match ty {
        WordTy::I32 => "",
        WordTy::U32 => "u",
        // What does not fit an `int` is wide without a suffix.
        WordTy::I64 if value.abs() > i128::from(i32::MAX) => "",
        WordTy::I64 => "ll",
        WordTy::U64 => "ull",
    };
    format!("{value}{suffix}")
}

/// A literal for an initial value, an argument, a label or what is expected, which is converted to
/// the type that it is for.
pub(super) fn value(scalar: Scalar) -> String {
    match scalar.ty() {
        ScalarTy::Int(ty) => literal(ty.widened(), scalar.word()).0,
        ScalarTy::Float(ty) => decimal(ty, scalar.word()),
    }
}

/// `volatile int name[4]`
pub(super) fn declaration(name: &str, ty: &VarTy, volatile: bool) -> String {
    format!("{} {}", qualified_type(ty, volatile), declarator(name, ty))
}

/// `volatile int`
pub(super) fn qualified_type(ty: &VarTy, volatile: bool) -> String {
    let qualifier = if volatile { "volatile " } else { "" };
    format!("{qualifier}{}", type_name(ty.cell_ty()))
}

/// `name[4]`
pub(super) fn declarator(name: &str, ty: &VarTy) -> String {
    match ty {
        VarTy::Scalar(_) => name.to_owned(),
        VarTy::Array(_, len) => format!("{name}[{len}]"),
    }
}

/// Programs with holes are not lowered.
pub(super) fn initial_values(var: &Var) -> impl Iterator<Item = Scalar> {
    var.init.iter().map(|fill| match fill {
        ConstOrHole::Const(value) => *value,
        ConstOrHole::Hole(_) => Scalar::new(var.ty.cell_ty(), 0),
    })
}

pub(super) fn is_all_zero(var: &Var) -> bool {
    initial_values(var).all(|value| value.word() == 0)
}

/// The initial values of a variable.
pub(super) fn initializer(var: &Var) -> String {
    let values: Vec<Scalar> = initial_values(var).collect();
    match var.ty {
        VarTy::Scalar(_) => values.first().map_or("0".to_owned(), |first| value(*first)),
        VarTy::Array(..) if is_all_zero(var) => "{0}".to_owned(),
        VarTy::Array(..) => {
            let others: Vec<(usize, &Scalar)> =
                values.iter().enumerate().filter(|(_, value)| value.word() != 0).collect();
            let texts: Vec<String> = match others.len() * 4 < values.len() {
                true => others.iter().map(|(i, v)| format!("[{i}] = {}", value(**v))).collect(),
                false => {
                    let n = others.last().map_or(0, |(last, _)| last + 1);
                    values[..n].iter().map(|v| value(*v)).collect()
                }
            };
            format!("{{{}}}", texts.join(", "))
        }
    }
}

/// What the emitter of tests writes, in the words of plain C: types that need no header, and names
/// without a prefix.
pub(super) fn plain_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if len == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let (word, after) = rest.split_at(len);
        out.push_str(plain_word(word));
        rest = after;
    }
    out
}

fn plain_word(word: &str) -> &str {
    match word {
        "int32_t" => "int",
        "uint32_t" => "unsigned",
        "int64_t" => "long long",
        "uint64_t" => "unsigned long long",
        "INT32_MAX" => "2147483647",
        "INT32_MIN" => "(-2147483647 - 1)",
        "UINT32_MAX" => "4294967295u",
        "INT64_MAX" => "9223372036854775807",
        "INT64_MIN" => "(-9223372036854775807 - 1)",
        "UINT64_MAX" => "18446744073709551615ull",
        word => word.strip_prefix("ps_").or(word.strip_prefix("PS_")).unwrap_or(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_as_short_as_they_can_be() {
        let text = |ty, word| literal(ty, word).0;
        assert_eq!(text(WordTy::U64, 5), "5");
        assert_eq!(text(WordTy::I64, -5), "-5");
        assert_eq!(text(WordTy::U32, 0xffff_ffff), "4294967295u");
        assert_eq!(text(WordTy::I32, i32::MIN.into()), "(-2147483647 - 1)");
        assert_eq!(text(WordTy::I64, i32::MIN.into()), "-2147483648");
        assert_eq!(text(WordTy::I64, 1 << 40), "1099511627776");
        assert_eq!(text(WordTy::I64, i64::MIN), "(-9223372036854775807 - 1)");
        assert_eq!(typed_literal(WordTy::I64, i32::MAX.into()), "2147483647ll");
        assert_eq!(text(WordTy::U64, -1), "18446744073709551615ull");
    }

    #[test]
    fn words_need_no_header() {
        let text = "static inline uint32_t ps_min_u32(uint32_t a) { return INT64_MIN; }";
        let plain = "static inline unsigned min_u32(unsigned a) \
                     { return (-9223372036854775807 - 1); }";
        assert_eq!(plain_words(text), plain);
    }
}
