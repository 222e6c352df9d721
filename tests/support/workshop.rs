//! A folder with a C compiler that is faulty on purpose: a script around the real one.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::{Run, root, state};

/// The function that faulty compilers get wrong.
pub(crate) const GUILTY: &str = "f5";

/// A folder with a compiler in it.
pub(crate) struct Workshop {
    pub(crate) dir: TempDir,
}

impl Workshop {
    /// `fault` is a script. It is run before the real compiler, for every C file with the guilty
    /// function in it, with the name of that file in `$file`.
    pub(crate) fn new(fault: &str) -> Self {
        Self::against(GUILTY, fault)
    }

    /// A compiler that gets all functions wrong whose names match a pattern.
    pub(crate) fn against(pattern: &str, fault: &str) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let script = format!(
            "#!/bin/sh\n\
             if [ \"$1\" = --version ]; then echo faulty 1.0; exit; fi\n\
             here={}\n\
             for file in \"$@\"; do\n\
             case $file in *.c)\n\
             if grep -q '^[a-zA-Z_].* {pattern}(.*)$' \"$file\"; then\n{fault}\nfi;;\n\
             esac\n\
             done\n\
             exec gcc \"$@\"\n",
            dir.path().display()
        );
        let path = dir.path().join("faulty");
        fs::write(&path, script).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script");
        fs::create_dir(dir.path().join("tmp")).expect("a folder");
        Self { dir }
    }

    /// Has the compiler say that it is gcc.
    pub(crate) fn calls_itself_gcc(self) -> Self {
        let path = self.dir.path().join("faulty");
        let script = fs::read_to_string(&path).expect("a script");
        let says = "echo faulty 1.0; echo Free Software Foundation; exit";
        fs::write(&path, script.replace("echo faulty 1.0; exit", says)).expect("a script");
        self
    }

    pub(crate) fn findings(&self) -> PathBuf {
        self.dir.path().join("findings")
    }

    /// Small functions, one level, tight limits.
    pub(crate) fn command(&self, count: &str, more: &[&str]) -> Command {
        self.command_on("1", count, more)
    }

    /// The same on so many threads.
    pub(crate) fn command_on(&self, jobs: &str, count: &str, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pathsmith"));
        let compiler = self.dir.path().join("faulty");
        command
            .args([
                "fuzz",
                "c",
                "--set",
                "campaign.seed=0",
                "--count",
                count,
                "--jobs",
                jobs,
                "--dir",
            ])
            .arg(self.findings())
            .arg("--targets")
            .arg(compiler)
            .args(["--set", "c.functions_per_file=8", "--set", "generate.graph.blocks=3"])
            .args(["--set", r#"c.levels=["-O1"]"#, "--set", "c.random_settings=0"])
            .args(["--set", "c.instruction_sets=[]"])
            .args(["--set", "generate.link.share=0.0", "--set", "campaign.triage=false"])
            .args(["--set", "campaign.versions=false"])
            // Variants have tests of their own.
            .args(["--set", "mutate.share=0.0"])
            .args(OBSERVE_ALL.iter().flat_map(|setting| ["--set", setting]))
            .args(["--set", "limits.compile_time=2", "--set", "limits.files=20000000"])
            .args(more)
            .env("TMPDIR", self.dir.path().join("tmp"))
            .env("XDG_STATE_HOME", state())
            .current_dir(root());
        command
    }

    pub(crate) fn fuzz(&self, count: &str, more: &[&str]) -> Run {
        let output = self.command(count, more).output().expect("the binary runs");
        let left = fs::read_dir(self.dir.path().join("tmp")).expect("a folder").count();
        assert_eq!(left, 0, "something is left behind");
        Run {
            code: output.status.code().expect("no signal ended it"),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }

    pub(crate) fn all_findings(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.findings()).expect("a folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths.filter(|path| path.is_dir()).collect()
    }

    /// The one folder among the findings.
    pub(crate) fn finding(&self) -> PathBuf {
        let folders = self.all_findings();
        assert_eq!(folders.len(), 1, "{folders:?}");
        folders[0].clone()
    }
}

/// Changes the guilty function's body with a `sed` script.
pub(crate) fn edit(script: &str) -> String {
    edit_all(GUILTY, script)
}

pub(crate) fn edit_all(pattern: &str, script: &str) -> String {
    format!("sed -i '/^[a-zA-Z_].* {pattern}(.*)$/,/^}}/{{{script}}}' \"$file\"")
}

/// Has all functions return a checksum of everything, which faults can change.
pub(crate) const OBSERVE_ALL: [&str; 5] = [
    "generate.observe.some=0.0",
    "generate.observe.one=0.0",
    "generate.observe.expression=0.0",
    "generate.observe.memory=0.0",
    "generate.observe.globals=0.0",
];

/// Makes a function return something else.
pub(crate) const WRONG: &str = "s/return ~ps_crc;/return ~ps_crc ^ 1;/";
/// All functions.
pub(crate) const ANY: &str = "f[0-9]*";
