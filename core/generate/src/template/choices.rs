//! What a template draws from.

use rand::RngExt;

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_share};

/// How large trip counts are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trips {
    /// Share of trip counts that are large.
    pub(super) long_share: f64,
    /// The largest trip count.
    pub(super) max: u32,
}

/// One of the things that a `let` draws from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// A type, an operator or a number.
    Token(String),
    /// A number in a range, both ends included.
    Range(i64, i64),
    /// A trip count.
    Trip,
}

/// What stands for several tokens.
const SETS: [(&str, &[&str]); 10] = [
    ("int", &["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"]),
    ("word", &["i32", "u32", "i64", "u64"]),
    ("narrow", &["i8", "u8", "i16", "u16"]),
    ("signed", &["i8", "i16", "i32", "i64"]),
    ("unsigned", &["u8", "u16", "u32", "u64"]),
    ("compare", &["<", "<=", ">", ">=", "==", "!="]),
    ("order", &["<", "<=", ">", ">="]),
    ("bitwise", &["&", "|", "^"]),
    ("additive", &["+", "-"]),
    ("extreme", &["min", "max"]),
];

impl Choice {
    /// What a word of a `let` stands for; nothing if a range has no numbers or the wrong order.
    pub(super) fn parse(word: &str) -> Option<Vec<Self>> {
        if let Some((_, tokens)) = SETS.iter().find(|(name, _)| *name == word) {
            return Some(tokens.iter().map(|token| Self::Token((*token).to_owned())).collect());
        }
        if word == "trip" {
            return Some(vec![Self::Trip]);
        }
        if let Some((low, high)) = word.split_once("..") {
            let (low, high) = (low.parse().ok()?, high.parse().ok()?);
            return (low <= high).then(|| vec![Self::Range(low, high)]);
        }
        Some(vec![Self::Token(word.to_owned())])
    }

    /// Draws what it stands for, as it is written.
    pub(super) fn draw(&self, trips: Trips, rng: &mut Rng) -> String {
        match self {
            Self::Token(token) => token.clone(),
            Self::Range(low, high) => rng.random_range(*low..=*high).to_string(),
            Self::Trip => choose_trip(trips, rng).to_string(),
        }
    }
}

/// Draws a trip count: mostly around what vectorizers and unrollers make of loops, sometimes none
/// at all, and sometimes many.
fn choose_trip(trips: Trips, rng: &mut Rng) -> u32 {
    let most = trips.max;
    if choose_share(trips.long_share, rng) {
        return rng.random_range(most.min(100)..=most);
    }
    let trip = match choose_below(20, rng) {
        0..=2 => rng.random_range(0..=3),
        3..=10 => {
            // Lanes of a vector, times an unroll factor, give or take.
            let lanes = 1_u32 << rng.random_range(1..=5);
            let times = rng.random_range(1..=4);
            (lanes * times + rng.random_range(0..=2)).saturating_sub(1)
        }
        11..=17 => rng.random_range(4..=24),
        _ => rng.random_range(25..=100),
    };
    trip.min(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathsmith_symlang::Seed;

    #[test]
    fn words_are_sets_ranges_and_tokens() {
        let token = |text: &str| Choice::Token(text.to_owned());
        assert_eq!(Choice::parse("extreme"), Some(vec![token("min"), token("max")]));
        assert_eq!(Choice::parse("-3..4"), Some(vec![Choice::Range(-3, 4)]));
        assert_eq!(Choice::parse("4..3"), None);
        assert_eq!(Choice::parse("<<"), Some(vec![token("<<")]));
    }

    #[test]
    fn trip_counts_are_none_few_and_many() {
        let all = Trips { long_share: 0.06, max: 300 };
        let rng = &mut Seed::new(1).rng();
        let trips: Vec<u32> = (0..2000).map(|_| choose_trip(all, rng)).collect();
        assert!(trips.contains(&0) && trips.contains(&16) && trips.contains(&33));
        assert!(trips.iter().any(|trip| *trip > 250) && trips.iter().all(|trip| *trip <= 300));
    }
}
