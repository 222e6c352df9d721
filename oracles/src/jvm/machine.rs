//! The JVMs of a machine.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::launch::{Launch, TargetSpec};
use crate::oracle::OracleError;
use crate::process::{CommandLine, End, Ended, Stop};
use crate::shown::{shown_line, shown_lines};
use crate::version::{Asked, BRIEFLY, RunsBehind, ask_version};

/// Where distributions install JVMs.
const INSTALLED: &str = "/usr/lib/jvm";

/// A Java virtual machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JavaMachine {
    /// What it is called here: `java`.
    pub name: String,
    /// The command that runs it.
    pub command: PathBuf,
    /// What it says of its version, in one line.
    pub version: String,
    /// Whether it is HotSpot, whose flags and compilers we know.
    pub is_hotspot: bool,
    /// The file that the command stands for.
    pub path: PathBuf,
    /// How it is started.
    #[serde(default)]
    pub launch: Launch,
}

impl JavaMachine {
    /// The JVM that a command runs.
    ///
    /// # Errors
    /// If it runs none.
    pub fn new(spec: &TargetSpec, stop: &Stop) -> Result<Self, OracleError> {
        let Asked { command, path, ended } =
            ask_version(spec, "-version", RunsBehind::Runner, stop)?;
        let text = String::from_utf8_lossy(&ended.stderr);
        let version = version_line(&text).ok_or_else(|| OracleError::Target {
            name: spec.name.clone(),
            why: format!("{} is no JVM", command.display()),
        })?;
        let is_hotspot = is_hotspot(&text);
        let (name, launch) = (spec.name.clone(), spec.launch.clone());
        Ok(Self { name, command, version, is_hotspot, path, launch })
    }

    /// `java` on PATH and that of JAVA_HOME, if they are found; once if they are the same.
    ///
    /// # Errors
    /// If it is stopped.
    pub fn found(stop: &Stop) -> Result<Vec<Self>, OracleError> {
        let mut files: Vec<(&str, PathBuf)> = Vec::new();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let on_path = std::env::split_paths(&path).map(|dir| dir.join("java"));
        files.extend(on_path.filter(|file| file.is_file()).take(1).map(|file| ("java", file)));
        if let Some(home) = std::env::var_os("JAVA_HOME") {
            files.push(("JAVA_HOME", Path::new(&home).join("bin").join("java")));
        }
        let mut machines: Vec<Self> = Vec::new();
        for (name, file) in files {
            match Self::new(&TargetSpec::new(name, file), stop) {
                Ok(machine) if machines.iter().any(|known| known.path == machine.path) => {}
                Ok(machine) => machines.push(machine),
                Err(OracleError::Stopped) => return Err(OracleError::Stopped),
                // Something that is called `java`, and is no JVM.
                Err(_) => {}
            }
        }
        Ok(machines)
    }

    /// Those of [`found`](Self::found), and all in `/usr/lib/jvm`, each once.
    ///
    /// # Errors
    /// If it is stopped.
    pub fn installed(stop: &Stop) -> Result<Vec<Self>, OracleError> {
        let mut machines = Self::found(stop)?;
        let Ok(entries) = std::fs::read_dir(INSTALLED) else { return Ok(machines) };
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        folders.sort_unstable();
        for folder in folders {
            let java = folder.join("bin").join("java");
            let Some(name) = folder.file_name().filter(|_| java.is_file()) else { continue };
            match Self::new(&TargetSpec::new(name.to_string_lossy(), java), stop) {
                Ok(machine) if machines.iter().any(|known| known.path == machine.path) => {}
                Ok(machine) => machines.push(machine),
                Err(OracleError::Stopped) => return Err(OracleError::Stopped),
                // Something that is called `java`, and is no JVM.
                Err(_) => {}
            }
        }
        Ok(machines)
    }

    /// What it says of its version in full: `java -version`.
    ///
    /// # Errors
    /// If it cannot be run, or is stopped.
    pub fn version_details(&self, stop: &Stop) -> Result<String, OracleError> {
        let ended = self.run(&["-version"], stop)?;
        Ok(shown_lines(String::from_utf8_lossy(&ended.stderr).trim_end()))
    }

