//! wasmtime, which is embedded.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use pathsmith_backend_wasm::WasmValue;
use wasmtime::{
    Config, Engine, Instance, Linker, Module, OptLevel, RegallocAlgorithm, Store, Strategy, Val,
};

use super::super::embedded::{Embedded, ServeError, crc_add, serve_with};
use super::{EmbeddedEngine, EngineSetting, UserLine, WasmTarget};
use crate::launch::TargetSpec;
use crate::oracle::OracleError;
use crate::process::Stop;

/// The version, which wasmtime does not export.
const VERSION: &str = "48.0.8";

/// A way to set wasmtime up: what it is called, what it is, and how it is done.
struct Setting {
    name: &'static str,
    about: &'static str,
    /// The flags of its command line that do the same.
    flags: &'static [&'static str],
    apply: fn(&mut Config) -> wasmtime::Result<()>,
}

const SETTINGS: [Setting; 9] = [
    Setting {
        name: "cranelift-speed",
        about: "Cranelift, optimizing",
        flags: &[],
        apply: |config| {
            config.cranelift_opt_level(OptLevel::Speed);
            Ok(())
        },
    },
    Setting {
        name: "cranelift-none",
        about: "Cranelift, not optimizing",
        flags: &["-O", "opt-level=0"],
        apply: |config| {
            config.cranelift_opt_level(OptLevel::None);
            Ok(())
        },
    },
    Setting {
        name: "cranelift-size",
        about: "Cranelift, optimizing for size too",
        flags: &["-O", "opt-level=s"],
        apply: |config| {
            config.cranelift_opt_level(OptLevel::SpeedAndSize);
            Ok(())
        },
    },
    Setting {
        name: "cranelift-single-pass",
        about: "Cranelift, with registers allocated in a single pass",
        flags: &["-O", "regalloc-algorithm=single-pass"],
        apply: |config| {
            config.cranelift_regalloc_algorithm(RegallocAlgorithm::SinglePass);
            Ok(())
        },
    },
    Setting {
        name: "cranelift-epochs",
        about: "Cranelift, with checks in loops that can interrupt them",
        flags: &["-W", "epoch-interruption=y"],
        apply: |config| {
            config.epoch_interruption(true);
            Ok(())
        },
    },
    Setting {
        name: "cranelift-fuel",
        about: "Cranelift, counting what is executed",
        flags: &["-W", "fuel=1000000000000"],
        apply: |config| {
            config.consume_fuel(true);
            Ok(())
        },
    },
    Setting {
        name: "cranelift-explicit-bounds",
        about: "Cranelift, with checks of bounds and divisors in the code, not by the hardware",
        flags: &[
            "-O",
            "signals-based-traps=n",
            "-O",
            "memory-reservation=0",
            "-O",
            "memory-guard-size=0",
        ],
        apply: |config| {
            config.signals_based_traps(false);
            config.memory_reservation(0).memory_guard_size(0);
            Ok(())
        },
    },
    Setting {
        name: "winch",
        about: "Winch, the baseline compiler",
        flags: &["-C", "compiler=winch"],
        apply: |config| {
            config.strategy(Strategy::Winch);
            Ok(())
        },
    },
    Setting {
        name: "pulley",
        about: "Cranelift's code for Pulley, interpreted",
        flags: &["--target", "pulley64"],
        apply: |config| {
            config.target("pulley64")?;
            Ok(())
        },
    },
];

/// wasmtime.
#[derive(Debug)]
pub(super) struct Wasmtime;

