//! A finding, and the folder that shows it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

use pathsmith_oracles::{
    Evidence, Setting, Signature, Verdict, setting, shell_command, shown_line, shown_lines,
};
use pathsmith_symlang::lang::Program;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::bug_file::Bug;
use crate::case_name::case_name;
use crate::file_names::{check_name, check_no_link};
use crate::folder_file::File;
use crate::mutation::origin::Origin;

/// Something that a target does and should not, bisected and confirmed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The batch that showed it.
    #[serde(default)]
    pub batch: u64,
    /// The number of the case in its seed.
    pub number: u64,
    /// Which variant of the case shows it: 0 is the case as it was generated, and what a mutation
    /// stage makes of it has the numbers from 1 on.
    #[serde(default)]
    pub variant: u32,
    /// The seed.
    pub seed: u64,
    /// What is wrong.
    pub verdict: Verdict,
    /// The target.
    pub target: TargetInfo,
    /// The call that shows it: `f7(1, 2)`. Nothing if it is about compiling.
    pub call: Option<String>,
    /// The expected output of the call.
    pub expected: Option<String>,
    /// The actual output, if it returned.
    pub actual: Option<String>,
    /// The commands that show it, and what they did.
    pub evidence: Vec<Evidence>,
    /// The program, with nothing in it but what shows it.
    pub program: Program,
    /// Its lowering options.
    pub options: serde_json::Value,
    /// The target, whole, to run it again.
    #[serde(default)]
    pub run_on: serde_json::Value,
    /// What it is deduplicated by, once that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
    /// What was drawn for its function: a theme, templates, policies. Nothing for whole programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arms: Vec<String>,
    /// Where its program comes from, if it is a variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// A file that shows it without anything of pathsmith's, once one was looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bug: Option<Bug>,
    /// The files for the target, and a script that runs it.
    #[serde(skip)]
    pub files: Vec<File>,
}

/// A target, as findings name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetInfo {
    /// The name of the compiler, engine or virtual machine.
    pub name: String,
    /// The command that runs it.
    pub command: String,
    /// Its version.
    pub version: String,
    /// The file that the command stands for.
    #[serde(default)]
    pub path: String,
    /// Its setting.
    #[serde(with = "setting::text")]
    pub setting: Setting,
    /// The flags.
    pub flags: Vec<String>,
    /// What stands in front of the program that is run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runner: Vec<String>,
    /// Environment variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
}

impl TargetInfo {
    /// The target and its setting.
    pub fn full_name(&self) -> String {
        format!("{} {}", self.name, self.setting)
    }

    /// The target and its setting, where all random flags count as one setting.
    pub(crate) fn group(&self) -> String {
        match self.setting.is_random() {
            true => format!("{} with random flags", self.name),
            false => self.full_name(),
        }
    }
}

/// Why a finding, or what shows it, cannot be written as JSON. Nothing is recorded then, so the
/// batch that showed it is not done either, and runs again.
#[derive(Debug, Error)]
#[error("cannot write the {what} as JSON: {source}")]
pub struct SerializeError {
    /// What cannot be written.
    pub what: &'static str,
    /// Why.
    #[source]
    pub source: serde_json::Error,
}

impl SerializeError {
    /// For use with `map_err`.
    pub(crate) const fn of(what: &'static str) -> impl Fn(serde_json::Error) -> Self {
        move |source| Self { what, source }
    }
}

/// Why a finding could not be written.
#[derive(Debug, Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct WriteError {
    /// The file or folder.
    pub path: PathBuf,
    /// Why it could not be written.
    #[source]
    pub source: io::Error,
}

impl Finding {
    /// One line about it.
    pub fn summary(&self) -> String {
        let target = self.target.full_name();
        let summary = match (&self.call, &self.expected, &self.actual) {
            (Some(call), Some(expected), Some(actual)) => {
                format!("{}: {target}: {call}: expected {expected}, got {actual}", self.verdict)
            }
            (Some(call), Some(expected), None) => {
                format!("{}: {target}: {call}: expected {expected}", self.verdict)
            }
            _ => format!("{}: {target}: case {}", self.verdict, self.case()),
        };
        shown_line(&summary)
    }

    /// How many statements its program has: how large it is.
    pub fn size(&self) -> usize {
        n_statements(&self.program)
    }

