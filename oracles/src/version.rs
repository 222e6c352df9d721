//! Asking a command what it is.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::oracle::OracleError;
use crate::process::{CommandLine, End, Ended, ProcessLimits, Stop};

/// Limits for asking a command about itself. A guess.
pub(crate) const BRIEFLY: ProcessLimits =
    ProcessLimits { time: Duration::from_secs(60), memory: None, output: 1 << 20, files: None };

/// Asks the target called `name` for its version. Returns the command as it can be run in any folder,
/// and what it printed.
///
/// # Errors
/// If there is no such command, or it fails.
pub(crate) fn ask_version(
    name: &str,
    command: &Path,
    flag: &str,
    stop: &Stop,
) -> Result<(PathBuf, Ended), OracleError> {
    let failed = |why: String| OracleError::Target { name: name.to_owned(), why };
    let is_path = command.components().count() > 1;
    let command = match is_path.then(|| command.canonicalize()) {
        Some(Ok(absolute)) => absolute,
        _ => command.to_owned(),
    };
    let shown = command.display();
    let line = CommandLine::new(&command, std::env::temp_dir()).arg(flag);
    let ended = line.run(&BRIEFLY, stop).map_err(|error| match error.kind() {
        ErrorKind::NotFound => failed(format!("there is no {shown}")),
        _ => failed(format!("{shown} cannot be run: {error}")),
    })?;
    match ended.end {
        End::Stopped => Err(OracleError::Stopped),
        end if end.is_success() => Ok((command, ended)),
        _ => Err(failed(format!("{shown} {flag} fails"))),
    }
}
