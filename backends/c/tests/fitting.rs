//! Options of C through a whole reduction: they follow the program that they are about.

use pathsmith_backend::{Backend, ProgramOptions, Style};
use pathsmith_backend_c::{CBackend, COptions, CStyle};
use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_reduce::Reducer;
use pathsmith_symlang::Seed;

/// How many operators go through wrappers.
fn n_checked(options: &COptions) -> usize {
    options.functions.iter().map(|function| function.checked.operators.len()).sum()
}

/// How many calls of wrappers there are in the functions of a lowered program.
fn n_wrapped(text: &str) -> usize {
    let definitions = |line: &&str| !line.starts_with("static inline") && !line.starts_with('#');
    text.lines().filter(definitions).map(|line| line.matches("ps_safe_").count()).sum()
}

#[test]
fn fitted_options_name_what_is_there() {
    let mut n_followed = 0;
    for seed in 0..20 {
        let rng = &mut Seed::new(seed).rng();
        let mut program = sample_program(&SampleOptions::default(), rng);
        let style = CStyle { checked: 1.0, uninitialised: 1.0, ..CStyle::default() };
        let mut options = style.choose(&program, rng);
        let mut reducer = Reducer::new(program.clone());
        for round in 0..40 {
            let Some(candidate) = reducer.propose(1).into_iter().next() else { break };
            let fitted = options.fitted(&program, &candidate.program);
            assert_eq!(fitted.check(&candidate.program), Ok(()));
            assert!(n_checked(&fitted) <= n_checked(&options), "seed {seed}");
            let source = CBackend.lower(&candidate.program, &fitted).expect("it can be lowered");
            let n_calls: usize = source.files.iter().map(|file| n_wrapped(&file.text)).sum();
            assert!(n_calls <= n_checked(&fitted), "seed {seed}: {n_calls} wrappers are called");
            n_followed += n_calls;
            let is_accepted = round % 3 != 2;
            reducer.answer(is_accepted.then_some(0));
            if is_accepted {
                (program, options) = (candidate.program, fitted);
            }
        }
    }
    assert!(n_followed > 100, "{n_followed}");
}
