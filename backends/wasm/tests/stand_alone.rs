//! Modules for people on wasmtime, which is given nothing that they could import.

mod support;

use pathsmith_backend::Style;
use pathsmith_backend_wasm::{DIALECT, LooksAt, WasmModule, WasmStyle};
use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_generate::{GenConfig, generate_leaf, generate_program};
use pathsmith_symlang::Seed;
use pathsmith_symlang::lang::Program;
use wasmtime::{Engine, Instance, Module, Store, Trap};

/// Whether a module says that its result is right. Its two exports have to say the same.
fn is_right(engine: &Engine, module: &WasmModule) -> bool {
    let compiled = Module::new(engine, &module.bytes).expect("wasmtime compiles the module");
    assert_eq!(compiled.imports().count(), 0);
    let mut store = Store::new(engine, ());
    let instance = Instance::new(&mut store, &compiled, &[]).expect("an instance");
    let test = instance.get_typed_func::<(), i32>(&mut store, "test").expect("an export");
    let is_wrong = test.call(&mut store, ()).expect("it returns");

    let mut store = Store::new(engine, ());
    let instance = Instance::new(&mut store, &compiled, &[]).expect("an instance");
    let start = instance.get_typed_func::<(), ()>(&mut store, "_start").expect("an export");
    match start.call(&mut store, ()) {
        Ok(()) => assert_eq!(is_wrong, 0),
        Err(error) => {
            let trap = error.downcast_ref::<Trap>().expect("a trap");
            assert_eq!((is_wrong, *trap), (1, Trap::UnreachableCodeReached));
        }
    }
    is_wrong == 0
}

/// Runs each call of a program alone, and once more with something else expected of it.
fn check(engine: &Engine, program: &Program, style: &WasmStyle, seed: Seed) -> usize {
    let module = support::lower(program, &style.choose(program, &mut seed.rng()));
    for call in &module.calls {
        let looks_at = if call.is_memory { LooksAt::Memory } else { LooksAt::Result };
        let alone = |module: &WasmModule| {
            module.stand_alone(call.function, call.realization, looks_at).expect("a module")
        };
        assert!(is_right(engine, &alone(&module)), "{call:?}\n{program}");
        let mut wrong = module.clone();
        // A call can be made through more than one export.
        for other in &mut wrong.calls {
            other.expected = support::another(other.expected);
        }
        assert!(!is_right(engine, &alone(&wrong)), "{call:?}\n{program}");
    }
    module.calls.len()
}

#[test]
fn they_trap_if_the_result_is_wrong() {
    let engine = support::engine();
    let samples = SampleOptions { dialect: DIALECT, inputs: 4, ..SampleOptions::default() };
    let (config, style) = (GenConfig::default(), WasmStyle::default());
    let mut n_calls = 0;
    for number in 0..12 {
        let seed = Seed::new(11).nth(number);
        let sample = sample_program(&samples, &mut seed.rng());
        n_calls += check(&engine, &sample, &style, seed);
        let leaf = generate_leaf(&config, DIALECT, seed, number).expect("it is solved");
        n_calls += check(&engine, &leaf.program, &style, seed);
    }
    let linked = generate_program(&config, DIALECT, Seed::new(11), 0).expect("a program");
    n_calls += check(&engine, &linked.program, &style, Seed::new(11));
    assert!(n_calls > 60, "{n_calls}");
}

#[test]
fn there_is_none_of_a_call_that_is_not_there() {
    let leaf = generate_leaf(&GenConfig::default(), DIALECT, Seed::new(1), 0).expect("a leaf");
    let module = support::lower(&leaf.program, &Default::default());
    let error = module.stand_alone(0, 1_000, LooksAt::Result).expect_err("there is no such call");
    assert!(error.to_string().contains("it has no such call"), "{error}");
}
