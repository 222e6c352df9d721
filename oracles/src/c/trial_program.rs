//! A small program that compilers are tried with.

use std::time::Duration;

use crate::oracle::OracleError;
use crate::process::{CommandLine, End, Ended, ProcessLimits, Stop};
use crate::scratch::ScratchFolder;

/// A folder with a small program, `try.c`.
pub(super) fn trial_folder() -> Result<ScratchFolder, OracleError> {
    let folder = ScratchFolder::new()?;
    let program = "int main(int n, char **v) { int s = 0; for (int i = 0; i < n; i++) s += i; \
                   return s + (v == 0); }";
    std::fs::write(folder.path().join("try.c"), program)
        .map_err(|source| OracleError::io("cannot write try.c", source))?;
    Ok(folder)
}

/// Runs a compiler, or the program that it made.
pub(super) fn run(line: &CommandLine, stop: &Stop) -> Result<Ended, OracleError> {
    let limits =
        ProcessLimits { time: Duration::from_secs(20), memory: None, output: 1 << 20, files: None };
    let ended = line
        .run(&limits, stop)
        .map_err(|source| OracleError::io(format!("cannot run {}", line.words()[0]), source))?;
    if ended.end == End::Stopped { Err(OracleError::Stopped) } else { Ok(ended) }
}
