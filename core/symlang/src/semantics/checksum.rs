//! The checksum that functions return: CRC-32 as in zlib, Ethernet and PNG.
//!
//! Each value counts with as many bytes as its storage type has, the lowest byte first: integers in
//! two's complement, floating-point numbers as their bits, with one NaN.

use crate::lang::{FloatTy, IntTy, ScalarTy};

/// A CRC-32 in the making.
///
/// ```
/// use pathsmith_symlang::lang::{IntTy, ScalarTy};
/// use pathsmith_symlang::semantics::checksum::Crc32;
///
/// let mut crc = Crc32::new();
/// for byte in b"123456789" {
///     crc.add(ScalarTy::Int(IntTy::U8), i64::from(*byte));
/// }
/// assert_eq!(crc.value(), 0xcbf4_3926);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Crc32(u32);

/// `TABLES[k][byte]` is what `byte` does to the checksum with `k` bytes after it.
static TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    const POLYNOMIAL: u32 = 0xedb8_8320;
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ (POLYNOMIAL * (crc & 1));
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut k = 1;
    while k < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[k - 1][byte];
            tables[k][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        k += 1;
    }
    tables
}

impl Crc32 {
    /// The checksum of nothing.
    pub const fn new() -> Self {
        Self(u32::MAX)
    }

    /// A checksum that was left at [`state`](Self::state).
    pub const fn resumed(state: u32) -> Self {
        Self(state)
    }

    /// What it has come to, to be resumed later.
    pub const fn state(self) -> u32 {
        self.0
    }

    /// Adds the word of a value of type `ty`.
    #[inline]
    pub fn add(&mut self, ty: ScalarTy, word: i64) {
        self.0 = match ty {
            ScalarTy::Int(IntTy::I8 | IntTy::U8) => folded::<1>(self.0, word),
            ScalarTy::Int(IntTy::I16 | IntTy::U16) => folded::<2>(self.0, word),
            ScalarTy::Int(IntTy::I32 | IntTy::U32) | ScalarTy::Float(FloatTy::F32) => {
                folded::<4>(self.0, word)
            }
            ScalarTy::Int(IntTy::I64 | IntTy::U64) | ScalarTy::Float(FloatTy::F64) => {
                folded::<8>(self.0, word)
            }
        };
    }

    /// The checksum of all that was added.
    pub const fn value(self) -> u32 {
        !self.0
    }
}

impl Default for Crc32 {
    fn default() -> Self {
        Self::new()
    }
}

/// `crc` after the lowest `N` bytes of `value`.
#[inline(always)]
fn folded<const N: usize>(crc: u32, value: i64) -> u32 {
    let mixed = value as u64 ^ u64::from(crc);
    let mut result = if N < 4 { crc >> (8 * N) } else { 0 };
    for (k, table) in TABLES[..N].iter().rev().enumerate() {
        result ^= table[(mixed >> (8 * k)) as usize & 0xff];
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One bit at a time, straight from the polynomial.
    fn bitwise(bytes: &[u8]) -> u32 {
        let mut crc = u32::MAX;
        for byte in bytes {
            crc ^= u32::from(*byte);
            for _ in 0..8 {
                crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
            }
        }
        !crc
    }

    #[test]
    fn wide_values_count_as_their_bytes() {
        let values = [0i64, 1, -1, 0x1234_5678_9abc_def0, i64::MIN, 0x7fff_ffff];
        for ty in ScalarTy::ALL {
            let mut crc = Crc32::new();
            let mut bytes = Vec::new();
            for value in values {
                let word = ty.stored(value);
                crc.add(ty, word);
                bytes.extend_from_slice(&word.to_le_bytes()[..ty.bits() as usize / 8]);
            }
            assert_eq!(crc.value(), bitwise(&bytes), "{ty}");
        }
    }
}
