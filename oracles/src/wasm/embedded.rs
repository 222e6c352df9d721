//! The engines that are part of this program. They run in a process of their own all the same:
//! what kills the engine must not kill the campaign.

#[cfg(feature = "wasmi")]
mod wasmi;
mod wasmtime;

use std::io::{self, BufRead, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use pathsmith_backend_wasm::WasmValue;
use pathsmith_symlang::lang::{IntTy, ScalarTy};
use pathsmith_symlang::semantics::checksum::Crc32;
use thiserror::Error;

use super::protocol::{CallRequest, Request};
use crate::process::thread_time;

/// A way to set up an embedded engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddedSetting {
    /// The engine.
    pub engine: &'static str,
    /// The engine's version.
    pub version: &'static str,
    /// The name of the setting.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
}

/// All settings of all embedded engines.
pub fn embedded_settings() -> Vec<EmbeddedSetting> {
    let settings = wasmtime::settings();
    #[cfg(feature = "wasmi")]
    let settings = settings.chain(wasmi::settings());
    settings.collect()
}

/// An engine that is set up. Errors are what it says, for people.
trait Embedded {
    /// What is compiled.
    type Module;
    /// An instance of it.
    type Running;

    fn compile(&self, bytes: &[u8]) -> Result<Self::Module, String>;

    fn start(&self, module: &Self::Module) -> Result<Self::Running, String>;

    /// Calls an exported function, and gives its first result.
    fn call(
        &self,
        running: &mut Self::Running,
        name: &str,
        args: &[WasmValue],
        n_results: usize,
    ) -> Result<Option<WasmValue>, String>;
}

/// Why an embedded engine cannot serve.
#[derive(Debug, Error)]
pub enum ServeError {
    /// There is no such setting.
    #[error("there is no setting {0}")]
    NoSetting(String),
    /// The engine refuses the setting.
    #[error("the engine refuses the setting {0}: {1}")]
    Refused(String, String),
    /// A question or an answer was lost.
    #[error("cannot talk: {0}")]
    Io(#[from] io::Error),
}

/// Answers questions, one on each line of `input`, until there are no more.
///
/// # Errors
/// Where there is no such engine, or nobody to talk to. What a module does is part of the answers.
pub fn serve(setting: &str, input: impl BufRead, output: impl Write) -> Result<(), ServeError> {
    #[cfg(feature = "wasmi")]
    if let Some(engine) = wasmi::Wasmi::new(setting) {
        return serve_with(&engine, input, output);
    }
    match wasmtime::Wasmtime::new(setting) {
        Some(Ok(engine)) => serve_with(&engine, input, output),
        Some(Err(why)) => Err(ServeError::Refused(setting.to_owned(), why)),
        None => Err(ServeError::NoSetting(setting.to_owned())),
    }
}

fn serve_with(
    engine: &impl Embedded,
    input: impl BufRead,
    output: impl Write,
) -> Result<(), ServeError> {
    let mut output = BufWriter::with_capacity(1 << 15, output);
    for line in input.lines() {
        answer(engine, Path::new(&line?), &mut output)?;
        output.flush()?;
    }
    Ok(())
}

/// How many calls are timed together, unless each has to be told of at once.
const CALLS_AT_A_TIME: usize = 64;

fn answer<E: Embedded>(engine: &E, file: &Path, output: &mut impl Write) -> io::Result<()> {
    let begun = thread_time();
    let text = std::fs::read(file)?;
    let request: Request = serde_json::from_slice(&text).map_err(io::Error::other)?;
    let bytes = std::fs::read(file.with_file_name(&request.module))?;
    let ready = thread_time();
    let module = match engine.compile(&bytes) {
        Ok(module) => module,
        Err(why) => return say(output, "rejected", &why),
    };
    let compile = thread_time() - ready;
    writeln!(output, "compiled")?;
    output.flush()?;
    let before = thread_time();
    let mut running = match engine.start(&module) {
        Ok(running) => running,
        Err(why) => return say(output, "rejected", &why),
    };
    let mut run = thread_time() - before;
    let n_together = if request.careful { 1 } else { CALLS_AT_A_TIME };
    let mut results = Vec::with_capacity(n_together);
    for calls in request.calls.chunks(n_together) {
        let before = thread_time();
        for call in calls {
            let result = reset_and_call(engine, &mut running, request.reset.as_deref(), call);
            if result.is_err()
                && let Ok(fresh) = engine.start(&module)
            {
                // A trap leaves memory and globals as they are.
                running = fresh;
            }
            results.push(result);
        }
        run += thread_time() - before;
        for result in results.drain(..) {
            match result {
                Ok(value) => writeln!(output, "value {value}")?,
                Err(why) => say(output, "trap", &why)?,
            }
        }
        if request.careful {
            output.flush()?;
        }
    }
    let all = thread_time() - begun;
    let [compile, run, all] = [compile, run, all].map(|time: Duration| time.as_micros());
    writeln!(output, "done {compile} {run} {all}")
}

/// What an engine has to say may have several lines.
fn say(output: &mut impl Write, word: &str, message: &str) -> io::Result<()> {
    writeln!(output, "{word} {}", message.replace('\n', " "))
}

fn reset_and_call<E: Embedded>(
    engine: &E,
    running: &mut E::Running,
    reset: Option<&str>,
    call: &CallRequest,
) -> Result<i64, String> {
    if let Some(reset) = reset {
        engine.call(running, reset, &[], 0)?;
    }
    let args = call.values().ok_or("malformed arguments")?;
    match engine.call(running, &call.export, &args, 1)? {
        Some(WasmValue::I32(value)) => Ok(value.into()),
        Some(WasmValue::I64(value)) => Ok(value),
        None => Err("there is no result".to_owned()),
    }
}

/// The checksum that modules may ask the host for.
fn crc_add(crc: i32, value: i64, n_bytes: i32) -> i32 {
    let mut sum = Crc32::resumed(crc as u32);
    let ty = match n_bytes {
        1 => IntTy::U8,
        2 => IntTy::U16,
        4 => IntTy::U32,
        _ => IntTy::U64,
    };
    sum.add(ScalarTy::Int(ty), value);
    sum.state() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_makes_an_engine() {
        for setting in embedded_settings() {
            serve(setting.name, &b""[..], Vec::new()).unwrap();
        }
        assert!(serve("warp", &b""[..], Vec::new()).is_err());
    }
}
