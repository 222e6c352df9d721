//! Types and literals.

use pathsmith_symlang::lang::{Const, IntTy, Scalar, ScalarTy, ValueTy, WordTy};

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
    }
}

/// Whether C promotes values of this type to another type than SYMLANG does: to `int`, which is
/// signed.
pub(crate) const fn is_promoted_to_int(ty: ScalarTy) -> bool {
    match ty {
        ScalarTy::Int(IntTy::U8 | IntTy::U16) => true,
        ScalarTy::Int(IntTy::I8 | IntTy::I16) => false,
        ScalarTy::Int(IntTy::I32 | IntTy::U32 | IntTy::I64 | IntTy::U64) => false,
    }
}

/// A literal whose C type is the type's own. On x86-64, `int64_t` is `long`.
///
/// The smallest value of a signed type has no literal: `-2147483648` would negate a number that
/// does not fit `int`.
pub(crate) fn literal(constant: Const) -> String {
    let ValueTy::Int(ty) = constant.ty();
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
}
