//! The engines that are part of this program. They run in a process of their own all the same:
//! what kills the engine must not kill the campaign.

use std::io::{BufRead, Write};
use std::path::Path;

use pathsmith_backend_wasm::WasmValue;
use pathsmith_core::lang::StorageTy;
use pathsmith_core::semantics::checksum::Crc32;
use thiserror::Error;
use wasmtime::{
    Config, Engine, Instance, Linker, Module, OptLevel, RegallocAlgorithm, Store, Strategy, Val,
};

use super::protocol::{CallRequest, Request};
use crate::process::thread_time;

/// The version of wasmtime, which it does not tell itself.
pub const WASMTIME_VERSION: &str = "48.0.8";

/// A way to set wasmtime up: what it is called, what it is, and how it is done.
struct Setting {
    name: &'static str,
    about: &'static str,
    apply: fn(&mut Config) -> wasmtime::Result<()>,
}

const SETTINGS: [Setting; 9] = [
    Setting {
        name: "cranelift-speed",
        about: "Cranelift, optimizing",
        apply: |config| {
            config.cranelift_opt_level(OptLevel::Speed);
            Ok(())
        },
    },
    Setting {
        name: "cranelift-none",
        about: "Cranelift, not optimizing",
        apply: |config| {
            config.cranelift_opt_level(OptLevel::None);
            Ok(())
        },
    },
    Setting {
        name: "cranelift-size",
        about: "Cranelift, optimizing for size too",
        apply: |config| {
            config.cranelift_opt_level(OptLevel::SpeedAndSize);
            Ok(())
        },
    },
    Setting {
        name: "cranelift-single-pass",
        about: "Cranelift, with registers allocated in a single pass",
        apply: |config| {
            config.cranelift_regalloc_algorithm(RegallocAlgorithm::SinglePass);
            Ok(())
        },
    },
    Setting {
        name: "cranelift-epochs",
        about: "Cranelift, with checks in loops that can interrupt them",
        apply: |config| {
            config.epoch_interruption(true);
            Ok(())
        },
    },
    Setting {
        name: "cranelift-fuel",
        about: "Cranelift, counting what is executed",
        apply: |config| {
            config.consume_fuel(true);
            Ok(())
        },
    },
    Setting {
        name: "cranelift-explicit-bounds",
        about: "Cranelift, with checks of bounds and divisors in the code, not by the hardware",
        apply: |config| {
            config.signals_based_traps(false);
            config.memory_reservation(0).memory_guard_size(0);
            Ok(())
        },
    },
    Setting {
        name: "winch",
        about: "Winch, the baseline compiler",
        apply: |config| {
            config.strategy(Strategy::Winch);
            Ok(())
        },
    },
    Setting {
        name: "pulley",
        about: "Cranelift's code for Pulley, interpreted",
        apply: |config| {
            config.target("pulley64")?;
            Ok(())
        },
    },
];

/// The names of all settings of wasmtime, and what they are.
pub fn embedded_settings() -> impl Iterator<Item = (&'static str, &'static str)> {
    SETTINGS.iter().map(|setting| (setting.name, setting.about))
}

