//! Instrumented targets: a command that says what a program covers in one.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::oracle::{Limits, OracleError};
use crate::process::{CommandLine, End, ProcessLimits, Stop};
use crate::scratch::ScratchFolder;
use crate::shown::shown_line;

/// What a program covers, and the CPU time that it took to find out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    /// The names of the edges.
    pub edges: BTreeSet<String>,
    /// The CPU time.
    pub cpu: Duration,
}

/// Runs a command in a folder with some files, whose names are its last arguments. Each line that it
/// writes to standard output names an edge that it has covered.
///
/// # Errors
/// If it cannot be run, or does not exit with 0.
pub fn covered_edges(
    command: &[String],
    files: &[(&str, &[u8])],
    limits: &Limits,
    stop: &Stop,
) -> Result<Covered, OracleError> {
    let failed = |why: String| OracleError::Target { name: "mutate.coverage".to_owned(), why };
    let Some((program, args)) = command.split_first() else { return Ok(Covered::default()) };
    let folder = ScratchFolder::new()?;
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes)
            .map_err(|source| OracleError::io("cannot write a temporary file", source))?;
    }
    let names = files.iter().map(|(name, _)| name);
    let line = CommandLine::new(program, folder.path()).args(args).args(names);
    let process_limits = ProcessLimits {
        time: Duration::from_secs(limits.compile_time),
        memory: None,
        resident: Some(limits.memory),
        output: limits.output,
        files: Some(limits.files),
    };
    let ended = line
        .run(&process_limits, stop)
        .map_err(|error| failed(format!("{}: {error}", shown_line(program))))?;
    match ended.end {
        End::Stopped => return Err(OracleError::Stopped),
        End::Status(status) if status.success() => {}
        End::Status(status) => {
            let said = String::from_utf8_lossy(&ended.stderr);
            let said = said.lines().next().unwrap_or_default();
            return Err(failed(format!("{status}: {}", shown_line(said))));
        }
        End::Limit(reached) => return Err(failed(reached.to_string())),
    }
    let text = String::from_utf8_lossy(&ended.stdout);
    let edges = text.lines().map(str::trim).filter(|line| !line.is_empty());
    Ok(Covered { edges: edges.map(str::to_owned).collect(), cpu: ended.cpu })
}