    /// Whether it starts with these flags, without a warning.
    ///
    /// # Errors
    /// If it cannot be run any more, or is stopped.
    pub fn takes(&self, flags: &[String], stop: &Stop) -> Result<bool, OracleError> {
        Ok(self.problem_with(flags, stop)?.is_none())
    }

    /// What it says, in one line, if it does not start with these flags, or with a warning.
    ///
    /// # Errors
    /// If it cannot be run any more, or is stopped.
    pub fn problem_with(
        &self,
        flags: &[String],
        stop: &Stop,
    ) -> Result<Option<String>, OracleError> {
        let mut words: Vec<&str> = flags.iter().map(String::as_str).collect();
        words.push("-version");
        let ended = self.run(&words, stop)?;
        let said = [&ended.stderr[..], &ended.stdout].concat();
        let said = String::from_utf8_lossy(&said);
        let complaints = String::from_utf8_lossy(&ended.stderr).to_lowercase();
        let is_fine = ended.end.is_success()
            && !complaints.contains("warning")
            && !complaints.contains("error");
        let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty()).take(2);
        let line = || shown_line(&lines().collect::<Vec<_>>().join("; "));
        Ok((!is_fine).then(line))
    }

    /// The JVM without flags, to be run in `dir`.
    pub(super) fn line(&self, dir: &Path) -> CommandLine {
        self.launch.behind_runner(&self.command, dir)
    }

    /// Runs it for a moment.
    pub(super) fn run(&self, words: &[&str], stop: &Stop) -> Result<Ended, OracleError> {
        let line = self.line(&std::env::temp_dir()).args(&self.launch.flags).args(words);
        let ended = line.run(&BRIEFLY, stop).map_err(|source| {
            OracleError::io(format!("cannot run {}", self.command.display()), source)
        })?;
        if ended.end == End::Stopped { Err(OracleError::Stopped) } else { Ok(ended) }
    }
}

/// The line about the virtual machine, which says whose it is, and its number.
fn version_line(text: &str) -> Option<String> {
    let lines = || text.lines().map(str::trim).filter(|line| !line.starts_with("Picked up "));
    let number = lines().find(|line| line.contains("version \""))?.split('"').nth(1)?;
    let machine = lines().find(|line| line.contains(" VM ") || line.contains("VM (build"));
    let machine = machine.and_then(|line| line.split(" (build").next()).unwrap_or("a JVM");
    Some(format!("{machine} {number}"))
}

fn is_hotspot(text: &str) -> bool {
    text.contains("HotSpot") || text.contains("OpenJDK 64-Bit Server VM")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_off_three_lines() {
        let text = "Picked up JAVA_TOOL_OPTIONS: -ea\n\
             openjdk version \"17.0.15\" 2025-04-15\n\
             OpenJDK Runtime Environment (build 17.0.15+6-Debian-1deb12u1)\n\
             OpenJDK 64-Bit Server VM (build 17.0.15+6-Debian-1deb12u1, mixed mode, sharing)\n";
        assert_eq!(version_line(text).unwrap(), "OpenJDK 64-Bit Server VM 17.0.15");
        assert!(is_hotspot(text));
        let other = "openjdk version \"21.0.1\" 2023-10-17\n\
             IBM Semeru Runtime Open Edition 21.0.1.0 (build 21.0.1+12-LTS)\n\
             Eclipse OpenJ9 VM 21.0.1.0 (build openj9-0.42.0, JRE 21 Linux amd64-64-Bit)\n";
        assert_eq!(version_line(other).unwrap(), "Eclipse OpenJ9 VM 21.0.1.0 21.0.1");
        assert!(!is_hotspot(other));
        assert_eq!(version_line("hello"), None);
    }

    #[test]
    fn a_missing_jvm_is_named() {
        let error =
            JavaMachine::new(&TargetSpec::new("mine", "/nowhere/java"), &Stop::new()).unwrap_err();
        let expected = "the target mine cannot be used: there is no /nowhere/java";
        assert_eq!(error.to_string(), expected);
        let error = JavaMachine::new(&TargetSpec::new("true", "true"), &Stop::new()).unwrap_err();
        assert_eq!(error.to_string(), "the target true cannot be used: true is no JVM");
    }
}
