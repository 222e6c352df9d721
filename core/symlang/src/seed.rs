//! Where randomness comes from: one root seed, and named child streams.
//!
//! A stream depends only on the root seed and on the names and numbers that lead to it, never on
//! what was drawn before or on which thread draws it. So function `k` of seed `n` is the same on
//! every machine.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

/// The generator behind every random choice. It is a named algorithm, not "the default one",
/// because its stream is part of what a seed means.
pub type Rng = Xoshiro256PlusPlus;

/// A point in the tree of random streams.
///
/// ```
/// use pathsmith_symlang::Seed;
/// use rand::RngExt;
///
/// let root = Seed::new(7);
/// let mut a = root.child("shape").nth(3).rng();
/// let mut b = root.child("shape").nth(3).rng();
/// assert_eq!(a.random::<u64>(), b.random::<u64>());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(u64);

impl Seed {
    /// The root of all streams of `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// The stream called `name` below this one.
    pub const fn child(self, name: &str) -> Self {
        let bytes = name.as_bytes();
        let mut state = self.0;
        let mut i = 0;
        while i < bytes.len() {
            state = mix(state ^ bytes[i] as u64);
            i += 1;
        }
        // Sets a name apart from a number of the same bits.
        Self(mix(state ^ 1 << 63))
    }

    /// The stream numbered `n` below this one.
    pub const fn nth(self, n: u64) -> Self {
        Self(mix(self.0 ^ mix(n)))
    }

    /// What stands for this point in files.
    pub const fn state(self) -> u64 {
        self.0
    }

    /// The point that [`state`](Self::state) stands for.
    pub const fn from_state(state: u64) -> Self {
        Self(state)
    }

    /// The generator that draws from this stream, from its beginning.
    pub fn rng(self) -> Rng {
        Rng::seed_from_u64(self.0)
    }
}

/// The finalizer of SplitMix64: a bijection in which every input bit reaches every output bit.
const fn mix(value: u64) -> u64 {
    let z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    #[test]
    fn streams_are_pinned() {
        // What a seed means may only change with a note in the changelog.
        let mut rng = Seed::new(1).child("shape").nth(2).rng();
        assert_eq!(rng.random::<u64>(), 16_170_727_929_546_434_661);
    }

    #[test]
    fn names_and_numbers_lead_to_different_streams() {
        let root = Seed::new(1);
        let streams = [
            root,
            root.child("a"),
            root.child("b"),
            root.nth(97),
            root.nth(98),
            root.child("a").nth(0),
        ];
        for (i, a) in streams.iter().enumerate() {
            for b in &streams[..i] {
                assert_ne!(a, b);
            }
        }
    }
}
