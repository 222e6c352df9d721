//! Targets that misbehave on purpose, and a check that they leave nothing behind.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::workshop::OBSERVE_ALL;
use super::{Run, root};

/// The variable that all processes of a test inherit.
const TAG: &str = "HOSTILE_TEST";

/// A way to misbehave, and what has to come of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode {
    /// What it is called.
    pub(crate) name: &'static str,
    /// What the target does.
    pub(crate) fault: &'static str,
    /// The exit status of the campaign.
    pub(crate) code: i32,
    /// What is reported: the verdict, on standard output; nothing if there is no finding.
    pub(crate) verdict: &'static str,
    /// A part of what `finding.txt` says, or standard error if there is no finding.
    pub(crate) evidence: &'static str,
    /// Settings that it needs besides.
    pub(crate) settings: &'static [&'static str],
}

/// Nothing is found.
pub(crate) const AGREES: (i32, &str) = (0, "");
/// Wrong code that crashes.
pub(crate) const CRASH: (i32, &str) = (1, "wrong code: the compiled program crashed");
/// Wrong code that hangs.
pub(crate) const HANG: (i32, &str) = (1, "wrong code: hang");
/// A wrong result.
pub(crate) const WRONG_RESULT: (i32, &str) = (1, "wrong code: wrong result");
/// The target refuses a program, which is more likely a bug of pathsmith.
pub(crate) const POSSIBLE_PATHSMITH_BUG: (i32, &str) =
    (6, "compile error (probably a bug of pathsmith)");
/// The target is not even tested.
pub(crate) const REFUSED: (i32, &str) = (2, "");
/// What was not run is no finding.
pub(crate) const INFRASTRUCTURE: (i32, &str) = (5, "");
/// A compiler that crashes.
pub(crate) const COMPILER_CRASH: (i32, &str) = (1, "compiler crash");
/// A compiler that exceeds its limits.
pub(crate) const COMPILER_TIMEOUT: (i32, &str) = (1, "compiler timeout");

impl Mode {
    /// A row of a table.
    pub(crate) const fn new(
        name: &'static str,
        fault: &'static str,
        (code, verdict): (i32, &'static str),
        evidence: &'static str,
    ) -> Self {
        Self { name, fault, code, verdict, evidence, settings: &[] }
    }

    /// The same with settings.
    pub(crate) const fn with(self, settings: &'static [&'static str]) -> Self {
        Self { settings, ..self }
    }
}

/// A folder with a target in it, findings, and a private folder for temporary files.
pub(crate) struct Hostile {
    pub(crate) dir: TempDir,
    tag: String,
}

impl Hostile {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for folder in ["bin", "tmp"] {
            fs::create_dir(dir.path().join(folder)).expect("a folder");
        }
        let tag = dir.path().display().to_string();
        Self { dir, tag }
    }

    /// The folder that the target is in.
    pub(crate) fn bin(&self) -> PathBuf {
        self.dir.path().join("bin")
    }

    /// Writes the target: a shell script.
    pub(crate) fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.bin().join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script");
        path
    }

    /// Runs a campaign that must leave nothing behind. `HOSTILE` has the mode.
    #[track_caller]
    pub(crate) fn fuzz(&self, mode: &Mode, args: &[&str]) -> Run {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(env!("CARGO_BIN_EXE_pathsmith"));
        command
            .arg("fuzz")
            .args(args)
            .args(["--jobs", "1", "--dir"])
            .arg(self.dir.path().join("findings"))
            .args(["--set", "generate.graph.blocks=3", "--set", "generate.link.share=0.0"])
            .args(["--set", "campaign.triage=false", "--set", "campaign.reduce=false"])
            .args(["--set", "campaign.seed=0"])
            .args(OBSERVE_ALL.iter().flat_map(|setting| ["--set", setting]))
            .args(mode.settings.iter().flat_map(|setting| ["--set", setting]))
            .env("TMPDIR", self.dir.path().join("tmp"))
            .env("PATH", format!("{}:{path}", self.bin().display()))
            .env("HOSTILE", mode.name)
            .env(TAG, &self.tag)
            .current_dir(root());
        let output = command.output().expect("the binary runs");
        self.assert_nothing_left(mode.name);
        Run {
            code: output.status.code().expect("no signal ended it"),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }

    /// Checks what came of a campaign.
    #[track_caller]
    pub(crate) fn check(&self, mode: &Mode, run: &Run) {
        let Mode { name, code, verdict, evidence, .. } = *mode;
        let all = format!("{}\n{}", run.stdout, run.stderr);
        assert_eq!(run.code, code, "{name}: {all}");
        assert!(!all.contains(['\x1b', '\x07']), "{name}: {all:?}");
        if verdict.is_empty() {
            assert!(run.stderr.contains(evidence), "{name}: no {evidence:?} in:\n{all}");
            assert_eq!(self.texts(), Vec::<String>::new(), "{name}");
            return;
        }
        assert!(run.stdout.contains(&format!("{verdict}: ")), "{name}: {all}");
        let texts = self.texts();
        assert!(!texts.is_empty(), "{name}: {all}");
        for text in texts {
            assert!(text.contains(evidence), "{name}: no {evidence:?} in:\n{text}");
            assert!(!text.contains(['\x1b', '\x07', '\r']), "{name}: {text:?}");
        }
        for script in self.files("repro.sh") {
            assert!(!script.contains(['\x1b', '\x07', '\r']), "{name}: {script:?}");
        }
    }

    /// The descriptions of all findings.
    fn texts(&self) -> Vec<String> {
        self.files("finding.txt")
    }

    /// The files of a name in the folders of all findings.
    fn files(&self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(self.dir.path().join("findings")).into_iter().flatten();
        let files = entries.flatten().map(|entry| entry.path().join(name));
        files.filter_map(|file| fs::read_to_string(file).ok()).collect()
    }

    /// No process, and nothing in the folder for temporary files.
    #[track_caller]
    fn assert_nothing_left(&self, name: &str) {
        // What was killed may take a moment to be gone.
        let deadline = Instant::now() + Duration::from_secs(5);
        while let Some(process) = self.processes().first() {
            assert!(Instant::now() < deadline, "{name}: still there: {process}");
            std::thread::sleep(Duration::from_millis(20));
        }
        let left = fs::read_dir(self.dir.path().join("tmp")).expect("a folder");
        let left: Vec<PathBuf> = left.flatten().map(|entry| entry.path()).collect();
        assert!(left.is_empty(), "{name}: left behind: {left:?}");
    }

    /// The command lines of the processes that have inherited the tag.
    fn processes(&self) -> Vec<String> {
        let tag = format!("{TAG}={}\0", self.tag);
        let has_tag = |process: &Path| {
            let environ = fs::read(process.join("environ")).unwrap_or_default();
            environ.windows(tag.len()).any(|part| part == tag.as_bytes())
        };
        let entries = fs::read_dir("/proc").expect("/proc").flatten();
        let tagged = entries.map(|entry| entry.path()).filter(|path| has_tag(path));
        let said = |path: PathBuf| {
            let words = fs::read(path.join("cmdline")).unwrap_or_default();
            format!("{}: {}", path.display(), String::from_utf8_lossy(&words).replace('\0', " "))
        };
        tagged.map(said).collect()
    }
}

/// Checks all modes of a table. Says which one fails.
pub(crate) fn check_all(modes: &[Mode], check: impl Fn(&Mode)) {
    for mode in modes {
        check(mode);
    }
}
