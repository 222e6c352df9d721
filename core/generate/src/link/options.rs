//! What can be set about whole programs.

use pathsmith_symlang::knobs::KnobError;

/// As many functions as a program may be linked from.
const MAX_FUNCTIONS: u32 = 10_000;
/// Below the depth that every target is known to bear.
const MAX_DEPTH: u32 = 900;

pathsmith_symlang::knobs! {
    /// How functions are linked into programs.
    pub struct LinkOptions {
        /// Share of a campaign's cases that are whole programs; the others are single functions.
        share: share = 0.02;
        /// Functions of a program, not counting recursion guards.
        functions: u32 = 10, in 1..=MAX_FUNCTIONS;
        /// Pairs of caller and callee for each function, besides the one that makes it reachable.
        extra_pairs: f64 = 1.0, in 0.0..=100.0;
        /// Most constants of a caller that become calls of one callee.
        calls: u32 = 3, in 1..=100;
        /// Most realizations of a callee that are called.
        realizations: u32 = 3, in 1..=1_000;
        /// Share of programs whose call graphs may have cycles.
        recursion: share = 0.6;
        /// Most calls that a recursion guard passes on before it returns the known output at once.
        rounds: u32 = 3, in 1..=1_000_000;
        /// Share of calls that go through a recursion guard although they close no cycle.
        guards: share = 0.15;
        /// Share of calls in blocks that the caller visits several times, if there are any.
        in_loops: share = 0.3;
        /// Share of calls in the arguments of another call or in the term beside it.
        nested: share = 0.2;
        /// Share of further calls in blocks that no run visits, with random arguments.
        off_path: share = 0.2;
        /// Most realizations of the entry that a program keeps.
        entry_realizations: u32 = 3, in 1..=1_000;
        /// Most realizations of each other function that a program keeps.
        other_realizations: u32 = 0, in 0..=1_000;
        /// Most steps of a run, callees included; if a function alone takes more than a quarter of
        /// them, four times what it takes.
        steps: u32 = 1_000, in 1..=1_000_000;
        /// Most calls that are nested in each other.
        depth: u32 = 200, in 1..=MAX_DEPTH;
    }
}

impl LinkOptions {
    /// Checks that the options describe programs.
    ///
    /// # Errors
    /// The first option that is out of its bounds.
    pub fn validate(&self) -> Result<(), KnobError> {
        self.check_knobs()
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
