//! Programs whose functions call each other, on a real JVM.

mod support;

use pathsmith_backend::Style;
use pathsmith_backend_jvm::{ClassLayout, DIALECT, JvmStyle};
use pathsmith_generate::{GenConfig, generate_program};
use pathsmith_symlang::Seed;
use support::{Suite, effort, has_java};

/// Fifty programs at a time, because a JVM keeps all their classes.
const PER_SUITE: u64 = 50;

#[test]
fn linked_programs_agree_without_compilation() {
    if !has_java() {
        return;
    }
    let (config, seed) = (GenConfig::default(), Seed::new(8));
    for first in (0..effort()).map(|n| n * PER_SUITE) {
        let mut suite = Suite::default();
        for number in first..first + PER_SUITE {
            let linked = generate_program(&config, DIALECT, seed, number).expect("a program");
            let mut rng = seed.child("jvm").nth(number).rng();
            let mut options = JvmStyle::default().choose(&linked.program, &mut rng);
            if number % 4 == 0 {
                options.layout = ClassLayout::ClassPerFunction;
            }
            suite.add(&linked.program, &options).expect("it fits");
        }
        assert!(suite.n_realizations > 50, "{}", suite.n_realizations);
        assert_eq!(suite.run(&["-Xint"], 1), "done");
    }
}
