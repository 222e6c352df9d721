//! Small functions that generated code calls: what C has no operator for.

use pathsmith_symlang::lang::WordTy;

/// An operator on bits that C has no operator for, but compilers have a builtin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BitOp {
    Clz,
    Ctz,
    Popcnt,
    Bswap,
}

impl BitOp {
    /// The compilers' builtin.
    pub(crate) const fn builtin(self, is_wide: bool) -> &'static str {
        match (self, is_wide) {
            (Self::Clz, false) => "__builtin_clz",
            (Self::Clz, true) => "__builtin_clzll",
            (Self::Ctz, false) => "__builtin_ctz",
            (Self::Ctz, true) => "__builtin_ctzll",
            (Self::Popcnt, false) => "__builtin_popcount",
            (Self::Popcnt, true) => "__builtin_popcountll",
            (Self::Bswap, false) => "__builtin_bswap32",
            (Self::Bswap, true) => "__builtin_bswap64",
        }
    }
}

/// Where a rotation turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rotation {
    Left,
    Right,
}

/// Which of two operands is the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Min,
    Max,
}

/// A function that a file has if something in it calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Helper(usize);

impl Helper {
    /// The function that does what a builtin does.
    pub(crate) fn open_code(op: BitOp, is_wide: bool) -> Self {
        Self::named(match (op, is_wide) {
            (BitOp::Clz, false) => "ps_clz32",
            (BitOp::Clz, true) => "ps_clz64",
            (BitOp::Ctz, false) => "ps_ctz32",
            (BitOp::Ctz, true) => "ps_ctz64",
            (BitOp::Popcnt, false) => "ps_popcnt32",
            (BitOp::Popcnt, true) => "ps_popcnt64",
            (BitOp::Bswap, false) => "ps_bswap32",
            (BitOp::Bswap, true) => "ps_bswap64",
        })
    }

    /// The function that rotates.
    pub(crate) fn rotation(rotation: Rotation, is_wide: bool, is_builtin: bool) -> Self {
        Self::named(match (rotation, is_wide, is_builtin) {
            (Rotation::Left, false, false) => "ps_rotl32",
            (Rotation::Left, true, false) => "ps_rotl64",
            (Rotation::Left, false, true) => "ps_builtin_rotl32",
            (Rotation::Left, true, true) => "ps_builtin_rotl64",
            (Rotation::Right, false, false) => "ps_rotr32",
            (Rotation::Right, true, false) => "ps_rotr64",
            (Rotation::Right, false, true) => "ps_builtin_rotr32",
            (Rotation::Right, true, true) => "ps_builtin_rotr64",
        })
    }

    /// The function that returns the smaller or the larger of two.
    pub(crate) fn choice(choice: Choice, ty: WordTy) -> Self {
        Self::named(match (choice, ty) {
            (Choice::Min, WordTy::I32) => "ps_min_i32",
            (Choice::Min, WordTy::U32) => "ps_min_u32",
            (Choice::Min, WordTy::I64) => "ps_min_i64",
            (Choice::Min, WordTy::U64) => "ps_min_u64",
            (Choice::Max, WordTy::I32) => "ps_max_i32",
            (Choice::Max, WordTy::U32) => "ps_max_u32",
            (Choice::Max, WordTy::I64) => "ps_max_i64",
            (Choice::Max, WordTy::U64) => "ps_max_u64",
        })
    }

    pub(crate) fn name(self) -> &'static str {
        HELPERS[self.0].0
    }

    /// Its C text.
    pub(crate) fn text(self) -> &'static str {
        HELPERS[self.0].1
    }

    fn named(name: &str) -> Self {
        // Every name above is in the table; a test asks for all of them.
        Self(HELPERS.iter().position(|(known, _)| *known == name).unwrap_or(0))
    }
}