    /// Writes everything about it to the folder `folder`. It is there whole or not at all.
    ///
    /// # Errors
    /// If something cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), WriteError> {
        let dir = folder.parent().unwrap_or(Path::new("."));
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| WriteError { path, source }
        };
        for file in &self.files {
            let invalid = |why| io::Error::new(io::ErrorKind::InvalidInput, why);
            check_name(&file.name).map_err(invalid).map_err(failed(folder))?;
        }
        check_no_link(dir).map_err(failed(dir))?;
        std::fs::create_dir_all(dir).map_err(failed(dir))?;
        let temporary =
            tempfile::Builder::new().prefix(".new-").tempdir_in(dir).map_err(failed(dir))?;
        let json = serde_json::to_string_pretty(self).map_err(io::Error::other);
        let options = serde_json::to_string_pretty(&self.options).map_err(io::Error::other);
        let about = [
            File::text("program.sym", self.program.to_string()),
            File::text("finding.json", json.map_err(failed(dir))? + "\n"),
            File::text("options.json", options.map_err(failed(dir))? + "\n"),
            File::text("finding.txt", self.text()),
        ];
        for file in self.files.iter().chain(&about) {
            let path = temporary.path().join(&file.name);
            std::fs::write(&path, &file.bytes).map_err(failed(&path))?;
            if file.is_script {
                make_open(&path).map_err(failed(&path))?;
            }
        }
        // Temporary folders are for their owner only; findings are for all who may read them.
        make_open(temporary.path()).map_err(failed(dir))?;
        // What is there was written before, of an earlier state of it.
        let _ = std::fs::remove_dir_all(folder);
        std::fs::rename(temporary.path(), folder).map_err(failed(folder))?;
        // It is no temporary folder any more.
        let _ = temporary.keep();
        Ok(())
    }

    /// The case, and which variant of it, if it is not the case as it was generated.
    pub fn case(&self) -> String {
        case_name(self.number, self.variant)
    }

    /// A name for its folder. Others may have the same.
    pub(crate) fn name(&self) -> String {
        let verdict = self.verdict.name();
        let setting = match &self.target.setting {
            Setting::Random(flags) => {
                format!("{}-and-more", flags.first().map_or("", String::as_str))
            }
            Setting::Named(_) | Setting::Sanitizers => self.target.setting.to_string(),
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let setting = setting.trim_start_matches('-');
        let variant = match self.variant {
            0 => String::new(),
            variant => format!("v{variant}"),
        };
        format!("f{}{variant}-{}-{setting}-{verdict}", self.number, self.target.name)
            .chars()
            .map(|c| if is_plain(c) { c } else { '_' })
            .collect()
    }

    /// Everything, for people.
    fn text(&self) -> String {
        let mut out = format!("{}\n\n", self.summary());
        let target = &self.target;
        let (version, flags) = (shown_line(&target.version), shown_line(&target.flags.join(" ")));
        let _ = writeln!(out, "target:   {version}\nflags:    {flags}");
        if let Some(call) = &self.call {
            let _ = writeln!(out, "call:     {}", shown_line(call));
            let expected = self.expected.as_deref().unwrap_or("nothing");
            let _ = writeln!(out, "expected: {}", shown_line(expected));
            let actual = self.actual.as_deref().unwrap_or(match self.verdict {
                // An exit status reports that a result is wrong, but not what it is.
                Verdict::WrongResult => "another result",
                Verdict::Agrees
                | Verdict::Skipped
                | Verdict::Crash
                | Verdict::Hang
                | Verdict::CompilerCrash
                | Verdict::CompilerTimeout
                | Verdict::CompileError
                | Verdict::SanitizerError
                | Verdict::InfrastructureFailure => "nothing",
            });
            let _ = writeln!(out, "actual:   {}", shown_line(actual));
        }
        let _ = writeln!(out, "seed:     {}, case {}", self.seed, self.case());
        if let Some(origin) = &self.origin {
            let _ = writeln!(out, "variant:  of {}", shown_line(&origin.parent.to_string()));
            let _ = writeln!(out, "made by:  {}", origin.lineage);
            if let Some(needed) = origin.needed_text() {
                let _ = writeln!(out, "needed:   {needed}");
            }
        }
        if let Some(bug) = &self.bug {
            let _ = writeln!(out, "bug file: {}", shown_line(&bug.to_string()));
        }
        for evidence in &self.evidence {
            let command = shown_line(&shell_command(&evidence.command));
            let _ = write!(out, "\n$ {command}\n");
            let _ = match (evidence.status, evidence.signal) {
                (Some(status), _) => writeln!(out, "exit status {status}"),
                (None, Some(signal)) => writeln!(out, "signal {signal}"),
                (None, None) => Ok(()),
            };
            if !evidence.message.is_empty() {
                let _ = writeln!(out, "{}", shown_lines(&evidence.message));
            }
        }
        out
    }
}

/// How many statements a program has: assignments, and the end of every block.
pub fn n_statements(program: &Program) -> usize {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    blocks.map(|block| block.stmts.len() + 1).sum()
}

fn make_open(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(files: Vec<File>) -> Finding {
        let json = serde_json::json!({
            "number": 1, "seed": 2, "verdict": "compiler-crash",
            "target": {
                "name": "cc\x1b[2J", "command": "cc", "version": "cc 1\nrm -rf x",
                "setting": "-O2", "flags": [],
            },
            "call": null, "expected": null, "actual": null,
            "evidence": [{
                "command": ["cc", "a\nb"], "status": 1, "signal": null, "message": "\x1b]0;x\x07",
            }],
            "program": "fn f() -> i32 { e: return 1; }", "options": null,
        });
        Finding { files, ..serde_json::from_value(json).unwrap() }
    }

    /// A file of a finding stays in its folder.
    #[test]
    fn files_stay_in_their_folder() {
        let dir = tempfile::tempdir().unwrap();
        let outside = dir.path().join("outside");
        for name in ["../outside", "", ".", outside.to_str().unwrap(), "a/b"] {
            let file = File::text(name, "text".to_owned());
            let error = finding(vec![file]).write(&dir.path().join("f")).unwrap_err().to_string();
            assert!(error.contains("the name"), "{error}");
            assert!(!outside.exists() && !dir.path().join("f").exists());
        }
        finding(vec![File::text("a.c", "text".to_owned())]).write(&dir.path().join("f")).unwrap();
        // A folder that leads elsewhere is not written to.
        let elsewhere = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), dir.path().join("link")).unwrap();
        let error = finding(Vec::new()).write(&dir.path().join("link/reduced")).unwrap_err();
        assert!(error.to_string().contains("symbolic link"), "{error}");
        assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }

    #[test]
    fn terminals_are_told_nothing() {
        let finding = finding(Vec::new());
        for text in [finding.summary(), finding.text()] {
            assert!(!text.contains(['\x1b', '\x07']), "{text:?}");
        }
        assert!(finding.text().contains(r"cc 1\nrm -rf x"), "{}", finding.text());
    }
}
