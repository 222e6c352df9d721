//! Classes with a `main` of their own, which are run as a person runs them: they throw an error if
//! something is wrong.

use std::path::Path;
use std::time::Duration;

use pathsmith_backend_jvm::JvmClasses;

use super::{JvmOracle, JvmTarget};
use crate::oracle::{Limits, OracleError};
use crate::process::{CommandLine, End, Ended, ProcessLimits};
use crate::scratch::{read_left_behind, write_afresh};
use crate::verdict::{Evidence, Report, Verdict};

/// What the class throws if a result is wrong, as a JVM says it.
const WRONG: &str = "java.lang.AssertionError";
/// How a JVM begins to say what was thrown.
const THROWN: &str = "Exception in thread \"main\"";

/// The most that is read of what HotSpot says of a crash, in bytes. A guess: such files have some
/// hundred thousand.
const MAX_LOG: u64 = 16 << 20;

impl JvmTarget {
    /// The arguments that run the class `main` in the folder it is in, as a person gives them.
    pub fn plain_args(&self, main: &str) -> Vec<String> {
        let flags = self.machine.launch.flags.iter().chain(&self.setting.flags).cloned();
        flags.chain(["-cp", ".", main].map(str::to_owned)).collect()
    }
}

impl JvmOracle {
    /// Runs the main class on a JVM that has the flags of the target's setting and no others. It
    /// agrees if it exits with 0; an `AssertionError` is a wrong result.
    ///
    /// # Errors
    /// If the oracle cannot work.
    pub fn run_plain(
        &mut self,
        classes: &JvmClasses,
        target: &JvmTarget,
        limits: &Limits,
    ) -> Result<Report, OracleError> {
        let dir = tempfile::tempdir_in(self.sessions.folder())
            .map_err(|source| OracleError::io("cannot create a temporary folder", source))?;
        for class in &classes.classes {
            let path = dir.path().join(class.file_name());
            write_afresh(&path, &class.bytes).map_err(|source| {
                OracleError::io(format!("cannot write {}", path.display()), source)
            })?;
        }
        let main = classes.classes.first().map_or("", |class| &class.name);
        let command = target.machine.line(dir.path()).args(target.plain_args(main));
        let limits = ProcessLimits {
            time: Duration::from_secs(limits.run_time),
            // JVMs reserve more than they use.
            memory: None,
            resident: Some(limits.memory),
            output: limits.output,
            files: Some(limits.files),
        };
        let ended = match command.run(&limits, &self.sessions.stop) {
            Ok(Ended { end: End::Stopped, .. }) => return Err(OracleError::Stopped),
            Ok(ended) => ended,
            Err(error) => return Ok(Report::not_started(&command, &error)),
        };
        self.sessions.spent.run += ended.cpu;
        Ok(judged(&command, &ended, dir.path()))
    }
}

fn judged(command: &CommandLine, ended: &Ended, dir: &Path) -> Report {
    let said = String::from_utf8_lossy(&ended.stderr);
    let thrown = said.lines().find(|line| line.starts_with(THROWN));
    let verdict = match (ended.end, thrown) {
        (end, _) if end.is_success() => Verdict::Agrees,
        (End::Limit(_), _) => Verdict::Hang,
        (_, Some(line)) if line.contains(WRONG) => Verdict::WrongResult,
        (_, Some(_)) => Verdict::Crash,
        (_, None) => match crash_log(dir) {
            Some(log) if log.contains("Current CompileTask:") => Verdict::CompilerCrash,
            Some(_) => Verdict::Crash,
            // It did not get as far as the class.
            None => Verdict::InfrastructureFailure,
        },
    };
    let message = thrown.map_or_else(|| first_lines(&said), str::to_owned);
    Report::new(verdict, vec![Evidence::of(command, ended, message)])
}

/// What HotSpot says of a crash, in a file that is called by the number of its process.
fn crash_log(dir: &Path) -> Option<String> {
    let entries = std::fs::read_dir(dir).ok()?;
    let is_log = |name: &str| name.starts_with("hs_err") && name.ends_with(".log");
    let mut paths = entries.flatten().map(|entry| entry.path());
    let path =
        paths.find(|path| path.file_name().is_some_and(|it| is_log(&it.to_string_lossy())))?;
    let bytes = read_left_behind(&path, MAX_LOG).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn first_lines(said: &str) -> String {
    said.lines().take(5).collect::<Vec<_>>().join("\n")
}
