//! How targets are started: what people say of one, and the file that it is.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::process::CommandLine;

/// A target as people name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetSpec {
    /// What it is called.
    pub name: String,
    /// The command that runs it.
    pub command: PathBuf,
    /// How it is started.
    pub launch: Launch,
}

impl TargetSpec {
    /// A command that is started as it is.
    pub fn new(name: impl Into<String>, command: impl Into<PathBuf>) -> Self {
        Self { name: name.into(), command: command.into(), launch: Launch::default() }
    }
}

/// What a target is started with, whatever its setting.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Launch {
    /// Flags that it gets before those of its setting.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
    /// What stands in front of the program that is run: an emulator or another wrapper, and its
    /// arguments. For a C compiler that is the program that it made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runner: Vec<String>,
    /// Environment variables of all its processes.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
}

impl Launch {
    /// A command in its environment.
    pub(crate) fn direct(&self, program: &Path, dir: &Path) -> CommandLine {
        CommandLine::new(program, dir).envs(&self.env)
    }

    /// A command behind the runner, in its environment.
    pub(crate) fn behind_runner(&self, program: &Path, dir: &Path) -> CommandLine {
        match self.runner.split_first() {
            None => self.direct(program, dir),
            Some((runner, words)) => self.direct(Path::new(runner), dir).args(words).arg(program),
        }
    }
}

/// What a command is called: its last component, and as many before that as it takes to tell it from
/// the others of `all`. The folder `bin` says nothing.
pub fn distinct_name(command: &Path, all: &[&Path], is_taken: impl Fn(&str) -> bool) -> String {
    let components = |path: &Path| -> Vec<String> {
        let names = path.components().filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            _ => None,
        });
        names.filter(|name| name != "bin").collect()
    };
    let own = components(command);
    let others: Vec<Vec<String>> =
        all.iter().filter(|other| **other != command).map(|other| components(other)).collect();
    for n in 1..=own.len() {
        let name = own[own.len() - n..].join("-");
        let is_ambiguous = others.iter().any(|other| other.ends_with(&own[own.len() - n..]));
        if !is_ambiguous && !is_taken(&name) {
            return name;
        }
    }
    command.display().to_string()
}

/// The command as it can be run in any folder: a path becomes absolute, a name stays.
pub(crate) fn anywhere(command: &Path) -> PathBuf {
    match is_name(command) {
        true => command.to_owned(),
        false => std::path::absolute(command).unwrap_or_else(|_| command.to_owned()),
    }
}

/// The file that a command stands for, with all links followed. If there is none, the command.
pub(crate) fn resolved(command: &Path) -> PathBuf {
    let found = match is_name(command) {
        true => {
            let path = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&path).map(|dir| dir.join(command)).find(|file| file.is_file())
        }
        false => Some(command.to_owned()),
    };
    found.and_then(|file| file.canonicalize().ok()).unwrap_or_else(|| command.to_owned())
}

/// Whether a command is looked up on PATH.
fn is_name(command: &Path) -> bool {
    command.components().count() == 1 && !command.is_absolute()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runner_stands_in_front() {
        let launch = Launch {
            runner: ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"].map(str::to_owned).to_vec(),
            ..Launch::default()
        };
        let words = launch.behind_runner(Path::new("./test"), Path::new(".")).words();
        assert_eq!(words, ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "./test"]);
        assert_eq!(launch.direct(Path::new("gcc"), Path::new(".")).words(), ["gcc"]);
    }

    #[test]
    fn names_are_looked_up_and_links_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        std::fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(resolved(&link), file.canonicalize().unwrap());
        assert!(resolved(Path::new("sh")).is_absolute());
        assert_eq!(resolved(Path::new("no-such-command")), Path::new("no-such-command"));
        // A link is run as a link: what it is called may decide what it does.
        assert_eq!(anywhere(&link), link);
        assert_eq!(anywhere(Path::new("gcc")), Path::new("gcc"));
        assert!(anywhere(Path::new("./gcc")).is_absolute());
    }
}
