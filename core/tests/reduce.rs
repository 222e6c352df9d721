//! Reduction: what it proposes, what it comes to, and how many tests that takes.

#[path = "reduce/faults.rs"]
mod faults;

use std::collections::BTreeMap;

use pathsmith_core::Seed;
use pathsmith_core::generate::{GenConfig, generate_leaf, generate_program};
use pathsmith_core::lang::{Program, validate};
use pathsmith_core::reduce::{Reducer, Size};
use pathsmith_core::semantics::{Code, Dialect, Limits, Machine, Outcome};
use proptest::prelude::*;

use faults::{FAULTS, Fault};

/// What a reduction came to.
struct Reduced {
    program: Program,
    n_tests: usize,
    by_pass: BTreeMap<&'static str, (usize, usize)>,
}

/// Reduces a program that shows a fault, `n` candidates at a time.
fn reduce(program: Program, fault: Fault, n: usize) -> Reduced {
    let mut reducer = Reducer::new(program);
    let (mut n_tests, mut by_pass) = (0, BTreeMap::<_, (usize, usize)>::new());
    loop {
        let candidates = reducer.propose(n);
        if candidates.is_empty() {
            return Reduced { program: reducer.best().clone(), n_tests, by_pass };
        }
        let accepted = candidates.iter().position(|candidate| {
            n_tests += 1;
            by_pass.entry(candidate.pass).or_default().0 += 1;
            fault(&candidate.program)
        });
        if let Some(at) = accepted {
            by_pass.entry(candidates[at].pass).or_default().1 += 1;
        }
        reducer.answer(accepted);
    }
}

fn assert_holds(program: &Program) {
    assert_eq!(validate(program), [], "{program}");
    let code = Code::new(program);
    let mut machine = Machine::new(&code, program.dialect.unwrap());
    for (id, function) in program.functions_with_ids() {
        for realization in &function.realizations {
            let outcome = machine.run(id, &realization.args, Limits::default());
            assert_eq!(outcome, Outcome::Returned(realization.output), "{program}");
            assert_eq!(machine.path(), realization.path.blocks());
        }
    }
}

/// What is measured of one fault in one dialect.
#[test]
#[ignore = "a report for people: cargo test --release --test reduce report -- --ignored --nocapture"]
fn report() {
    let n_programs: u64 = std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(10);
    let verbose = std::env::var("VERBOSE").is_ok();
    let mut passes: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (name, fault) in FAULTS {
        for dialect in Dialect::ALL {
            let (mut tests, mut stmts, mut functions, mut nodes) = (vec![], vec![], vec![], vec![]);
            let start = std::time::Instant::now();
            for number in 0.. {
                if tests.len() as u64 == n_programs {
                    break;
                }
                let config = GenConfig::default();
                let linked = generate_program(&config, dialect, Seed::new(1), number).unwrap();
                if !fault(&linked.program) {
                    continue;
                }
                let reduced = reduce(linked.program, fault, 1);
                let size = Size::of(&reduced.program);
                tests.push(reduced.n_tests);
                stmts.push(size.statements);
                functions.push(size.functions);
                nodes.push(size.nodes);
                for (pass, (n, hits)) in reduced.by_pass {
                    let total = passes.entry(pass).or_default();
                    (total.0, total.1) = (total.0 + n, total.1 + hits);
                }
                if verbose {
                    println!("{number}: {} tests\n{}", reduced.n_tests, reduced.program);
                }
            }
            let line = |numbers: &mut Vec<usize>| {
                numbers.sort_unstable();
                let median = numbers[numbers.len() / 2];
                format!("{}/{median}/{}", numbers[0], numbers[numbers.len() - 1])
            };
            println!(
                "{name}, {dialect}: tests {} functions {} statements {} nodes {} ({:?})",
                line(&mut tests),
                line(&mut functions),
                line(&mut stmts),
                line(&mut nodes),
                start.elapsed(),
            );
        }
    }
    for (pass, (n, hits)) in passes {
        println!("{pass:32} {n:6} tests {hits:5} accepted");
    }
}
