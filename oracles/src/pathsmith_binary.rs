//! Another build of pathsmith, run as a process to see what it generates.
//!
//! The binary is not believed: it runs within limits, in a folder of its own, and what it writes is
//! text of others. Only options are used that all versions have.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use thiserror::Error;

use crate::launch::anywhere;
use crate::oracle::OracleError;
use crate::process::{CommandLine, End, Ended, ProcessLimits, Stop};
use crate::scratch::ScratchFolder;

/// What a run may write to standard output and error, each. A guess: a hundred times what the
/// largest programs take.
const MAX_OUTPUT: u64 = 64 << 20;
/// What a run may write to files.
const MAX_FILES: u64 = 256 << 20;
/// The address space of a run. A guess: most of it is reserved and never used.
const MAX_MEMORY: u64 = 8 << 30;
/// How much of a message is repeated, in characters.
const MAX_MESSAGE: usize = 1000;

/// The exit codes of pathsmith that say something about what was asked.
const NEGATIVE_RESULT: i32 = 1;
const WRONG_COMMAND_LINE: i32 = 2;
const MALFORMED_INPUT: i32 = 3;

/// A build of pathsmith.
#[derive(Debug)]
pub struct PathsmithBinary {
    command: PathBuf,
    version: String,
    time: Duration,
    stop: Stop,
    folder: ScratchFolder,
    n_runs: AtomicU64,
}

/// What a build made, or why it made nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Product<T> {
    /// What it made.
    Made(T),
    /// Its message.
    Nothing(String),
}

/// The files that a program was lowered to, by name.
pub type LoweredFiles = Vec<(String, String)>;

/// Why a build cannot be used.
#[derive(Debug, Error)]
pub enum BinaryError {
    /// It is not pathsmith.
    #[error("{binary} is not pathsmith: {why}")]
    NotPathsmith {
        /// The command.
        binary: String,
        /// How that shows.
        why: String,
    },
    /// It does not know an option or a setting, or takes no such value.
    #[error("{binary} rejects the command line `{words}`: {message}")]
    Rejected {
        /// The command.
        binary: String,
        /// What it was asked.
        words: String,
        /// What it says.
        message: String,
    },
    /// It crashed, exceeded a limit, or failed in some other way.
    #[error("{binary} failed on `{words}`: {why}")]
    Failed {
        /// The command.
        binary: String,
        /// What it was asked.
        words: String,
        /// What happened.
        why: String,
    },
    /// A file or process of our own failed.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

impl PathsmithBinary {
    /// The build that `command` starts. No run of it takes longer than `time`.
    ///
    /// # Errors
    /// If it cannot be run, or is not pathsmith.
    pub fn open(command: &Path, time: Duration, stop: Stop) -> Result<Self, BinaryError> {
        let command = anywhere(command);
        let mut binary = Self {
            command,
            version: String::new(),
            time,
            stop,
            folder: ScratchFolder::new()?,
            n_runs: AtomicU64::new(0),
        };
        binary.version = binary.ask_version()?;
        Ok(binary)
    }

    /// What it says its version is.
    pub fn version(&self) -> &str {
        &self.version
    }

    fn ask_version(&self) -> Result<String, BinaryError> {
        let not_pathsmith = |why: String| BinaryError::NotPathsmith { binary: self.name(), why };
        let folder = RunFolder::new(self)?;
        let words = ["--version".to_owned()];
        let ended = self.start(&words, &folder.path).map_err(|error| match error {
            StartError::NotStarted(error) => not_pathsmith(format!("it cannot be run: {error}")),
            StartError::Stopped => OracleError::Stopped.into(),
        })?;
        if !ended.end.is_success() {
            return Err(not_pathsmith(format!("--version: {}", self.failure(&ended))));
        }
        let text = String::from_utf8_lossy(&ended.stdout).trim().to_owned();
        let is_version = text.strip_prefix("pathsmith ").is_some_and(|version| {
            version.starts_with(|c: char| c.is_ascii_digit()) && !version.contains('\n')
        });
        match is_version && text.chars().count() < MAX_MESSAGE {
            true => Ok(text),
            false => {
                let first = text.lines().next().unwrap_or_default();
                Err(not_pathsmith(format!("--version prints `{}`", cut(first))))
            }
        }
    }

