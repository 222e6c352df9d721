//! Types and literals.

use pathsmith_symlang::lang::{Const, FloatTy, IntTy, Scalar, ScalarTy, ValueTy, WordTy};

/// The type that values are kept in.
pub(crate) const fn type_name(ty: ScalarTy) -> &'static str {
    match ty {
        ScalarTy::Int(IntTy::I8) => "int8_t",
        ScalarTy::Int(IntTy::U8) => "uint8_t",
        ScalarTy::Int(IntTy::I16) => "int16_t",
        ScalarTy::Int(IntTy::U16) => "uint16_t",
        ScalarTy::Int(IntTy::I32) => "int32_t",
        ScalarTy::Int(IntTy::U32) => "uint32_t",
        ScalarTy::Int(IntTy::I64) => "int64_t",
        ScalarTy::Int(IntTy::U64) => "uint64_t",
        ScalarTy::Float(FloatTy::F32) => "float",
        ScalarTy::Float(FloatTy::F64) => "double",
    }
}

/// Whether values have 64 bits, not 32.
pub(crate) const fn is_wide(ty: WordTy) -> bool {
    match ty {
        WordTy::I32 | WordTy::U32 => false,
        WordTy::I64 | WordTy::U64 => true,
    }
}

/// The unsigned type of the same width.
pub(crate) const fn unsigned(ty: WordTy) -> WordTy {
    match ty {
        WordTy::I32 | WordTy::U32 => WordTy::U32,
        WordTy::I64 | WordTy::U64 => WordTy::U64,
    }
}

/// Whether a store to a cell of this type narrows.
pub(crate) const fn narrows(ty: ScalarTy) -> bool {
    match ty {
        ScalarTy::Int(IntTy::I8 | IntTy::U8 | IntTy::I16 | IntTy::U16) => true,
        ScalarTy::Int(IntTy::I32 | IntTy::U32 | IntTy::I64 | IntTy::U64) => false,
        ScalarTy::Float(FloatTy::F32 | FloatTy::F64) => false,
    }
}

/// Whether C promotes values of this type to another type than SYMLANG does: to `int`, which is
/// signed.
pub(crate) const fn is_promoted_to_int(ty: ScalarTy) -> bool {
    match ty {
        ScalarTy::Int(IntTy::U8 | IntTy::U16) => true,
        ScalarTy::Int(IntTy::I8 | IntTy::I16) => false,
        ScalarTy::Int(IntTy::I32 | IntTy::U32 | IntTy::I64 | IntTy::U64) => false,
        ScalarTy::Float(FloatTy::F32 | FloatTy::F64) => false,
    }
}

/// A literal whose C type is the type's own. On x86-64, `int64_t` is `long`.
///
/// The smallest value of a signed type has no literal: `-2147483648` would negate a number that
/// does not fit `int`.
pub(crate) fn literal(constant: Const) -> String {
    let ty = match constant.ty() {
        ValueTy::Int(ty) => ty,
        ValueTy::Float(ty) => return hexadecimal(ty, constant.word()),
    };
    let suffix = match ty {
        WordTy::I32 => "",
        WordTy::U32 => "u",
        WordTy::I64 => "LL",
        WordTy::U64 => "uLL",
    };
    if ty.is_signed() && constant.word() == ty.min() {
        return format!("(-{}{suffix} - 1)", ty.max());
    }
    format!("{}{suffix}", constant.scalar())
}

/// An exact literal: `0x1.8p3f`.
fn hexadecimal(ty: FloatTy, word: i64) -> String {
    let (fraction_bits, suffix) = float_literal_form(ty);
    if let Some(text) = special(ty, word) {
        return text;
    }
    let sign = if ty.magnitude(word) == word { "" } else { "-" };
    let bits = ty.magnitude(word) as u64;
    let (exponent, fraction) = (bits >> fraction_bits, bits & ((1 << fraction_bits) - 1));
    let bias = (1 << (ty.bits() - fraction_bits - 2)) - 1;
    let (whole, exponent) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, 1 - bias),
        (exponent, _) => (1, exponent as i64 - bias),
    };
    // To whole hexadecimal digits.
    let n_digits = fraction_bits.div_ceil(4) as usize;
    let digits = format!("{:0n_digits$x}", fraction << (n_digits as u32 * 4 - fraction_bits));
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("{sign}0x{whole}{point}{digits}p{exponent}{suffix}")
}