/// Clang has builtins for rotation, gcc finds it in open code.
const HELPERS: [(&str, &str); 24] = [
    (
        "ps_clz32",
        "static inline int ps_clz32(uint32_t x) { int n = 0; while (!(x >> 31)) { x <<= 1; n++; } return n; }",
    ),
    (
        "ps_clz64",
        "static inline int ps_clz64(uint64_t x) { int n = 0; while (!(x >> 63)) { x <<= 1; n++; } return n; }",
    ),
    (
        "ps_ctz32",
        "static inline int ps_ctz32(uint32_t x) { int n = 0; while (!(x & 1)) { x >>= 1; n++; } return n; }",
    ),
    (
        "ps_ctz64",
        "static inline int ps_ctz64(uint64_t x) { int n = 0; while (!(x & 1)) { x >>= 1; n++; } return n; }",
    ),
    (
        "ps_popcnt32",
        "static inline int ps_popcnt32(uint32_t x) { int n = 0; while (x) { x &= x - 1; n++; } return n; }",
    ),
    (
        "ps_popcnt64",
        "static inline int ps_popcnt64(uint64_t x) { int n = 0; while (x) { x &= x - 1; n++; } return n; }",
    ),
    (
        "ps_bswap32",
        "static inline uint32_t ps_bswap32(uint32_t x) { return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24; }",
    ),
    (
        "ps_bswap64",
        "static inline uint64_t ps_bswap64(uint64_t x) { uint64_t y = 0; for (int i = 0; i < 8; i++) { y = y << 8 | (x & 0xff); x >>= 8; } return y; }",
    ),
    (
        "ps_rotl32",
        "static inline uint32_t ps_rotl32(uint32_t x, uint32_t n) { return x << (n & 31) | x >> (-n & 31); }",
    ),
    (
        "ps_rotl64",
        "static inline uint64_t ps_rotl64(uint64_t x, uint64_t n) { return x << (n & 63) | x >> (-n & 63); }",
    ),
    (
        "ps_rotr32",
        "static inline uint32_t ps_rotr32(uint32_t x, uint32_t n) { return x >> (n & 31) | x << (-n & 31); }",
    ),
    (
        "ps_rotr64",
        "static inline uint64_t ps_rotr64(uint64_t x, uint64_t n) { return x >> (n & 63) | x << (-n & 63); }",
    ),
    (
        "ps_builtin_rotl32",
        "#ifdef __clang__\n#define ps_builtin_rotl32(x, n) __builtin_rotateleft32(x, n)\n#else\nstatic inline uint32_t ps_builtin_rotl32(uint32_t x, uint32_t n) { return x << (n & 31) | x >> (-n & 31); }\n#endif",
    ),
    (
        "ps_builtin_rotl64",
        "#ifdef __clang__\n#define ps_builtin_rotl64(x, n) __builtin_rotateleft64(x, n)\n#else\nstatic inline uint64_t ps_builtin_rotl64(uint64_t x, uint64_t n) { return x << (n & 63) | x >> (-n & 63); }\n#endif",
    ),
    (
        "ps_builtin_rotr32",
        "#ifdef __clang__\n#define ps_builtin_rotr32(x, n) __builtin_rotateright32(x, n)\n#else\nstatic inline uint32_t ps_builtin_rotr32(uint32_t x, uint32_t n) { return x >> (n & 31) | x << (-n & 31); }\n#endif",
    ),
    (
        "ps_builtin_rotr64",
        "#ifdef __clang__\n#define ps_builtin_rotr64(x, n) __builtin_rotateright64(x, n)\n#else\nstatic inline uint64_t ps_builtin_rotr64(uint64_t x, uint64_t n) { return x >> (n & 63) | x << (-n & 63); }\n#endif",
    ),
    (
        "ps_min_i32",
        "static inline int32_t ps_min_i32(int32_t a, int32_t b) { return a < b ? a : b; }",
    ),
    (
        "ps_min_u32",
        "static inline uint32_t ps_min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }",
    ),
    (
        "ps_min_i64",
        "static inline int64_t ps_min_i64(int64_t a, int64_t b) { return a < b ? a : b; }",
    ),
    (
        "ps_min_u64",
        "static inline uint64_t ps_min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }",
    ),
    (
        "ps_max_i32",
        "static inline int32_t ps_max_i32(int32_t a, int32_t b) { return a < b ? b : a; }",
    ),
    (
        "ps_max_u32",
        "static inline uint32_t ps_max_u32(uint32_t a, uint32_t b) { return a < b ? b : a; }",
    ),
    (
        "ps_max_i64",
        "static inline int64_t ps_max_i64(int64_t a, int64_t b) { return a < b ? b : a; }",
    ),
    (
        "ps_max_u64",
        "static inline uint64_t ps_max_u64(uint64_t a, uint64_t b) { return a < b ? b : a; }",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_helper_is_the_one_that_it_is_called() {
        for (i, (name, text)) in HELPERS.iter().enumerate() {
            assert_eq!(Helper::named(name), Helper(i));
            assert!(text.contains(&format!("{name}(")), "{name}");
        }
        let open = [BitOp::Clz, BitOp::Ctz, BitOp::Popcnt, BitOp::Bswap];
        for (op, name) in std::iter::zip(open, ["clz", "ctz", "popcnt", "bswap"]) {
            assert_eq!(Helper::open_code(op, false).name(), format!("ps_{name}32"));
            assert_eq!(Helper::open_code(op, true).name(), format!("ps_{name}64"));
        }
        for (op, name) in [(Choice::Min, "min"), (Choice::Max, "max")] {
            for ty in WordTy::ALL {
                assert_eq!(Helper::choice(op, ty).name(), format!("ps_{name}_{ty}"));
            }
        }
        for (op, name) in [(Rotation::Left, "rotl"), (Rotation::Right, "rotr")] {
            assert_eq!(Helper::rotation(op, false, false).name(), format!("ps_{name}32"));
            assert_eq!(Helper::rotation(op, true, false).name(), format!("ps_{name}64"));
            assert_eq!(Helper::rotation(op, false, true).name(), format!("ps_builtin_{name}32"));
            assert_eq!(Helper::rotation(op, true, true).name(), format!("ps_builtin_{name}64"));
        }
    }
}
