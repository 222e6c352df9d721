//! Reduction: what it proposes, what it comes to, and how many tests that takes.

#[path = "reduce/faults.rs"]
mod faults;

use std::hash::{DefaultHasher, Hash, Hasher};

use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_generate::{GenConfig, ObserveOptions, generate_leaf, generate_program};
use pathsmith_reduce::{Reducer, Size};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{BinOp, Expr, Program, validate};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
use proptest::prelude::*;

use faults::{FAULTS, reduce};

fn assert_sound(program: &Program) {
    assert_eq!(validate(program), [], "{program}");
    assert_holds(program);
}

fn assert_holds(program: &Program) {
    let code = Code::new(program);
    let mut machine = Machine::new(&code, program.dialect.expect("reduced programs have one"));
    for (id, function) in program.functions_with_ids() {
        for realization in &function.realizations {
            let outcome = machine.run(id, &realization.args, Limits::default());
            assert!(matches!(outcome, Outcome::Returned(_)), "{program}");
            assert_eq!(outcome.ending(), Some(realization.ending), "{program}");
            // A realization need not say what it leaves.
            if realization.leaving.is_some() {
                assert_eq!(machine.leaving(), realization.leaving, "{program}");
            }
            assert_eq!(machine.path(), realization.path.blocks());
        }
    }
}

/// C does not say which operand is evaluated first: everything has to hold the other way round too.
fn assert_order_does_not_matter(program: &Program) {
    let mut turned = program.clone();
    for function in &mut turned.functions {
        for expr in function.exprs_mut() {
            if let Expr::Binary(BinOp::Add | BinOp::Mul | BinOp::Xor, lhs, rhs) = expr {
                std::mem::swap(lhs, rhs);
            }
        }
    }
    assert_holds(&turned);
}

/// Says yes to one in `one_in` candidates, always to the same ones, and looks at all of them.
fn reduce_at_random(program: Program, salt: u64, one_in: u64, n: usize) -> Program {
    let names = |program: &Program| -> Vec<String> {
        program.functions.iter().map(|function| function.name.clone()).collect()
    };
    let is_run = |program: &Program| {
        program.functions.iter().any(|function| !function.realizations.is_empty())
    };
    let (known, was_run) = (names(&program), is_run(&program));
    let mut reducer = Reducer::new(program);
    loop {
        let candidates = reducer.propose(n);
        if candidates.is_empty() {
            return reducer.best().clone();
        }
        assert!(candidates.len() <= n);
        let accepted = candidates.iter().position(|candidate| {
            let program = &candidate.program;
            assert_sound(program);
            assert_order_does_not_matter(program);
            assert_eq!(is_run(program), was_run);
            assert!(Size::of(program) < reducer.size(), "{}: {program}", candidate.pass);
            assert!(names(program).iter().all(|name| known.contains(name)));
            let text = program.to_string();
            assert_eq!(parse("candidate", &text).ok().as_ref(), Some(program), "{text}");
            let mut hasher = DefaultHasher::new();
            (salt, text).hash(&mut hasher);
            hasher.finish().is_multiple_of(one_in)
        });
        reducer.answer(accepted);
        assert_eq!(reducer.size(), Size::of(reducer.best()));
    }
}

/// A program of a few functions that call each other and themselves.
fn program(dialect: Dialect, seed: u64, functions: u32) -> Program {
    let mut config = GenConfig::default();
    (config.link.functions, config.link.recursion, config.link.guards) = (functions, 1.0, 0.3);
    let linked = generate_program(&config, dialect, Seed::new(seed), 0);
    linked.expect("functions are solved and linked").program
}

fn dialects() -> impl Strategy<Value = Dialect> {
    prop::sample::select(Dialect::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn candidates_of_functions_are_sound(dialect in dialects(), seed: u64, one_in in 2..30_u64) {
        if let Ok(leaf) = generate_leaf(&GenConfig::default(), dialect, Seed::new(seed), 0) {
            reduce_at_random(leaf.program, seed, one_in, 3);
        }
    }

    #[test]
    fn candidates_of_programs_are_sound(dialect in dialects(), seed: u64, one_in in 2..30_u64) {
        reduce_at_random(program(dialect, seed, 4), seed, one_in, 3);
    }

    /// Sampled programs have globals, and holes nowhere.
    #[test]
    fn candidates_of_samples_are_sound(dialect in dialects(), seed: u64, one_in in 2..10_u64) {
        let options = SampleOptions { dialect, ..SampleOptions::default() };
        let program = sample_program(&options, &mut Seed::new(seed).rng());
        reduce_at_random(program, seed, one_in, 3);
    }

    #[test]
    fn the_result_does_not_depend_on_how_many_are_asked_for(seed: u64, n in 2..20_usize) {
        let program = program(Dialect::C, seed, 3);
        let alone = reduce_at_random(program.clone(), seed, 10, 1);
        prop_assert_eq!(reduce_at_random(program, seed, 10, n), alone);
    }
}

#[test]
fn programs_that_show_nothing_without_all_of_it_stay_as_they_are() {
    let program = program(Dialect::Jvm, 1, 4);
    let mut reducer = Reducer::new(program.clone());
    while !reducer.propose(8).is_empty() {
        reducer.answer(None);
    }
    assert_eq!(reducer.best(), &program);
    assert_eq!(reducer.pass_name(), "done");
}

#[test]
fn what_is_not_as_it_says_is_not_reduced() {
    let text = "dialect c; fn f(a: i32) -> i32 { e: return a + 6; } realize f(1) = 8 via e;";
    assert_eq!(Reducer::new(parse("wrong", text).unwrap()).propose(9), []);
    assert_eq!(Reducer::new(parse("undecided", &text[10..]).unwrap()).propose(9), []);
    assert_eq!(Reducer::new(Program::default()).propose(9), []);
}

#[test]
fn faults_come_down_to_what_shows_them() {
    const N_PROGRAMS: usize = 2;
    // What shows a fault in the order of effects has to be there in every function.
    let config = GenConfig { observe: ObserveOptions::everything(), ..GenConfig::default() };
    for (name, fault) in FAULTS {
        for dialect in [Dialect::C, Dialect::Jvm] {
            let programs = (0..)
                .map(|number| generate_program(&config, dialect, Seed::new(7), number))
                .map(|linked| linked.unwrap().program)
                .filter(fault);
            for program in programs.take(N_PROGRAMS) {
                let reduced = reduce(program, fault, 1);
                let size = Size::of(&reduced.program);
                let text = &reduced.program;
                assert!(fault(text));
                // These are shown by one function; the others may take several.
                let takes_one = !name.contains("call") && !name.contains("three");
                assert!(!takes_one || size.functions == 1, "{name}\n{text}");
                assert!(size.statements <= 12, "{name}\n{text}");
                assert!(reduced.n_tests < 700, "{name}: {} tests\n{text}", reduced.n_tests);
                let by_pass: usize = reduced.by_pass.values().map(|(n, _)| n).sum();
                assert_eq!(by_pass, reduced.n_tests, "every test belongs to a pass");
            }
        }
    }
}