impl super::Engine for Wasmtime {
    fn name(&self) -> &'static str {
        "wasmtime"
    }

    fn settings(&self) -> Vec<EngineSetting> {
        SETTINGS.iter().map(|&Setting { name, about, .. }| EngineSetting { name, about }).collect()
    }

    fn version(&self, _spec: &TargetSpec, _stop: &Stop) -> Result<Option<String>, OracleError> {
        Ok(Some(format!("wasmtime {VERSION}")))
    }

    fn command(&self, program: &Path) -> PathBuf {
        program.to_owned()
    }

    fn setting_flags(&self, setting: &str) -> Vec<String> {
        vec![setting.to_owned()]
    }

    fn args(&self, flags: Vec<String>) -> Vec<String> {
        std::iter::once("engine".to_owned()).chain(flags).collect()
    }

    fn embedded(&self) -> Option<&dyn EmbeddedEngine> {
        Some(self)
    }

    fn user_line(&self, target: &WasmTarget, name: &str) -> Option<UserLine> {
        let is_it = |known: &&Setting| target.setting.name() == Some(known.name);
        let flags = SETTINGS.iter().find(is_it)?.flags;
        let flags = flags.iter().map(|&flag| flag.to_owned()).collect();
        Some(UserLine::new("wasmtime", &["run"], flags, &[&format!("{name}.wat")]))
    }
}

impl EmbeddedEngine for Wasmtime {
    fn serve(
        &self,
        setting: &str,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
    ) -> Result<(), ServeError> {
        let known = SETTINGS.iter().find(|known| known.name == setting);
        let known = known.ok_or_else(|| ServeError::NoSetting(setting.to_owned()))?;
        let mut config = Config::new();
        config.max_wasm_stack(1 << 20);
        let engine = (known.apply)(&mut config)
            .and_then(|()| Engine::new(&config))
            .map_err(|error| ServeError::Refused(setting.to_owned(), error.to_string()))?;
        serve_with(&Compiler(engine), input, output)
    }
}

/// wasmtime, set up.
struct Compiler(Engine);

/// An instance of a module.
struct Running {
    store: Store<()>,
    instance: Instance,
}

impl Embedded for Compiler {
    type Module = Module;
    type Running = Running;

    fn compile(&self, bytes: &[u8]) -> Result<Module, String> {
        Module::new(&self.0, bytes).map_err(|error| format!("{error:#}"))
    }

    fn start(&self, module: &Module) -> Result<Running, String> {
        let start = || {
            let mut linker = Linker::new(&self.0);
            linker.func_wrap("ps", "crc_add", crc_add)?;
            let mut store = Store::new(&self.0, ());
            // These are there for the code that they make, not to end anything.
            store.set_epoch_deadline(u64::MAX / 2);
            let _ = store.set_fuel(u64::MAX / 2);
            let instance = linker.instantiate(&mut store, module)?;
            Ok(Running { store, instance })
        };
        start().map_err(|error: wasmtime::Error| format!("{error:#}"))
    }

    fn call(
        &self,
        Running { store, instance }: &mut Running,
        name: &str,
        args: &[WasmValue],
        n_results: usize,
    ) -> Result<Option<WasmValue>, String> {
        let function = instance.get_func(&mut *store, name).ok_or("there is no such export")?;
        let args: Vec<Val> = args
            .iter()
            .map(|value| match value {
                WasmValue::I32(value) => Val::I32(*value),
                WasmValue::I64(value) => Val::I64(*value),
                WasmValue::F32(bits) => Val::F32(*bits),
                WasmValue::F64(bits) => Val::F64(*bits),
            })
            .collect();
        let mut results = vec![Val::I32(0); n_results];
        function.call(store, &args, &mut results).map_err(|error| format!("{error:#}"))?;
        match results.first() {
            None => Ok(None),
            Some(Val::I32(value)) => Ok(Some(WasmValue::I32(*value))),
            Some(Val::I64(value)) => Ok(Some(WasmValue::I64(*value))),
            Some(Val::F32(bits)) => Ok(Some(WasmValue::F32(*bits))),
            Some(Val::F64(bits)) => Ok(Some(WasmValue::F64(*bits))),
            Some(_) => Err("the result is no number".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_lock_file() {
        let lock = include_str!("../../../../Cargo.lock");
        let entry = format!("name = \"wasmtime\"\nversion = \"{VERSION}\"");
        assert!(lock.contains(&entry));
    }
}
