//! What can be set about whole programs.

use serde::{Deserialize, Serialize};

use crate::shape::OptionsError;

/// How functions are linked into programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinkOptions {
    /// The share of a campaign's cases that are whole programs; the others are single functions.
    pub share: f64,
    /// How many functions a program has, gates not counted.
    pub functions: u32,
    /// How many pairs of caller and callee there are for each function, beside the one through
    /// which it can be reached.
    pub extra_pairs: f64,
    /// How many constants of a caller become calls of one callee, at most.
    pub calls: u32,
    /// How many realizations of a callee are called, at most.
    pub realizations: u32,
    /// The share of programs whose call graphs may have cycles.
    pub recursion: f64,
    /// How many calls a gate passes on before it returns the known output at once, at most.
    pub rounds: u32,
    /// The share of calls that go through a gate where nothing asks for one.
    pub gates: f64,
    /// The share of calls that go to where the caller comes by several times, if it does.
    pub in_loops: f64,
    /// The share of calls that stand in the arguments of another call or in the term beside it.
    pub nested: f64,
    /// The share of further calls that stand where no run comes by, with arguments at random.
    pub off_path: f64,
    /// How many realizations of the entry a program keeps, at most.
    pub entry_realizations: u32,
    /// How many realizations of each other function a program keeps, at most.
    pub other_realizations: u32,
    /// How many steps a run may take, those of callees included; where a function alone takes more
    /// than a quarter of it, four times that.
    pub steps: u32,
    /// How many calls may be nested in each other.
    pub depth: u32,
}

impl Default for LinkOptions {
    fn default() -> Self {
        Self {
            share: 0.02,
            functions: 10,
            extra_pairs: 1.0,
            calls: 3,
            realizations: 3,
            recursion: 0.6,
            rounds: 3,
            gates: 0.15,
            in_loops: 0.3,
            nested: 0.2,
            off_path: 0.2,
            entry_realizations: 3,
            other_realizations: 0,
            steps: 1_000,
            depth: 200,
        }
    }
}

/// As many functions as a program may be linked from.
const MAX_FUNCTIONS: u32 = 10_000;
/// Below the depth that every target is known to bear.
const MAX_DEPTH: u32 = 900;

impl LinkOptions {
    /// Checks that the options describe programs.
    ///
    /// # Errors
    /// The first option that does not make sense.
    pub fn validate(&self) -> Result<(), OptionsError> {
        let ranges = [
            ("functions", self.functions, 1, MAX_FUNCTIONS),
            ("calls", self.calls, 1, 100),
            ("realizations", self.realizations, 1, 1_000),
            ("rounds", self.rounds, 1, 1_000_000),
            ("entry_realizations", self.entry_realizations, 1, 1_000),
            ("other_realizations", self.other_realizations, 0, 1_000),
            ("steps", self.steps, 1, 1_000_000),
            ("depth", self.depth, 1, MAX_DEPTH),
        ];
        for (field, value, low, high) in ranges {
            if !(low..=high).contains(&value) {
                return Err(OptionsError::Range { field, value, low, high });
            }
        }
        let shares = [
            ("share", self.share),
            ("recursion", self.recursion),
            ("gates", self.gates),
            ("in_loops", self.in_loops),
            ("nested", self.nested),
            ("off_path", self.off_path),
        ];
        for (field, value) in shares {
            if !(0.0..=1.0).contains(&value) {
                return Err(OptionsError::Share { field, value });
            }
        }
        const MAX_PAIRS: f64 = 100.0;
        if !(0.0..=MAX_PAIRS).contains(&self.extra_pairs) {
            let (field, value, high) = ("extra_pairs", self.extra_pairs, MAX_PAIRS);
            return Err(OptionsError::Number { field, value, high });
        }
        Ok(())
    }

    /// How many cases of a campaign have about `n_functions` functions, at least one.
    pub fn cases_of(&self, n_functions: u32) -> u64 {
        let per_case = 1.0 - self.share + self.share * f64::from(self.functions);
        ((f64::from(n_functions) / per_case) as u64).max(1)
    }

    /// How many realizations of a function are of use.
    pub fn most_realizations(&self) -> u32 {
        self.realizations.max(self.entry_realizations).max(self.other_realizations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_is_wrong() {
        assert_eq!(LinkOptions::default().validate(), Ok(()));
        let check = |change: fn(&mut LinkOptions), expected: &str| {
            let mut options = LinkOptions::default();
            change(&mut options);
            assert_eq!(options.validate().unwrap_err().to_string(), expected);
        };
        check(|o| o.functions = 0, "`functions` is 0, but has to be between 1 and 10000");
        check(|o| o.depth = 1000, "`depth` is 1000, but has to be between 1 and 900");
        check(|o| o.recursion = 1.5, "`recursion` is 1.5, but a share lies between 0 and 1");
        check(
            |o| o.extra_pairs = f64::NAN,
            "`extra_pairs` is NaN, but has to be between 0 and 100",
        );
    }
}
