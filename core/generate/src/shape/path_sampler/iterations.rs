//! How often a loop is run through.

use std::fmt;
use std::str::FromStr;

use rand::RngExt;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_bool;

/// The most iterations that can be asked for.
const MAX_ITERATIONS: u32 = 1_000_000;

/// How often a path runs through a loop: how many visits the block at which the loop is entered
/// gets before the loop is left.
///
/// Written as `5`, `2..10`, `log 2..1000` or `mean 8`; ranges include both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Iterations {
    /// Always this often.
    Fixed(u32),
    /// All numbers in a range are equally likely.
    Uniform {
        /// The least number.
        low: u32,
        /// The greatest number.
        high: u32,
    },
    /// All magnitudes in a range are equally likely: 2 to 4 is as likely as 200 to 400.
    LogUniform {
        /// The least number.
        low: u32,
        /// The greatest number.
        high: u32,
    },
    /// The loop is left with the same probability after every visit, as a uniform walk does.
    Geometric {
        /// The mean of all numbers.
        mean: u32,
    },
}

impl Default for Iterations {
    fn default() -> Self {
        Self::LogUniform { low: 1, high: 16 }
    }
}

/// Why something says no number of iterations.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IterationsError {
    /// The text has none of the forms.
    #[error("expected iterations such as `5`, `2..10`, `log 2..1000` or `mean 8`")]
    Form,
    /// A number is out of range.
    #[error("{0} is no number of iterations: it has to be between 1 and {MAX_ITERATIONS}")]
    Number(u32),
    /// A range is the wrong way round.
    #[error("{low} to {high} is no range: the lower number comes first")]
    Range {
        /// The first number.
        low: u32,
        /// The second number.
        high: u32,
    },
}

impl Iterations {
    /// Checks that all numbers are in range.
    ///
    /// # Errors
    /// The first number that is not, or a range that is the wrong way round.
    pub fn validate(&self) -> Result<(), IterationsError> {
        let (low, high) = match *self {
            Self::Fixed(n) | Self::Geometric { mean: n } => (n, n),
            Self::Uniform { low, high } | Self::LogUniform { low, high } => (low, high),
        };
        for number in [low, high] {
            if !(1..=MAX_ITERATIONS).contains(&number) {
                return Err(IterationsError::Number(number));
            }
        }
        if low > high {
            return Err(IterationsError::Range { low, high });
        }
        Ok(())
    }

    /// Draws a number, at least 1.
    ///
    /// Only operations that are exact on every machine are used: no logarithms.
    pub fn choose(&self, rng: &mut Rng) -> u32 {
        match *self {
            Self::Fixed(n) => n.max(1),
            Self::Uniform { low, high } => {
                let low = low.max(1);
                rng.random_range(low..=high.max(low))
            }
            Self::LogUniform { low, high } => choose_log_uniform(low.max(1), high, rng),
            Self::Geometric { mean } => choose_geometric(mean.max(1), rng),
        }
    }
}

/// Halves the range at its geometric mean until one number is left.
fn choose_log_uniform(low: u32, high: u32, rng: &mut Rng) -> u32 {
    let mut low = f64::from(low);
    let mut end = (f64::from(high) + 1.0).max(low + 1.0);
    let mut bits = rng.random::<u64>();
    for _ in 0..u64::BITS {
        if low.floor() + 1.0 >= end {
            break;
        }
        let middle = (low * end).sqrt();
        if bits & 1 == 0 {
            end = middle;
        } else {
            low = middle;
        }
        bits >>= 1;
    }
    low as u32
}

/// The binary digits of a geometric number are independent: digit `k` is set with odds of
/// `q^(2^k)`, where `q` is the probability to go on. Digits from `2^26` on are left out.
fn choose_geometric(mean: u32, rng: &mut Rng) -> u32 {
    let mut odds = 1.0 - 1.0 / f64::from(mean);
    let mut number = 0;
    for digit in 0..26 {
        if choose_bool(odds / (1.0 + odds), rng) {
            number |= 1 << digit;
        }
        odds *= odds;
    }
    number + 1
}

impl FromStr for Iterations {
    type Err = IterationsError;