    /// Generates with `pathsmith gen` and these options. `files` are there for the options to name.
    ///
    /// # Errors
    /// If it fails in another way than not solving the function.
    pub fn generate(
        &self,
        options: &[String],
        files: &[(String, String)],
    ) -> Result<Product<String>, BinaryError> {
        let folder = RunFolder::new(self)?;
        for (name, text) in files {
            folder.write(name, text)?;
        }
        let words: Vec<String> = [&["gen".to_owned()], options].concat();
        let ended = self.run(&words, &folder)?;
        match ended.end.code() {
            Some(0) => match String::from_utf8(ended.stdout) {
                Ok(text) => Ok(Product::Made(text)),
                Err(_) => Err(self.failed(&words, "its output is not UTF-8 text".to_owned())),
            },
            Some(NEGATIVE_RESULT) => Ok(Product::Nothing(message(&ended))),
            Some(WRONG_COMMAND_LINE | MALFORMED_INPUT) => Err(self.rejected(&words, &ended)),
            _ => Err(self.failed(&words, self.failure(&ended))),
        }
    }

    /// Lowers a program to a format of `pathsmith lower`, with the default options or with those
    /// drawn from a seed.
    ///
    /// # Errors
    /// If it fails in another way than refusing the program.
    pub fn lower(
        &self,
        program: &str,
        format: &str,
        seed: Option<u64>,
    ) -> Result<Product<LoweredFiles>, BinaryError> {
        let folder = RunFolder::new(self)?;
        folder.write("program.sym", program)?;
        let mut words = vec!["lower", "program.sym", "--to", format, "--dir", "out"];
        let seed = seed.map(|seed| seed.to_string());
        words.extend(seed.iter().flat_map(|seed| ["--choose", seed]));
        let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        let ended = self.run(&words, &folder)?;
        match ended.end.code() {
            Some(0) => match files_in(&folder.path.join("out")) {
                Ok(files) => Ok(Product::Made(files)),
                Err(error) => Err(self.failed(&words, format!("its files: {error}"))),
            },
            Some(MALFORMED_INPUT) => Ok(Product::Nothing(message(&ended))),
            Some(WRONG_COMMAND_LINE) => Err(self.rejected(&words, &ended)),
            _ => Err(self.failed(&words, self.failure(&ended))),
        }
    }

    fn run(&self, words: &[String], folder: &RunFolder) -> Result<Ended, BinaryError> {
        self.start(words, &folder.path).map_err(|error| match error {
            StartError::NotStarted(error) => self.failed(words, error.to_string()),
            StartError::Stopped => OracleError::Stopped.into(),
        })
    }

    fn start(&self, words: &[String], folder: &Path) -> Result<Ended, StartError> {
        let limits = ProcessLimits {
            time: self.time,
            memory: Some(MAX_MEMORY),
            resident: Some(MAX_MEMORY),
            output: MAX_OUTPUT,
            files: Some(MAX_FILES),
        };
        let line = CommandLine::new(&self.command, folder).args(words);
        let ended = line.run(&limits, &self.stop).map_err(StartError::NotStarted)?;
        match ended.end {
            End::Stopped => Err(StartError::Stopped),
            End::Status(_) | End::Limit(_) => Ok(ended),
        }
    }

    fn name(&self) -> String {
        self.command.display().to_string()
    }

    fn rejected(&self, words: &[String], ended: &Ended) -> BinaryError {
        let (binary, words) = (self.name(), words.join(" "));
        BinaryError::Rejected { binary, words, message: message(ended) }
    }

    fn failed(&self, words: &[String], why: String) -> BinaryError {
        BinaryError::Failed { binary: self.name(), words: words.join(" "), why }
    }

    /// How a run failed, in words.
    fn failure(&self, ended: &Ended) -> String {
        let how = match ended.end {
            End::Limit(reached) => format!("{reached} ({} s)", self.time.as_secs()),
            End::Stopped => "stopped".to_owned(),
            End::Status(_) => match (ended.end.signal(), ended.end.code()) {
                (Some(signal), _) => format!("it crashed with signal {signal}"),
                (None, Some(code)) => format!("exit status {code}"),
                (None, None) => "it ended in an unknown way".to_owned(),
            },
        };
        match &message(ended)[..] {
            "" => how,
            message => format!("{how}: {message}"),
        }
    }
}

enum StartError {
    NotStarted(io::Error),
    Stopped,
}

/// The folder of one run, which is removed with it.
struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    fn new(binary: &PathsmithBinary) -> Result<Self, OracleError> {
        let number = binary.n_runs.fetch_add(1, Ordering::Relaxed);
        let path = binary.folder.path().join(number.to_string());
        fs::create_dir(&path)
            .map_err(|source| OracleError::io("cannot create a temporary folder", source))?;
        Ok(Self { path })
    }

