//! wasmi, an interpreter, which is embedded.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use pathsmith_backend_wasm::WasmValue;
use wasmi::{CompilationMode, Config, Engine, F32, F64, Instance, Linker, Module, Store, Val};

use super::super::embedded::{Embedded, ServeError, crc_add, serve_with};
use super::{EmbeddedEngine, EngineSetting, UserLine, WasmTarget};
use crate::launch::TargetSpec;
use crate::oracle::OracleError;
use crate::process::Stop;

/// The version, which wasmi does not export.
const VERSION: &str = "2.0.0";

/// Names, what they are, and when functions are translated.
const SETTINGS: [(&str, &str, CompilationMode); 2] = [
    ("wasmi-eager", "wasmi, translating at once", CompilationMode::Eager),
    ("wasmi-lazy", "wasmi, translating what is called", CompilationMode::Lazy),
];

/// wasmi.
#[derive(Debug)]
pub(super) struct Wasmi;

impl super::Engine for Wasmi {
    fn name(&self) -> &'static str {
        "wasmi"
    }

    fn settings(&self) -> Vec<EngineSetting> {
        SETTINGS.iter().map(|&(name, about, _)| EngineSetting { name, about }).collect()
    }

    fn version(&self, _spec: &TargetSpec, _stop: &Stop) -> Result<Option<String>, OracleError> {
        Ok(Some(format!("wasmi {VERSION}")))
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
        let is_lazy = target.setting.name() == Some("wasmi-lazy");
        let flags = ["--compilation-mode", if is_lazy { "lazy" } else { "eager" }];
        let flags = flags.map(str::to_owned).to_vec();
        Some(UserLine::new("wasmi", &[], flags, &[&format!("{name}.wasm")]))
    }
}

impl EmbeddedEngine for Wasmi {
    fn serve(
        &self,
        setting: &str,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
    ) -> Result<(), ServeError> {
        let known = SETTINGS.iter().find(|(name, ..)| *name == setting);
        let (_, _, mode) = known.ok_or_else(|| ServeError::NoSetting(setting.to_owned()))?;
        let mut config = Config::default();
        config.compilation_mode(*mode);
        serve_with(&Interpreter(Engine::new(&config)), input, output)
    }
}

/// wasmi, set up.
struct Interpreter(Engine);

/// An instance of a module.
struct Running {
    store: Store<()>,
    instance: Instance,
}

impl Embedded for Interpreter {
    type Module = Module;
    type Running = Running;

    fn compile(&self, bytes: &[u8]) -> Result<Module, String> {
        Module::new(&self.0, bytes).map_err(|error| error.to_string())
    }

    fn start(&self, module: &Module) -> Result<Running, String> {
        let start = || {
            let mut linker = Linker::new(&self.0);
            linker.func_wrap("ps", "crc_add", crc_add)?;
            let mut store = Store::new(&self.0, ());
            let instance = linker.instantiate_and_start(&mut store, module)?;
            Ok(Running { store, instance })
        };
        start().map_err(|error: wasmi::Error| error.to_string())
    }

    fn call(
        &self,
        Running { store, instance }: &mut Running,
        name: &str,
        args: &[WasmValue],
        n_results: usize,
    ) -> Result<Option<WasmValue>, String> {
        let function = instance.get_func(&*store, name).ok_or("there is no such export")?;
        let args: Vec<Val> = args
            .iter()
            .map(|value| match value {
                WasmValue::I32(value) => Val::I32(*value),
                WasmValue::I64(value) => Val::I64(*value),
                WasmValue::F32(bits) => Val::F32(F32::from_bits(*bits)),
                WasmValue::F64(bits) => Val::F64(F64::from_bits(*bits)),
            })
            .collect();
        let mut results = vec![Val::I32(0); n_results];
        function.call(store, &args, &mut results).map_err(|error| error.to_string())?;
        match results.first() {
            None => Ok(None),
            Some(Val::I32(value)) => Ok(Some(WasmValue::I32(*value))),
            Some(Val::I64(value)) => Ok(Some(WasmValue::I64(*value))),
            Some(Val::F32(value)) => Ok(Some(WasmValue::F32(value.to_bits()))),
            Some(Val::F64(value)) => Ok(Some(WasmValue::F64(value.to_bits()))),
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
        let entry = format!("name = \"wasmi\"\nversion = \"{VERSION}\"");
        assert!(lock.contains(&entry));
    }
}
