//! Self-checking modules on wasmtime, with nothing but `proc_exit` beside them.

mod support;

use pathsmith_backend::Style;
use pathsmith_backend_wasm::{
    Checksum, DIALECT, WasiChecks, WasiError, WasiStatus, WasmModule, WasmOptions, WasmStyle,
};
use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_generate::{GenConfig, generate_leaf, generate_program};
use pathsmith_symlang::Seed;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{Program, Scalar};
use wasmparser::{Validator, WasmFeatures};
use wasmtime::{Engine, Linker, Module, Store, Trap};

/// What a module ends with if it calls `proc_exit`.
#[derive(Debug, thiserror::Error)]
#[error("exit {0}")]
struct Exit(i32);

/// Validates and runs a self-checking module, and returns its exit status; `None` is a trap.
fn status(engine: &Engine, module: &WasmModule, checks: &WasiChecks) -> Option<i32> {
    let bytes = module.self_checking(checks).expect("a self-checking module");
    let mut features = WasmFeatures::WASM2;
    features.set(WasmFeatures::TAIL_CALL, true);
    Validator::new_with_features(features).validate_all(&bytes).expect("it is valid");
    let text = WasmModule { bytes: bytes.clone(), ..module.clone() }.wat().expect("a text");
    assert!(text.contains("(func $ps.check") || checks.calls.is_empty(), "{text}");
    let compiled = Module::new(engine, &bytes).expect("wasmtime compiles the module");
    let imports: Vec<_> = compiled.imports().map(|it| (it.module(), it.name())).collect();
    assert_eq!(imports, [("wasi_snapshot_preview1", "proc_exit")]);
    assert!(compiled.get_export("memory").is_some_and(|it| it.memory().is_some()));
    let mut linker = Linker::new(engine);
    let exit = |status: i32| -> wasmtime::Result<()> { Err(wasmtime::Error::new(Exit(status))) };
    linker.func_wrap("wasi_snapshot_preview1", "proc_exit", exit).expect("an import");
    let mut store = Store::new(engine, ());
    let instance = linker.instantiate(&mut store, &compiled).expect("an instance");
    let start = instance.get_typed_func::<(), ()>(&mut store, "_start").expect("an export");
    let error = start.call(&mut store, ()).expect_err("it does not return");
    match error.downcast_ref::<Exit>() {
        Some(Exit(status)) => Some(*status),
        None => {
            assert!(error.downcast_ref::<Trap>().is_some(), "{error:?}");
            None
        }
    }
}

/// The same module with another result expected of one of its calls.
fn with_wrong_call(module: &WasmModule, call: usize) -> WasmModule {
    let mut wrong = module.clone();
    wrong.calls[call].expected = support::another(wrong.calls[call].expected);
    wrong
}

/// A right module exits with 0; if one call is expected to return something else, with its status.
fn check(engine: &Engine, program: &Program, options: &WasmOptions, number: u64) -> usize {
    let module = support::lower(program, options);
    let checks = WasiChecks::all(&module);
    assert_eq!(status(engine, &module, &checks), Some(0), "{options:?}\n{program}");
    assert_eq!(status(engine, &module, &checks.load_only()), Some(0));
    if module.calls.is_empty() {
        return 0;
    }
    let call = number as usize % module.calls.len();
    let wrong = with_wrong_call(&module, call);
    let expected = match call < WasiChecks::N_NAMED {
        true => WasiStatus::Wrong(call),
        false => WasiStatus::WrongLater(WasiChecks::N_NAMED),
    };
    for checks in [checks.clone(), checks.shifted()] {
        let status = status(engine, &wrong, &checks).expect("it exits");
        assert_eq!(checks.meaning(status), expected, "{status}\n{program}");
    }
    assert_eq!(status(engine, &wrong, &checks.load_only()), Some(0));
    // Alone, with the call before it if it is about what that one left.
    let first = call - usize::from(module.calls[call].is_memory);
    let alone = WasiChecks::of(first..call + 1);
    let status = status(engine, &wrong, &alone).expect("it exits");
    assert_eq!(alone.meaning(status), WasiStatus::Wrong(call));
    module.calls.len()
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
        tables: 0.5,
        tail_calls: 0.5,
        ..WasmStyle::default()
    }
}

#[test]
fn samples() {
    let engine = support::engine();
    let options = SampleOptions { dialect: DIALECT, inputs: 12, ..SampleOptions::default() };
    let mut n_calls = 0;
    let mut n_hosted = 0;
    for number in 0..100 {
        let seed = Seed::new(number).child("samples");
        let program = sample_program(&options, &mut seed.rng());
        let options = even().choose(&program, &mut seed.child("lower").rng());
        n_hosted += usize::from(options.checksum == Checksum::Host);
        n_calls += check(&engine, &program, &options, number);
    }
    assert!(n_calls > 300 && n_hosted > 3, "{n_calls} {n_hosted}");
}

#[test]
fn functions_and_linked_programs() {
    let engine = support::engine();
    let config = GenConfig::default();
    let mut n_calls = 0;
    for number in 0..30 {
        let seed = Seed::new(7);
        let mut rng = seed.child("lower").nth(number).rng();
        if let Ok(leaf) = generate_leaf(&config, DIALECT, seed, number) {
            let options = even().choose(&leaf.program, &mut rng);
            n_calls += check(&engine, &leaf.program, &options, number);
        }
        let linked = generate_program(&config, DIALECT, seed, number).expect("a program");
        let options = even().choose(&linked.program, &mut rng);
        n_calls += check(&engine, &linked.program, &options, number);
    }
    assert!(n_calls > 300, "{n_calls}");
}