    fn write(&self, name: &str, text: &str) -> Result<(), OracleError> {
        fs::write(self.path.join(name), text)
            .map_err(|source| OracleError::io("cannot write a temporary file", source))
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        // Whatever cannot be removed now goes with the scratch folder.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The files in a folder by name; links are not followed.
fn files_in(folder: &Path) -> io::Result<LoweredFiles> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_type()?.is_file() {
            continue;
        }
        let mut text = Vec::new();
        fs::File::open(entry.path())?.take(MAX_FILES).read_to_end(&mut text)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        files.push((name, String::from_utf8_lossy(&text).into_owned()));
    }
    files.sort();
    Ok(files)
}

/// What a run wrote to standard error.
fn message(ended: &Ended) -> String {
    cut(String::from_utf8_lossy(&ended.stderr).trim())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A script as a build, and the folder that it is in.
    fn open(script: &str) -> Result<(PathsmithBinary, tempfile::TempDir), String> {
        open_within(2, script)
    }

    fn open_within(
        seconds: u64,
        script: &str,
    ) -> Result<(PathsmithBinary, tempfile::TempDir), String> {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("binary");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let opened = PathsmithBinary::open(&path, Duration::from_secs(seconds), Stop::new());
        opened.map(|binary| (binary, folder)).map_err(|error| error.to_string())
    }

    #[test]
    fn only_pathsmith_is_taken() {
        assert_eq!(open("echo pathsmith 0.1.0").unwrap().0.version(), "pathsmith 0.1.0");
        let refused = |script: &str| open(script).unwrap_err();
        assert!(refused("echo gcc 12.2").contains("is not pathsmith: --version prints `gcc 12.2`"));
        assert!(refused("echo pathsmith").contains("is not pathsmith"));
        assert!(refused("echo no >&2; exit 7").contains("exit status 7: no"));
        assert!(refused("sleep 1000").contains("time limit reached (2 s)"));
        assert!(refused("kill -SEGV $$").contains("signal 11"));
        let missing = PathsmithBinary::open(
            Path::new("no-such-pathsmith"),
            Duration::from_secs(2),
            Stop::new(),
        );
        assert!(missing.unwrap_err().to_string().contains("it cannot be run"));
    }

    #[test]
    fn what_a_build_does_is_told_apart() {
        let script = "case \"$1 $2\" in
            --version*) echo pathsmith 0.1.0;;
            *made*) echo dialect c\\;; cat \"given\";;
            *unsolved*) echo 'function 0 is unsolved' >&2; exit 1;;
            *rejected*) echo 'unexpected argument' >&2; exit 2;;
            *hang*) sleep 1000;;
            *binary*) printf '\\377';;
            *) kill -ABRT $$;;
        esac";
        let (binary, _folder) = open(script).unwrap();
        let files = [("given".to_owned(), "text\n".to_owned())];
        let run = |word: &str| binary.generate(&[word.to_owned()], &files);
        assert_eq!(run("made").unwrap(), Product::Made("dialect c;\ntext\n".to_owned()));
        let unsolved = Product::Nothing("function 0 is unsolved".to_owned());
        assert_eq!(run("unsolved").unwrap(), unsolved);
        assert!(matches!(run("rejected").unwrap_err(), BinaryError::Rejected { .. }));
        for (word, why) in
            [("hang", "time limit reached"), ("binary", "not UTF-8"), ("crash", "signal 6")]
        {
            let error = run(word).unwrap_err();
            assert!(matches!(error, BinaryError::Failed { .. }), "{error}");
            assert!(error.to_string().contains(why), "{error}");
        }
        let left = fs::read_dir(binary.folder.path()).unwrap().count();
        assert_eq!(left, 0, "folders of runs are left behind");
    }

    /// On a busy machine, that takes a while.
    #[test]
    fn floods_are_dammed() {
        let script = "test \"$1\" = --version && { echo pathsmith 0.1.0; exit; }; yes";
        let (binary, _folder) = open_within(60, script).unwrap();
        let error = binary.generate(&[], &[]).unwrap_err().to_string();
        assert!(error.contains("output limit reached"), "{error}");
    }

    #[test]
    fn lowered_files_are_read_and_links_are_not() {
        let script = "test \"$1\" = --version && { echo pathsmith 0.1.0; exit; }
            test \"$1 $2 $3 $4 $5 $6 $7 $8\" = \\
                'lower program.sym --to c --dir out --choose 7' || exit 2
            mkdir out && cp program.sym out/b.c && ln -s /etc/passwd out/a.c && mkdir out/d";
        let (binary, _folder) = open(script).unwrap();
        let files = vec![("b.c".to_owned(), "x".to_owned())];
        assert_eq!(binary.lower("x", "c", Some(7)).unwrap(), Product::Made(files));
        assert!(matches!(binary.lower("x", "wat", None), Err(BinaryError::Rejected { .. })));
    }
}