    fn from_str(text: &str) -> Result<Self, IterationsError> {
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| IterationsError::Form);
        let range = |text: &str| {
            let (low, high) = text.split_once("..").ok_or(IterationsError::Form)?;
            Ok((number(low)?, number(high)?))
        };
        let text = text.trim();
        let iterations = match text.split_once(' ') {
            Some(("log", rest)) => {
                let (low, high) = range(rest)?;
                Self::LogUniform { low, high }
            }
            Some(("mean", rest)) => Self::Geometric { mean: number(rest)? },
            _ if text.contains("..") => {
                let (low, high) = range(text)?;
                Self::Uniform { low, high }
            }
            _ => Self::Fixed(number(text)?),
        };
        iterations.validate()?;
        Ok(iterations)
    }
}

impl fmt::Display for Iterations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(n) => write!(f, "{n}"),
            Self::Uniform { low, high } => write!(f, "{low}..{high}"),
            Self::LogUniform { low, high } => write!(f, "log {low}..{high}"),
            Self::Geometric { mean } => write!(f, "mean {mean}"),
        }
    }
}

impl TryFrom<String> for Iterations {
    type Error = IterationsError;

    fn try_from(text: String) -> Result<Self, IterationsError> {
        text.parse()
    }
}

impl From<Iterations> for String {
    fn from(iterations: Iterations) -> Self {
        iterations.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use pathsmith_symlang::Seed;

    #[test]
    fn reads_every_form() {
        let check = |text: &str, expected| assert_eq!(text.parse(), expected, "{text}");
        check("5", Ok(Iterations::Fixed(5)));
        check(" 2 .. 10 ", Ok(Iterations::Uniform { low: 2, high: 10 }));
        check("log 2..1000", Ok(Iterations::LogUniform { low: 2, high: 1000 }));
        check("mean 8", Ok(Iterations::Geometric { mean: 8 }));
        check("0", Err(IterationsError::Number(0)));
        check("1..1000001", Err(IterationsError::Number(1_000_001)));
        check("log 3..2", Err(IterationsError::Range { low: 3, high: 2 }));
        for text in ["", "x", "-1", "1..", "..", "log 5", "mean 1..2", "99999999999", "1..2..3"] {
            check(text, Err(IterationsError::Form));
        }
    }

    proptest! {
        #[test]
        fn round_trips(kind in 0..4, a in 1..=MAX_ITERATIONS, b in 1..=MAX_ITERATIONS) {
            let (low, high) = (a.min(b), a.max(b));
            let iterations = match kind {
                0 => Iterations::Fixed(a),
                1 => Iterations::Uniform { low, high },
                2 => Iterations::LogUniform { low, high },
                _ => Iterations::Geometric { mean: a },
            };
            prop_assert_eq!(iterations.to_string().parse(), Ok(iterations));
            let json = serde_json::to_string(&iterations).unwrap();
            prop_assert_eq!(serde_json::from_str::<Iterations>(&json).unwrap(), iterations);
        }

        #[test]
        fn stays_in_range(a: u32, b: u32, seed: u64) {
            let mut rng = Seed::new(seed).rng();
            let (low, high) = (a.clamp(1, MAX_ITERATIONS), b.clamp(1, MAX_ITERATIONS));
            for iterations in [
                Iterations::Uniform { low, high },
                Iterations::LogUniform { low, high },
            ] {
                let n = iterations.choose(&mut rng);
                prop_assert!((low..=high.max(low)).contains(&n), "{} gave {}", iterations, n);
            }
            // Even where the numbers make no sense.
            for iterations in [
                Iterations::Fixed(a),
                Iterations::Uniform { low: a, high: b },
                Iterations::LogUniform { low: a, high: b },
                Iterations::Geometric { mean: a },
            ] {
                prop_assert!(iterations.choose(&mut rng) >= 1);
            }
        }
    }

    #[test]
    fn distributions_are_what_they_say() {
        let mut rng = Seed::new(1).rng();
        let n = 20_000;
        let mut draw = |text: &str| -> Vec<u32> {
            let iterations: Iterations = text.parse().unwrap();
            (0..n).map(|_| iterations.choose(&mut rng)).collect()
        };
        let mean = |numbers: &[u32]| {
            numbers.iter().map(|&n| f64::from(n)).sum::<f64>() / numbers.len() as f64
        };
        assert!((7.7..8.3).contains(&mean(&draw("mean 8"))));
        assert!((970.0..1030.0).contains(&mean(&draw("mean 1000"))));
        assert_eq!(mean(&draw("mean 1")), 1.0);
        assert!((5.9..6.1).contains(&mean(&draw("2..10"))));
        let numbers = draw("log 1..1023");
        let below_32 = numbers.iter().filter(|&&n| n < 32).count();
        assert!((9_700..10_300).contains(&below_32), "{below_32}");
    }
}