/// Why an embedded engine cannot serve.
#[derive(Debug, Error)]
pub enum ServeError {
    /// There is no such setting.
    #[error("there is no setting {0}")]
    NoSetting(String),
    /// The engine refuses the setting.
    #[error("wasmtime refuses the setting {0}: {1}")]
    Refused(String, String),
    /// A question or an answer was lost.
    #[error("cannot talk: {0}")]
    Io(#[from] std::io::Error),
}

/// Answers questions, one on each line of `input`, until there are no more.
///
/// # Errors
/// Where there is no such engine, or nobody to talk to. What a module does is part of the answers.
pub fn serve(setting: &str, input: impl BufRead, mut output: impl Write) -> Result<(), ServeError> {
    let known = SETTINGS.iter().find(|known| known.name == setting);
    let known = known.ok_or_else(|| ServeError::NoSetting(setting.to_owned()))?;
    let refused =
        |error: wasmtime::Error| ServeError::Refused(setting.to_owned(), error.to_string());
    let mut config = Config::new();
    config.max_wasm_stack(1 << 20);
    (known.apply)(&mut config).map_err(refused)?;
    let engine = Engine::new(&config).map_err(refused)?;
    for line in input.lines() {
        answer(&engine, Path::new(&line?), &mut output)?;
        output.flush()?;
    }
    Ok(())
}

fn answer(engine: &Engine, file: &Path, output: &mut impl Write) -> std::io::Result<()> {
    let begun = thread_time();
    let text = std::fs::read(file)?;
    let request: Request = serde_json::from_slice(&text).map_err(std::io::Error::other)?;
    let bytes = std::fs::read(file.with_file_name(&request.module))?;
    let ready = thread_time();
    let module = match Module::new(engine, &bytes) {
        Ok(module) => module,
        Err(error) => return writeln!(output, "rejected {}", one_line(&error)),
    };
    let compiled = thread_time();
    writeln!(output, "compiled")?;
    output.flush()?;
    let mut running = match Running::new(engine, &module) {
        Ok(running) => running,
        Err(error) => return writeln!(output, "rejected {}", one_line(&error)),
    };
    let mut run = thread_time() - compiled;
    for call in &request.calls {
        let before = thread_time();
        let result = running.reset_and_call(request.reset.as_deref(), call);
        let result = match result {
            Ok(value) => format!("value {value}\n"),
            Err(error) => {
                // A trap leaves memory and globals as they are.
                if let Ok(fresh) = Running::new(engine, &module) {
                    running = fresh;
                }
                format!("trap {}\n", one_line(&error))
            }
        };
        run += thread_time() - before;
        output.write_all(result.as_bytes())?;
    }
    let all = thread_time() - begun;
    let compile = compiled - ready;
    writeln!(output, "done {} {} {}", compile.as_micros(), run.as_micros(), all.as_micros())
}

fn one_line(error: &wasmtime::Error) -> String {
    format!("{error:#}").replace('\n', " ")
}

/// An instance of a module.
struct Running {
    store: Store<()>,
    instance: Instance,
}

impl Running {
    fn new(engine: &Engine, module: &Module) -> wasmtime::Result<Self> {
        let mut linker = Linker::new(engine);
        linker.func_wrap("ps", "crc_add", crc_add)?;
        let mut store = Store::new(engine, ());
        // These are there for the code that they make, not to end anything.
        store.set_epoch_deadline(u64::MAX / 2);
        let _ = store.set_fuel(u64::MAX / 2);
        let instance = linker.instantiate(&mut store, module)?;
        Ok(Self { store, instance })
    }

    fn reset_and_call(&mut self, reset: Option<&str>, call: &CallRequest) -> wasmtime::Result<i64> {
        if let Some(reset) = reset {
            self.call(reset, &[], &mut [])?;
        }
        let args = call.values().ok_or_else(|| wasmtime::Error::msg("malformed arguments"))?;
        let args: Vec<Val> = args
            .into_iter()
            .map(|value| match value {
                WasmValue::I32(value) => Val::I32(value),
                WasmValue::I64(value) => Val::I64(value),
            })
            .collect();
        let mut results = [Val::I32(0)];
        self.call(&call.export, &args, &mut results)?;
        match results[0] {
            Val::I32(value) => Ok(value.into()),
            Val::I64(value) => Ok(value),
            _ => Err(wasmtime::Error::msg("the result is no integer")),
        }
    }

    fn call(&mut self, name: &str, args: &[Val], results: &mut [Val]) -> wasmtime::Result<()> {
        let function = self.instance.get_func(&mut self.store, name);
        let function = function.ok_or_else(|| wasmtime::Error::msg("there is no such export"))?;
        function.call(&mut self.store, args, results)
    }
}

/// The checksum that modules may ask the host for.
fn crc_add(crc: i32, value: i64, n_bytes: i32) -> i32 {
    let mut sum = Crc32::resumed(crc as u32);
    let ty = match n_bytes {
        1 => StorageTy::U8,
        2 => StorageTy::U16,
        4 => StorageTy::U32,
        _ => StorageTy::U64,
    };
    sum.add(ty, value);
    sum.state() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_lock_file() {
        let lock = include_str!("../../../Cargo.lock");
        let entry = format!("name = \"wasmtime\"\nversion = \"{WASMTIME_VERSION}\"");
        assert!(lock.contains(&entry));
    }

    #[test]
    fn every_setting_makes_an_engine() {
        for setting in &SETTINGS {
            serve(setting.name, &b""[..], Vec::new()).unwrap();
        }
        assert!(serve("warp", &b""[..], Vec::new()).is_err());
    }
}
