//! Running the real binary, as a user would.

#![allow(dead_code, reason = "each test file uses some of it")]

pub(crate) mod browser;
pub(crate) mod hostile;
pub(crate) mod tools;
pub(crate) mod workshop;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run of the binary came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// The standard output of a run that went well.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "{}", self.stderr);
        self.stdout
    }

    /// Checks a campaign on whatever is installed: that may have bugs, but pathsmith may not.
    #[track_caller]
    pub(crate) fn blames_no_pathsmith_bug(self) {
        assert!([0, 1].contains(&self.code), "{}\n{}\n{}", self.code, self.stdout, self.stderr);
    }

    /// Checks the exit code, and that standard error holds each of `parts`.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, code, "{}", self.stderr);
        for part in parts {
            assert!(self.stderr.contains(part), "no {part:?} in:\n{}", self.stderr);
        }
    }
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Where campaigns of tests are remembered as made here: not among those of the user.
pub(crate) fn state() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("state")
}

/// Runs `pathsmith` in the root of the workspace.
pub(crate) fn pathsmith(args: &[&str]) -> Run {
    pathsmith_with_input(args, b"")
}

/// Runs `pathsmith` with something on its standard input.
pub(crate) fn pathsmith_with_input(args: &[&str], input: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pathsmith"))
        .args(args)
        .env("XDG_STATE_HOME", state())
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    let input = input.to_vec();
    // It may end before it has read everything.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the binary ends");
    writer.join().expect("writing does not panic");
    Run {
        code: output.status.code().expect("no signal ended it"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}
