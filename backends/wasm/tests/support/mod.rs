//! Running modules in wasmtime, and holding them against what their programs say.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod exhaustive;

use pathsmith_backend::Backend;
use pathsmith_backend_wasm::{WasmBackend, WasmModule, WasmOptions};
use pathsmith_symlang::lang::{Ending, FloatTy, Function, IntTy, Program, Scalar, ScalarTy};
use pathsmith_symlang::semantics::checksum::Crc32;
use wasmparser::{Validator, WasmFeatures};
use wasmtime::{Engine, Instance, Linker, Module, Store, Val};

/// An instance of a program's module.
pub(crate) struct Running {
    store: Store<()>,
    instance: Instance,
}

/// An engine that compiles as fast as it can.
pub(crate) fn engine() -> Engine {
    let mut config = wasmtime::Config::new();
    config.cranelift_opt_level(wasmtime::OptLevel::None);
    config.max_wasm_stack(8 << 20);
    config.async_stack_size(16 << 20);
    Engine::new(&config).expect("an engine")
}

/// A module, which is valid without anything beyond WebAssembly 2.0 but the tail calls that were
/// asked for.
pub(crate) fn lower(program: &Program, options: &WasmOptions) -> WasmModule {
    let module = match WasmBackend.lower(program, options) {
        Ok(module) => module,
        Err(error) => panic!("{error}\n{options:?}\n{program}"),
    };
    let mut features = WasmFeatures::WASM2;
    features.set(WasmFeatures::TAIL_CALL, options.functions.iter().any(|f| f.tail_calls));
    if let Err(error) = Validator::new_with_features(features).validate_all(&module.bytes) {
        panic!("{error}\n{options:?}\n{program}");
    }
    module
}

impl Running {
    pub(crate) fn new(engine: &Engine, module: &WasmModule) -> Self {
        let compiled = Module::new(engine, &module.bytes).expect("wasmtime compiles the module");
        let mut linker = Linker::new(engine);
        linker.func_wrap("ps", "crc_add", host_crc).expect("an import");
        let mut store = Store::new(engine, ());
        let instance = linker.instantiate(&mut store, &compiled).expect("an instance");
        Self { store, instance }
    }

    /// Calls an exported function; `None` is a trap.
    pub(crate) fn call(&mut self, name: &str, args: &[Val], n_results: usize) -> Option<Vec<Val>> {
        let function = self.instance.get_func(&mut self.store, name).expect("an export");
        let mut results = vec![Val::I32(0); n_results];
        function.call(&mut self.store, args, &mut results).ok()?;
        Some(results)
    }
}

/// Bit by bit, so that the tests have an account of their own.
fn host_crc(mut crc: i32, value: i64, n_bytes: i32) -> i32 {
    for byte in &value.to_le_bytes()[..n_bytes as usize] {
        crc ^= i32::from(*byte);
        for _ in 0..8 {
            crc = (crc as u32 >> 1) as i32 ^ (0xedb8_8320_u32 as i32 & -(crc & 1));
        }
    }
    crc
}

pub(crate) fn argument(value: &Scalar) -> Val {
    match value.ty() {
        ScalarTy::Int(IntTy::I64 | IntTy::U64) => Val::I64(value.word()),
        ScalarTy::Int(_) => Val::I32(value.word() as i32),
        ScalarTy::Float(FloatTy::F32) => Val::F32(value.word() as u32),
        ScalarTy::Float(FloatTy::F64) => Val::F64(value.word() as u64),
    }
}

pub(crate) fn arguments(args: &[Scalar]) -> Vec<Val> {
    args.iter().map(argument).collect()
}

pub(crate) fn canonical(function: &Function, result: &Val) -> Scalar {
    match result {
        Val::I32(value) => Scalar::new(function.ret, i64::from(*value)),
        Val::I64(value) => Scalar::new(function.ret, *value),
        Val::F32(bits) => Scalar::new(function.ret, i64::from(*bits)),
        Val::F64(bits) => Scalar::new(function.ret, *bits as i64),
        other => panic!("{other:?}"),
    }
}

/// Another value of the same type. There is one NaN.
pub(crate) fn another(value: Scalar) -> Scalar {
    match value.ty() {
        ScalarTy::Float(ty) if ty.is_nan(value.word()) => Scalar::new(ty, 0),
        ty @ (ScalarTy::Int(_) | ScalarTy::Float(_)) => Scalar::new(ty, value.word() ^ 1),
    }
}

/// Runs every realization, and gives how many there were.
pub(crate) fn check(engine: &Engine, program: &Program, options: &WasmOptions) -> usize {
    let module = lower(program, options);
    let mut running = Running::new(engine, &module);
    let mut n_run = 0;
    for ((function, (name, n)), n_visible) in
        program.functions.iter().zip(&module.tests).zip(&module.n_visible)
    {
        assert_eq!((name, *n), (&function.name, function.realizations.len()));
        for (at, realization) in function.realizations.iter().enumerate() {
            let visible = (at < *n_visible).then(|| WasmModule::visible_name(name, at));
            let args = arguments(&realization.args);
            for (name, args) in [(Some(name.clone()), &args[..]), (visible, &[])] {
                let Some(name) = name else { continue };
                if let Some(reset) = &module.reset {
                    running.call(reset, &[], 0).expect("reset does not trap");
                }
                let result = running.call(&name, args, 1);
                let output = result.map(|result| canonical(function, &result[0]));
                if output.map(Ending::Returns) != Some(realization.ending) {
                    let wat = module.wat().unwrap_or_default();
                    panic!("{name} gives {output:?}\n{options:?}\n{program}\n{wat}");
                }
                if realization.leaving.is_some() {
                    let memory = WasmModule::memory_name(&function.name);
                    let left = running.call(&memory, &[], 1).expect("it does not trap");
                    let left = left[0].unwrap_i32() as u32;
                    assert_eq!(Some(left), realization.leaving, "{name}\n{options:?}\n{program}");
                }
                n_run += 1;
            }
        }
    }
    n_run
}

#[test]
fn the_host_computes_the_same_checksum() {
    let mut crc = Crc32::new();
    crc.add(ScalarTy::Int(IntTy::I16), -2);
    crc.add(ScalarTy::Int(IntTy::U64), i64::MIN + 77);
    let ours = host_crc(host_crc(-1, -2, 2), i64::MIN + 77, 8);
    assert_eq!(!ours as u32, crc.value());
}
