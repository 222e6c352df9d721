//! Types and literals.

use pathsmith_symlang::lang::{ArithTy, StorageTy};

/// The type that values are kept in.
pub(crate) const fn type_name(ty: StorageTy) -> &'static str {
    match ty {
        StorageTy::I8 => "int8_t",
        StorageTy::U8 => "uint8_t",
        StorageTy::I16 => "int16_t",
        StorageTy::U16 => "uint16_t",
        StorageTy::I32 => "int32_t",
        StorageTy::U32 => "uint32_t",
        StorageTy::I64 => "int64_t",
        StorageTy::U64 => "uint64_t",
    }
}

/// A literal whose C type is the type's own. On x86-64, `int64_t` is `long`.
///
/// The smallest value of a signed type has no literal: `-2147483648` would negate a number that
/// does not fit `int`.
pub(crate) fn literal(ty: ArithTy, canonical: i64) -> String {
    let suffix = match ty {
        ArithTy::I32 => "",
        ArithTy::U32 => "u",
        ArithTy::I64 => "L",
        ArithTy::U64 => "uL",
    };
    if ty.is_signed() && canonical == ty.min() {
        return format!("(-{}{suffix} - 1)", ty.max());
    }
    format!("{}{suffix}", StorageTy::from_arith(ty).to_wide(canonical))
}

/// A literal for an initial value, an argument or a label of the given type.
pub(crate) fn value(ty: StorageTy, canonical: i64) -> String {
    literal(ty.widened(), canonical)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_spelled_exactly() {
        assert_eq!(literal(ArithTy::I32, i32::MIN.into()), "(-2147483647 - 1)");
        assert_eq!(literal(ArithTy::I32, i32::MAX.into()), "2147483647");
        assert_eq!(literal(ArithTy::U32, u32::MAX.into()), "4294967295u");
        assert_eq!(literal(ArithTy::I64, i64::MIN), "(-9223372036854775807L - 1)");
        assert_eq!(literal(ArithTy::U64, -1), "18446744073709551615uL");
        assert_eq!(value(StorageTy::I8, -128), "-128");
        assert_eq!(value(StorageTy::U16, 65535), "65535u");
    }
}
