//! Asking a command what it is.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

use crate::launch::{TargetSpec, anywhere, resolved};
use crate::oracle::OracleError;
use crate::process::{End, Ended, ProcessLimits, Stop};
use crate::scratch::ScratchFolder;
use crate::shown::shown_lines;

/// Limits for asking a command about itself. A guess.
pub(crate) const BRIEFLY: ProcessLimits = ProcessLimits {
    time: Duration::from_secs(60),
    memory: None,
    resident: Some(4 << 30),
    output: 1 << 20,
    files: None,
};

/// Whether a command is run behind its target's runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunsBehind {
    /// It is: a JVM or an engine.
    Runner,
    /// It is not: a compiler, whose programs are.
    Nothing,
}

/// What a command says of itself.
pub(crate) struct Asked {
    /// The command as it can be run in any folder.
    pub(crate) command: PathBuf,
    /// The file that it stands for.
    pub(crate) path: PathBuf,
    /// What it printed.
    pub(crate) ended: Ended,
}

/// Asks a target for its version.
///
/// # Errors
/// If there is no such command, or it fails.
pub(crate) fn ask_version(
    spec: &TargetSpec,
    flag: &str,
    behind: RunsBehind,
    stop: &Stop,
) -> Result<Asked, OracleError> {
    let failed = |why: String| OracleError::Target { name: spec.name.clone(), why };
    let command = anywhere(&spec.command);
    let shown = command.display();
    // Its own, so that what it leaves there is removed.
    let folder = ScratchFolder::new()?;
    let line = match behind {
        RunsBehind::Runner => spec.launch.behind_runner(&command, folder.path()),
        RunsBehind::Nothing => spec.launch.direct(&command, folder.path()),
    };
    let first = line.words().swap_remove(0);
    let ended = line.arg(flag).run(&BRIEFLY, stop).map_err(|error| match error.kind() {
        ErrorKind::NotFound => failed(format!("there is no {first}")),
        _ => failed(format!("{first} cannot be run: {error}")),
    })?;
    let path = resolved(&command);
    match ended.end {
        End::Stopped => Err(OracleError::Stopped),
        end if end.is_success() => {
            // Versions stand in messages, reports and scripts.
            let shown = |bytes: &[u8]| shown_lines(&String::from_utf8_lossy(bytes)).into_bytes();
            let (stdout, stderr) = (shown(&ended.stdout), shown(&ended.stderr));
            let ended = Ended { stdout, stderr, ..ended };
            Ok(Asked { command, path, ended })
        }
        _ => Err(failed(format!("{shown} {flag} fails"))),
    }
}
