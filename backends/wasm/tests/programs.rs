//! Programs of all kinds, with options of all kinds, on wasmtime.

mod support;

use pathsmith_backend::{Backend, Style};
use pathsmith_backend_wasm::{DIALECT, WasmBackend, WasmOptions, WasmStyle};
use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_generate::{GenConfig, generate_leaf, generate_program};
use pathsmith_symlang::Seed;

/// So many times as many programs as usual.
fn effort() -> u64 {
    std::env::var("PATHSMITH_EFFORT").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// A style in which every choice is as likely as can be.
fn even() -> WasmStyle {
    WasmStyle {
        dispatch: 0.3,
        stack_base: 0.25,
        placed: 0.7,
        multi_value: 0.5,
        visible: 0.5,
        packed: 0.5,
        bulk: 0.5,
        ..WasmStyle::default()
    }
}

#[test]
fn samples() {
    let engine = support::engine();
    let options = SampleOptions { dialect: DIALECT, inputs: 12, ..SampleOptions::default() };
    let mut n_run = 0;
    for number in 0..400 * effort() {
        let seed = Seed::new(number).child("samples");
        let program = sample_program(&options, &mut seed.rng());
        if number % 4 == 0 {
            n_run += support::check(&engine, &program, &WasmOptions::default());
        }
        let options = even().choose(&program, &mut seed.child("lower").rng());
        n_run += support::check(&engine, &program, &options);
    }
    assert!(n_run > 1000, "{n_run}");
}

#[test]
fn functions() {
    let engine = support::engine();
    let config = GenConfig::default();
    let mut n_run = 0;
    for number in 0..150 * effort() {
        let Ok(leaf) = generate_leaf(&config, DIALECT, Seed::new(5), number) else { continue };
        let mut rng = Seed::new(5).child("lower").nth(number).rng();
        let options = even().choose(&leaf.program, &mut rng);
        n_run += support::check(&engine, &leaf.program, &options);
    }
    assert!(n_run > 1000, "{n_run}");
}

/// Functions that call each other, through tables and by tail calls too.
#[test]
fn linked_programs() {
    let engine = support::engine();
    let config = GenConfig::default();
    let style = WasmStyle { tables: 0.5, tail_calls: 0.5, ..even() };
    let mut n_run = 0;
    for number in 0..60 * effort() {
        let linked = generate_program(&config, DIALECT, Seed::new(6), number).expect("a program");
        let mut rng = Seed::new(6).child("lower").nth(number).rng();
        let options = style.choose(&linked.program, &mut rng);
        n_run += support::check(&engine, &linked.program, &options);
    }
    assert!(n_run > 100, "{n_run}");
}

/// What stands in a module whose calls go through the table, and whose recursion guards end with them.
#[test]
fn calls_are_lowered_as_asked() {
    let config = GenConfig::default();
    let linked = generate_program(&config, DIALECT, Seed::new(6), 0).expect("a program");
    let style = WasmStyle { tables: 1.0, tail_calls: 1.0, ..WasmStyle::default() };
    let program = &linked.program;
    let options = style.choose(program, &mut Seed::new(1).rng());
    let text = WasmBackend.lower(program, &options).expect("a module").wat().expect("a text");
    assert!(linked.n_guards > 0);
    for word in ["(table ", "(elem ", " call_indirect ", " return_call_indirect "] {
        assert!(text.contains(word), "no {word}");
    }
    let direct = WasmStyle { tables: 0.0, ..style };
    let options = direct.choose(program, &mut Seed::new(1).rng());
    let text = WasmBackend.lower(program, &options).expect("a module").wat().expect("a text");
    assert!(text.contains(" return_call $") && !text.contains("(table "));
}
