//! Warmup: in which order functions are called, and how often. What is not called often is not
//! compiled.

use pathsmith_backend_jvm::{JvmCall, JvmClasses};
use serde::{Deserialize, Serialize};

/// A call, and how many times it is made in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The number of the call.
    pub call: usize,
    /// How many times.
    pub times: u32,
}

/// How often functions are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Warmup {
    /// Each realization once.
    Once,
    /// Each realization twice: code that is compiled before its first run is deoptimized and
    /// compiled again when a run leaves the path that the compiler assumed.
    Twice,
    /// So many times in all that the JVM compiles it.
    Hot(u32),
}

impl Warmup {
    /// The steps that do it.
    ///
    /// A hot function begins with one call of each realization in the interpreter. Then half of
    /// all calls are of one realization only: a compiler that trusts its profile leaves out all other
    /// paths. The other half is spread over all realizations, so that code is deoptimized in the
    /// middle and compiled again. In the end each is called once more.
    pub fn steps(self, classes: &JvmClasses) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut first = 0;
        for calls in classes.calls.chunk_by(|a: &JvmCall, b| a.function == b.function) {
            let range = first..first + calls.len();
            first = range.end;
            let mut round = |times: u32| {
                steps.extend(range.clone().map(|call| Step { call, times }));
            };
            match self {
                Self::Once => round(1),
                Self::Twice => {
                    round(1);
                    round(1);
                }
                Self::Hot(n_calls) => {
                    round(1);
                    steps.push(Step { call: range.start, times: (n_calls / 2).max(1) });
                    let each = (n_calls / 2).div_ceil(calls.len() as u32).max(1);
                    steps.extend(range.clone().map(|call| Step { call, times: each }));
                    steps.extend(range.map(|call| Step { call, times: 1 }));
                }
            }
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::{Scalar, WordTy};

    use super::*;

    fn classes(functions: &[usize]) -> JvmClasses {
        let call = |function: &usize| JvmCall {
            function: *function,
            realization: 0,
            args: Vec::new(),
            expected: Scalar::new(WordTy::I32, 0),
            leaving: None,
            result: WordTy::I32.into(),
        };
        let calls = functions.iter().map(call).collect();
        JvmClasses { classes: Vec::new(), calls, methods: Vec::new() }
    }

    #[test]
    fn a_hot_function_is_called_as_often_as_asked() {
        let classes = classes(&[0, 0, 0, 1]);
        let steps = Warmup::Hot(1000).steps(&classes);
        let times = |calls: &[usize]| -> u32 {
            steps.iter().filter(|step| calls.contains(&step.call)).map(|step| step.times).sum()
        };
        assert!((1000..1010).contains(&times(&[0, 1, 2])), "{}", times(&[0, 1, 2]));
        assert!((1000..1010).contains(&times(&[3])), "{}", times(&[3]));
        assert_eq!(steps.last(), Some(&Step { call: 3, times: 1 }));
    }

    #[test]
    fn every_call_is_made_at_any_warmup() {
        let classes = classes(&[0, 1, 1]);
        for (warmup, n) in [(Warmup::Once, 3), (Warmup::Twice, 6), (Warmup::Hot(0), 11)] {
            let steps = warmup.steps(&classes);
            assert_eq!(steps.len(), n);
            assert!((0..3).all(|call| steps.iter().any(|step| step.call == call)));
        }
    }
}