/// How many bits the fraction of a number has, and the suffix of literals.
const fn float_literal_form(ty: FloatTy) -> (u32, &'static str) {
    match ty {
        FloatTy::F32 => (23, "f"),
        FloatTy::F64 => (52, ""),
    }
}

/// What stands for NaN or an infinity.
fn special(ty: FloatTy, word: i64) -> Option<String> {
    let (_, suffix) = float_literal_form(ty);
    let sign = if ty.magnitude(word) == word { "" } else { "-" };
    if ty.is_nan(word) {
        Some(format!("__builtin_nan{suffix}(\"\")"))
    } else if ty.magnitude(word) == ty.infinity() {
        Some(format!("{sign}__builtin_inf{suffix}()"))
    } else {
        None
    }
}

/// A literal that people can read: decimal, and as short as is exact after rounding to the type.
pub(crate) fn decimal(ty: FloatTy, word: i64) -> String {
    let (_, suffix) = float_literal_form(ty);
    special(ty, word).unwrap_or_else(|| format!("{}{suffix}", Scalar::new(ty, word)))
}

/// A literal for an initial value, an argument or a label.
pub(crate) fn value(scalar: Scalar) -> String {
    literal(Const::new(scalar.ty().widened(), scalar.word()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_exact() {
        let literal = |ty: WordTy, word| literal(Const::new(ty, word));
        assert_eq!(literal(WordTy::I32, i32::MIN.into()), "(-2147483647 - 1)");
        assert_eq!(literal(WordTy::I32, i32::MAX.into()), "2147483647");
        assert_eq!(literal(WordTy::U32, u32::MAX.into()), "4294967295u");
        assert_eq!(literal(WordTy::I64, i64::MIN), "(-9223372036854775807LL - 1)");
        assert_eq!(literal(WordTy::U64, -1), "18446744073709551615uLL");
        assert_eq!(value(Scalar::new(IntTy::I8, -128)), "-128");
        assert_eq!(value(Scalar::new(IntTy::U16, 65535)), "65535u");
    }

    #[test]
    fn floating_point_literals_are_exact() {
        for (ty, text, expected) in [
            (FloatTy::F64, "1.5", "0x1.8p0"),
            (FloatTy::F64, "0.1", "0x1.999999999999ap-4"),
            (FloatTy::F32, "0.1", "0x1.99999ap-4f"),
            (FloatTy::F32, "-0.0", "-0x0p0f"),
            (FloatTy::F64, "0x1p-1074", "0x0.0000000000001p-1022"),
            (FloatTy::F32, "-0x1p-149", "-0x0.000002p-126f"),
            (FloatTy::F32, "0x1.fffffep127", "0x1.fffffep127f"),
            (FloatTy::F64, "-inf", "-__builtin_inf()"),
            (FloatTy::F32, "nan", "__builtin_nanf(\"\")"),
        ] {
            assert_eq!(literal(Const::new(ty, ty.parse(text).unwrap())), expected);
        }
        assert_eq!(decimal(FloatTy::F32, FloatTy::F32.parse("0.1").unwrap()), "0.1f");
        assert_eq!(decimal(FloatTy::F64, FloatTy::F64.parse("1e22").unwrap()), "1e22");
        // What SYMLANG reads in a literal is the number that it stands for.
        for word in (0..64).map(|bit| 0x3ff8_1234_5678_9abc_i64.rotate_left(bit)) {
            for ty in FloatTy::ALL {
                let word = ty.canonical(word);
                let text = literal(Const::new(ty, word)).replace('f', "F");
                if !text.contains("builtin") && !ty.is_nan(word) {
                    let text = text.strip_suffix("pF").unwrap_or(&text);
                    let text = if ty == FloatTy::F32 { &text[..text.len() - 1] } else { text };
                    assert_eq!(ty.parse(text), Ok(word), "{text}");
                }
            }
        }
    }
}
