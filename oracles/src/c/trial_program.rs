//! A small program that compilers are tried with.

use std::io::{self, ErrorKind};
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

/// A folder with a small program, `try.c`, which exits with 0 if arithmetic is that of IEEE 754.
pub(super) fn trial_folder_with_floats() -> Result<ScratchFolder, OracleError> {
    let folder = ScratchFolder::new()?;
    std::fs::write(folder.path().join("try.c"), include_str!("runtime/arithmetic.c"))
        .map_err(|source| OracleError::io("cannot write try.c", source))?;
    Ok(folder)
}

/// What compilers and the programs that they made may use. Guesses.
const LIMITS: ProcessLimits = ProcessLimits {
    time: Duration::from_secs(20),
    memory: None,
    resident: Some(4 << 30),
    output: 1 << 20,
    files: None,
};

/// Runs a compiler, or the program that it made.
pub(super) fn run(line: &CommandLine, stop: &Stop) -> Result<Ended, OracleError> {
    match line.run(&LIMITS, stop) {
        Ok(Ended { end: End::Stopped, .. }) => Err(OracleError::Stopped),
        Ok(ended) => Ok(ended),
        Err(source) => Err(OracleError::io(format!("cannot run {}", line.words()[0]), source)),
    }
}

/// The same; nothing if the system finds no program that it could start: there is no file, it may
/// not be executed, or it is for another machine.
pub(super) fn run_if_started(
    line: &CommandLine,
    stop: &Stop,
) -> Result<Option<Ended>, OracleError> {
    match run(line, stop) {
        Err(OracleError::Io { source, .. }) if is_about_the_file(&source) => Ok(None),
        ended => ended.map(Some),
    }
}

fn is_about_the_file(error: &io::Error) -> bool {
    let is_foreign = error.raw_os_error() == Some(libc::ENOEXEC);
    is_foreign || matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied)
}