fn lowered(text: &str, options: &WasmOptions) -> WasmModule {
    support::lower(&parse("test", text).expect("a valid program"), options)
}

/// A call that needs another start: it finds what others left, unless everything is reset.
#[test]
fn every_call_begins_with_a_reset() {
    let text = "global g: i32 = 1;
        fn f(a: i32) -> i32 { entry: g = g + a; return g; }
        realize f(4) = 5 via entry; realize f(4) = 5 via entry;";
    let module = lowered(text, &WasmOptions::default());
    let checks = WasiChecks::all(&module);
    assert_eq!(status(&support::engine(), &module, &checks), Some(0));
    let unreset = WasmModule { reset: None, ..module };
    assert_eq!(status(&support::engine(), &unreset, &checks), Some(41));
}

/// Zeros differ, and any NaN is right where one is expected.
#[test]
fn floating_point_results() {
    let mut text = "dialect wasm;".to_owned();
    for ty in ["f32", "f64"] {
        text += &format!(
            "fn divide_{ty}(a: {ty}, b: {ty}) -> {ty} {{ entry: return a / b; }}
            fn negate_{ty}(a: {ty}) -> {ty} {{ entry: return -a; }}
            realize divide_{ty}(0.0, 0.0) = nan via entry;
            realize divide_{ty}(nan, 1.0) = nan via entry;
            realize divide_{ty}(-1.0, 0.0) = -inf via entry;
            realize divide_{ty}(1.0, 0.0) = inf via entry;
            realize divide_{ty}(-0.0, 3.0) = -0.0 via entry;
            realize divide_{ty}(1.5, 3.0) = 0.5 via entry;
            realize negate_{ty}(0.0) = -0.0 via entry;
            realize negate_{ty}(-0.0) = 0.0 via entry;
            realize negate_{ty}(nan) = nan via entry;"
        );
    }
    let module = lowered(&text, &WasmOptions::default());
    let checks = WasiChecks::all(&module);
    let engine = support::engine();
    assert_eq!(status(&engine, &module, &checks), Some(0));
    for call in 0..module.calls.len() {
        let ty = module.calls[call].expected.ty();
        for other in ["nan", "inf", "-inf", "0.0", "-0.0", "0.5", "1e-40"] {
            let mut wrong = module.clone();
            wrong.calls[call].expected = Scalar::parse(ty, other).expect("a number");
            let is_right = wrong.calls[call].expected == module.calls[call].expected;
            let expected = if is_right { 0 } else { checks.first_status.into() };
            let alone = WasiChecks::of(call..call + 1);
            assert_eq!(status(&engine, &wrong, &alone), Some(expected), "{other} {call}");
        }
    }
}

#[test]
fn what_traps_traps_only_when_it_is_called() {
    let text = "fn f(a: i32) -> i32 { entry: return 7 / a; } realize f(7) = 1 via entry;";
    let mut module = lowered(text, &WasmOptions::default());
    module.calls[0].args = vec![pathsmith_backend_wasm::WasmValue::I32(0)];
    let checks = WasiChecks::all(&module);
    assert_eq!(status(&support::engine(), &module, &checks), None);
    assert_eq!(status(&support::engine(), &module, &checks.load_only()), Some(0));
}

/// Functions may be called what engines look for.
#[test]
fn reserved_names_are_no_obstacle() {
    let text = "fn memory(a: i32) -> i32 { entry: return a; }
        fn _start(a: i32) -> i32 { entry: return a + 1; }
        fn _initialize(a: i32) -> i32 { entry: return a + 2; }
        realize memory(7) = 7 via entry;
        realize _start(7) = 8 via entry;
        realize _initialize(7) = 9 via entry;";
    let module = lowered(text, &WasmOptions::default());
    let checks = WasiChecks::all(&module);
    assert_eq!(status(&support::engine(), &module, &checks), Some(0));
    let wrong = with_wrong_call(&module, 2);
    assert_eq!(status(&support::engine(), &wrong, &checks), Some(42));
}

#[test]
fn what_is_no_module_of_ours_is_an_error() {
    let text = "fn f(a: i32) -> i32 { entry: return a; } realize f(7) = 7 via entry;";
    let module = lowered(text, &WasmOptions::default());
    let checks = WasiChecks::all(&module);
    let why = |module: &WasmModule| match module.self_checking(&checks) {
        Err(WasiError::Module(why)) => why,
        other => panic!("{other:?}"),
    };
    let mut unknown = module.clone();
    unknown.calls[0].export = "g".to_owned();
    assert_eq!(why(&unknown), "it exports no function g");
    for len in [0, 4, 7, 20, module.bytes.len() - 1] {
        let cut = WasmModule { bytes: module.bytes[..len].to_vec(), ..module.clone() };
        let result = cut.self_checking(&checks);
        assert!(len > 20 || matches!(result, Err(WasiError::Module(_))), "{len} {result:?}");
    }
}
