//! Engines that are part of this program. They run in a process of their own all the same: what
//! kills the engine must not kill the campaign.

use std::io::{self, BufRead, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use pathsmith_backend_wasm::WasmValue;
use pathsmith_symlang::lang::{IntTy, ScalarTy};
use pathsmith_symlang::semantics::checksum::Crc32;
use thiserror::Error;

use super::protocol::{CallRequest, Request, write_result};
use crate::process::thread_time;

/// An engine that is set up. Errors are what it says, for people.
pub(super) trait Embedded {
    /// What is compiled.
    type Module;
    /// An instance of it.
    type Running;

    fn compile(&self, bytes: &[u8]) -> Result<Self::Module, String>;

    fn start(&self, module: &Self::Module) -> Result<Self::Running, String>;

    /// Calls an exported function, and returns its first result.
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
    #[error("cannot communicate: {0}")]
    Io(#[from] io::Error),
}

/// Answers with an engine that is set up.
pub(super) fn serve_with(
    engine: &impl Embedded,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> Result<(), ServeError> {
    let mut output = BufWriter::with_capacity(1 << 15, output);
    for line in input.lines() {
        answer(engine, Path::new(&line?), &mut output)?;
        output.flush()?;
    }
    Ok(())
}

/// How many calls are timed together, unless each is reported at once. A guess.
const CALLS_AT_A_TIME: usize = 64;

fn answer<E: Embedded>(engine: &E, file: &Path, output: &mut impl Write) -> io::Result<()> {
    let begun = thread_time();
    let text = std::fs::read(file)?;
    let request: Request = serde_json::from_slice(&text).map_err(io::Error::other)?;
    let nonce = &request.nonce[..];
    let bytes = std::fs::read(file.with_file_name(&request.module))?;
    let ready = thread_time();
    let module = match engine.compile(&bytes) {
        Ok(module) => module,
        Err(why) => return say(output, nonce, "rejected", &why),
    };
    let compile = thread_time() - ready;
    writeln!(output, "{nonce} compiled")?;
    output.flush()?;
    let before = thread_time();
    let mut running = match engine.start(&module) {
        Ok(running) => running,
        Err(why) => return say(output, nonce, "rejected", &why),
    };
    let mut run = thread_time() - before;
    let n_together = if request.careful { 1 } else { CALLS_AT_A_TIME };
    let mut results = Vec::with_capacity(n_together);
    let mut n_answered = 0;
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
                Ok(value) => write_result(output, nonce, n_answered, value)?,
                Err(why) => say(output, nonce, &format!("trap {n_answered}"), &why)?,
            }
            n_answered += 1;
        }
        if request.careful {
            output.flush()?;
        }
    }
    let all = thread_time() - begun;
    let [compile, run, all] = [compile, run, all].map(|time: Duration| time.as_micros());
    writeln!(output, "{nonce} done {n_answered} {compile} {run} {all}")
}

/// What an engine has to say may have several lines.
fn say(output: &mut impl Write, nonce: &str, what: &str, message: &str) -> io::Result<()> {
    writeln!(output, "{nonce} {what} {}", message.replace('\n', " "))
}

fn reset_and_call<E: Embedded>(
    engine: &E,
    running: &mut E::Running,
    reset: Option<&str>,
    call: &CallRequest,
) -> Result<WasmValue, String> {
    if let Some(reset) = reset.filter(|_| !call.keep) {
        engine.call(running, reset, &[], 0)?;
    }
    let args = call.values().ok_or("malformed arguments")?;
    let result = engine.call(running, &call.export, &args, 1)?;
    result.ok_or_else(|| "there is no result".to_owned())
}

/// The checksum that modules may ask the host for.
pub(super) fn crc_add(crc: i32, value: i64, n_bytes: i32) -> i32 {
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
