//! What reductions take and come to: smallest, median and largest over some programs of ten
//! functions, for each made-up fault and dialect. `PROGRAMS=20` takes as many, `VERBOSE=1` prints
//! them.
//!
//! Tests run it too, with one program each, so that it stays true.

#[path = "../tests/reduce/faults.rs"]
mod faults;

use std::collections::BTreeMap;
use std::env;

use faults::{FAULTS, reduce};
use pathsmith_generate::{GenConfig, generate_program};
use pathsmith_reduce::Size;
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;

#[expect(clippy::print_stdout, reason = "it is for people")]
fn main() {
    let is_bench = env::args().any(|arg| arg == "--bench");
    let asked = env::var("PROGRAMS").ok().and_then(|n| n.parse().ok());
    let n_programs: usize = if is_bench { asked.unwrap_or(10) } else { 1 };
    let verbose = env::var("VERBOSE").is_ok();
    let mut passes: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (name, fault) in FAULTS {
        for dialect in Dialect::ALL {
            let config = GenConfig::default();
            let made = (0..)
                .filter_map(|number| generate_program(&config, dialect, Seed::new(1), number).ok());
            let showing = made.map(|linked| linked.program).filter(&fault);
            let reduced: Vec<_> =
                showing.take(n_programs).map(|program| reduce(program, fault, 1)).collect();
            for one in &reduced {
                for (pass, (n, hits)) in &one.by_pass {
                    let total = passes.entry(pass).or_default();
                    *total = (total.0 + n, total.1 + hits);
                }
                if verbose {
                    println!("{} tests\n{}", one.n_tests, one.program);
                }
            }
            let sizes: Vec<Size> = reduced.iter().map(|one| Size::of(&one.program)).collect();
            println!(
                "{name}, {dialect}: tests {} functions {} statements {} nodes {}",
                spread(reduced.iter().map(|one| one.n_tests)),
                spread(sizes.iter().map(|size| size.functions)),
                spread(sizes.iter().map(|size| size.statements)),
                spread(sizes.iter().map(|size| size.nodes)),
            );
        }
    }
    for (pass, (n, hits)) in passes {
        println!("{pass:32} {n:6} tests {hits:5} accepted");
    }
}

/// Smallest, median and largest.
fn spread(numbers: impl Iterator<Item = usize>) -> String {
    let mut numbers: Vec<usize> = numbers.collect();
    numbers.sort_unstable();
    match &numbers[..] {
        [] => "none".to_owned(),
        [first, .., last] => format!("{first}/{}/{last}", numbers[numbers.len() / 2]),
        [only] => format!("{only}/{only}/{only}"),
    }
}
