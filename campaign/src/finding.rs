//! A finding, and the folder that shows it.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

use pathsmith_backend_c::{CFile, COptions, CSource};
use pathsmith_core::lang::Program;
use pathsmith_oracles::{Evidence, Verdict};
use serde::Serialize;
use thiserror::Error;

/// Something that a target does and should not, narrowed down and confirmed.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The number of the case in its seed.
    pub number: u64,
    /// The seed.
    pub seed: u64,
    /// What is wrong.
    pub verdict: Verdict,
    /// The target.
    pub target: TargetInfo,
    /// The call that shows it: `f7(1, 2)`. Nothing where it is about compiling.
    pub call: Option<String>,
    /// What the call should give.
    pub expected: Option<String>,
    /// What it gave, where it gave anything.
    pub actual: Option<String>,
    /// The commands that show it, and what they did.
    pub evidence: Vec<Evidence>,
    /// The program, with nothing in it but what shows it.
    pub program: Program,
    /// How it is spelled.
    pub options: COptions,
    #[serde(skip)]
    pub(crate) source: CSource,
}

/// A target, as findings name it.
#[derive(Clone, Debug, Serialize)]
pub struct TargetInfo {
    /// The compiler's name.
    pub name: String,
    /// The command that runs it.
    pub command: PathBuf,
    /// Its version.
    pub version: String,
    /// The name of the flags.
    pub setting: String,
    /// The flags.
    pub flags: Vec<String>,
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
        let target = format!("{} {}", self.target.name, self.target.setting);
        match (&self.call, &self.expected, &self.actual) {
            (Some(call), Some(expected), Some(actual)) => {
                format!("{}: {target}: {call} = {actual}, not {expected}", self.verdict)
            }
            (Some(call), Some(expected), None) => {
                format!("{}: {target}: {call}, which is {expected}", self.verdict)
            }
            _ => format!("{}: {target}: case {}", self.verdict, self.number),
        }
    }

    /// The files that a compiler needs.
    pub fn files(&self) -> impl Iterator<Item = &CFile> {
        self.source.all_files()
    }

    /// Writes a folder with everything about it below `dir`, and gives its name. The folder is
    /// there whole or not at all.
    ///
    /// # Errors
    /// Where something cannot be written.
    pub fn write(&self, dir: &Path) -> Result<PathBuf, WriteError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| WriteError { path, source }
        };
        std::fs::create_dir_all(dir).map_err(failed(dir))?;
        let temporary =
            tempfile::Builder::new().prefix(".new-").tempdir_in(dir).map_err(failed(dir))?;
        let write = |name: &str, text: &str| {
            let path = temporary.path().join(name);
            std::fs::write(&path, text).map_err(failed(&path))
        };
        for file in self.files() {
            write(&file.name, &file.text)?;
        }
        write("program.sym", &self.program.to_string())?;
        let json = serde_json::to_string_pretty(self).map_err(io::Error::other);
        write("finding.json", &(json.map_err(failed(dir))? + "\n"))?;
        let options = serde_json::to_string_pretty(&self.options).map_err(io::Error::other);
        write("options.json", &(options.map_err(failed(dir))? + "\n"))?;
        write("finding.txt", &self.text())?;
        write("repro.sh", &self.script())?;
        make_open(temporary.path(), &temporary.path().join("repro.sh")).map_err(failed(dir))?;
        let folder = self.free_name(dir);
        std::fs::rename(temporary.path(), &folder).map_err(failed(&folder))?;
        // It is no temporary folder any more.
        let _ = temporary.keep();
        Ok(folder)
    }

    /// A name that no other folder has.
    fn free_name(&self, dir: &Path) -> PathBuf {
        let verdict = self.verdict.to_string().replace(' ', "-");
        let setting = match self.target.setting.split_once(' ') {
            Some((first, _)) => format!("{first}-and-more"),
            None => self.target.setting.clone(),
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let name: String = format!("f{}-{}{setting}-{verdict}", self.number, self.target.name)
            .chars()
            .map(|c| if is_plain(c) { c } else { '_' })
            .collect();
        let names = (2..).map(|n| format!("{name}-{n}"));
        let mut paths = std::iter::once(name.clone()).chain(names).map(|name| dir.join(name));
        // The names do not end.
        paths.find(|path| !path.exists()).unwrap_or_else(|| dir.join(&name))
    }

    /// Everything, for people.
    fn text(&self) -> String {
        let mut out = format!("{}\n\n", self.summary());
        let target = &self.target;
        let _ = writeln!(out, "compiler: {}\nflags:    {}", target.version, target.flags.join(" "));
        let none = || "nothing".to_owned();
        if let Some(call) = &self.call {
            let _ = writeln!(out, "call:     {call}");
            let _ = writeln!(out, "expected: {}", self.expected.clone().unwrap_or_else(none));
            let _ = writeln!(out, "actual:   {}", self.actual.clone().unwrap_or_else(none));
        }
        let _ = writeln!(out, "seed:     {}, function {}", self.seed, self.number);
        for evidence in &self.evidence {
            let _ = write!(out, "\n$ {}\n", evidence.command.join(" "));
            let _ = match (evidence.status, evidence.signal) {
                (Some(status), _) => writeln!(out, "exit status {status}"),
                (None, Some(signal)) => writeln!(out, "signal {signal}"),
                (None, None) => Ok(()),
            };
            if !evidence.message.is_empty() {
                let _ = writeln!(out, "{}", evidence.message);
            }
        }
        out
    }

    /// What shows it with the compiler alone.
    fn script(&self) -> String {
        let target = &self.target;
        let quoted = |words: &[String]| {
            words.iter().map(|word| shell_quoted(word)).collect::<Vec<_>>().join(" ")
        };
        let files: Vec<String> = self.files().map(|file| file.name.clone()).collect();
        format!(
            "#!/bin/sh\n\
             # {}\n\
             # Seen with {}; CC=... tries another compiler, CFLAGS=... other flags.\n\
             # Ends with 0 if the compiler does what it should.\n\
             cd \"$(dirname \"$0\")\" || exit 2\n\
             out=$(mktemp -d) || exit 2\n\
             trap 'rm -rf \"$out\"' EXIT\n\
             \"${{CC:-{}}}\" {} ${{CFLAGS-{}}} {} -o \"$out/test\" || exit 1\n\
             timeout 60 \"$out/test\"\n",
            self.summary(),
            target.version,
            target.command.display(),
            quoted(&self.fixed_flags()),
            quoted(&target.flags),
            quoted(&files),
        )
    }

    fn fixed_flags(&self) -> Vec<String> {
        vec!["-w".to_owned()]
    }
}

/// A word as a shell reads it.
fn shell_quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,+:".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Temporary folders are for their owner only; findings are for whoever may read them.
fn make_open(folder: &Path, script: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder, open.clone())?;
    std::fs::set_permissions(script, open)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_stumble() {
        assert_eq!(shell_quoted("-fno-tree-vrp"), "-fno-tree-vrp");
        assert_eq!(shell_quoted("a b"), "'a b'");
        assert_eq!(shell_quoted("it's"), r"'it'\''s'");
        assert_eq!(shell_quoted(""), "''");
    }
}
