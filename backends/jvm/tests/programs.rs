//! Whole programs, lowered in every way, on a real JVM.

mod support;

use pathsmith_backend::Style;
use pathsmith_backend_jvm::{ClassLayout, DIALECT, JvmStyle};
use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_generate::{GenConfig, generate_leaf};
use pathsmith_symlang::Seed;
use pathsmith_symlang::lang::Program;
use support::{COMPILED, Suite, effort, has_java};

/// A style in which everything is likely.
fn style() -> JvmStyle {
    JvmStyle {
        class_per_function: 0.5,
        open_code: 0.5,
        placed: 0.8,
        volatile: 0.3,
        virtual_calls: 0.3,
        interface_calls: 0.3,
        ..JvmStyle::default()
    }
}

#[test]
fn samples_agree() {
    if !has_java() {
        return;
    }
    let options = SampleOptions { dialect: DIALECT, ..SampleOptions::default() };
    let mut suite = Suite::default();
    for seed in 0..400 {
        let mut rng = Seed::new(seed).child("jvm").rng();
        let program = sample_program(&options, &mut rng);
        suite.add(&program, &style().choose(&program, &mut rng)).unwrap();
    }
    assert!(suite.n_realizations > 1_000, "{}", suite.n_realizations);
    suite.check();
}

#[test]
fn samples_with_floats_agree() {
    if !has_java() {
        return;
    }
    let options = SampleOptions { dialect: DIALECT, floats: 1.0, ..SampleOptions::default() };
    let mut suite = Suite::default();
    for seed in 0..200 * effort() {
        let mut rng = Seed::new(seed).child("floats").rng();
        let program = sample_program(&options, &mut rng);
        let style = JvmStyle { open_code: 0.4, ..style() };
        suite.add(&program, &style.choose(&program, &mut rng)).unwrap();
    }
    assert!(suite.n_realizations > 500, "{}", suite.n_realizations);
    suite.check();
    assert_eq!(suite.run(COMPILED, 2), "done");
}

/// Programs of generated functions, and how each is lowered.
fn generated(n_programs: u64, config: &GenConfig) -> Suite {
    let seed = Seed::new(6);
    let mut suite = Suite::default();
    for n in 0..n_programs {
        let mut program = Program { dialect: Some(DIALECT), ..Program::default() };
        for number in n * 10..(n + 1) * 10 {
            if let Ok(leaf) = generate_leaf(config, DIALECT, seed, number) {
                program.append(&leaf.program);
            }
        }
        let mut rng = seed.child("jvm").nth(n).rng();
        let mut options = style().choose(&program, &mut rng);
        if n % 4 == 0 {
            options.layout = ClassLayout::ClassPerFunction;
        }
        suite.add(&program, &options).expect("it fits");
    }
    suite
}

#[test]
fn generated_functions_agree() {
    if !has_java() {
        return;
    }
    let suite = generated(30, &GenConfig::default());
    assert!(suite.n_realizations > 2_000, "{}", suite.n_realizations);
    suite.check();
}

#[test]
fn generated_functions_with_switches_agree() {
    if !has_java() {
        return;
    }
    let mut config = GenConfig { swarm: true, ..GenConfig::default() };
    config.graph.switch_share = 0.3;
    generated(20, &config).check();
}

#[test]
fn large_irreducible_graphs_agree() {
    if !has_java() {
        return;
    }
    let mut config = GenConfig::default();
    config.graph.blocks = 200;
    generated(2, &config).check();
}
