//! Types and literals.

use pathsmith_symlang::lang::{IntTy, WordTy};

/// The type that values are kept in.
pub(crate) const fn type_name(ty: IntTy) -> &'static str {
    match ty {
        IntTy::I8 => "int8_t",
        IntTy::U8 => "uint8_t",
        IntTy::I16 => "int16_t",
        IntTy::U16 => "uint16_t",
        IntTy::I32 => "int32_t",
        IntTy::U32 => "uint32_t",
        IntTy::I64 => "int64_t",
        IntTy::U64 => "uint64_t",
    }
}

/// A literal whose C type is the type's own. On x86-64, `int64_t` is `long`.
///
/// The smallest value of a signed type has no literal: `-2147483648` would negate a number that
/// does not fit `int`.
pub(crate) fn literal(ty: WordTy, canonical: i64) -> String {
    let suffix = match ty {
        WordTy::I32 => "",
        WordTy::U32 => "u",
        WordTy::I64 => "L",
        WordTy::U64 => "uL",
    };
    if ty.is_signed() && canonical == ty.min() {
        return format!("(-{}{suffix} - 1)", ty.max());
    }
    format!("{}{suffix}", IntTy::from_word(ty).to_wide(canonical))
}

/// A literal for an initial value, an argument or a label of the given type.
pub(crate) fn value(ty: IntTy, canonical: i64) -> String {
    literal(ty.widened(), canonical)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_spelled_exactly() {
        assert_eq!(literal(WordTy::I32, i32::MIN.into()), "(-2147483647 - 1)");
        assert_eq!(literal(WordTy::I32, i32::MAX.into()), "2147483647");
        assert_eq!(literal(WordTy::U32, u32::MAX.into()), "4294967295u");
        assert_eq!(literal(WordTy::I64, i64::MIN), "(-9223372036854775807L - 1)");
        assert_eq!(literal(WordTy::U64, -1), "18446744073709551615uL");
        assert_eq!(value(IntTy::I8, -128), "-128");
        assert_eq!(value(IntTy::U16, 65535), "65535u");
    }
}
