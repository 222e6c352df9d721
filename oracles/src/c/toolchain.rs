//! The compilers of a machine.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::excess_precision::{SSE_ARITHMETIC, has_excess_precision};
use crate::launch::{Launch, TargetSpec, distinct_name};
use crate::oracle::OracleError;
use crate::process::{CommandLine, End, Stop};
use crate::version::{Asked, RunsBehind, ask_version};

/// A compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchain {
    /// What it is called here: `gcc-12`.
    pub name: String,
    /// The command that runs it.
    pub command: PathBuf,
    /// Whose it is.
    pub compiler: Compiler,
    /// The first line of what it says of its version.
    pub version: String,
    /// The file that the command stands for.
    pub path: PathBuf,
    /// How it and its programs are started.
    #[serde(default)]
    pub launch: Launch,
}

/// Whose compiler it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compiler {
    /// The GNU project's.
    Gcc,
    /// LLVM's.
    Clang,
    /// Another one, with a command line like theirs.
    Other,
}

impl fmt::Display for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gcc => "gcc",
            Self::Clang => "clang",
            Self::Other => "another compiler",
        })
    }
}

/// The flag that disables contraction. The last one of its kind counts.
pub(super) const NO_CONTRACTION: &str = "-ffp-contract=off";

impl Compiler {
    /// Flags that it always gets, after all others: no warnings, exit codes that distinguish a crash
    /// from an error, no limit of its own on how deep parentheses nest, and no operation on
    /// floating-point numbers that does the work of two with one rounding.
    pub(super) const fn own_flags(self) -> &'static [&'static str] {
        match self {
            Self::Gcc => &["-std=gnu17", "-w", "-pass-exit-codes", NO_CONTRACTION],
            Self::Clang => &["-std=gnu17", "-w", "-fbracket-depth=2048", NO_CONTRACTION],
            Self::Other => &["-w"],
        }
    }

    /// Whether it crashed, and did not report an error in the program.
    ///
    /// gcc's driver passes on the exit code of a crash, 4; clang's ends with 70 or more. What is
    /// said on standard error decides only where other programs stand in between.
    pub(super) fn has_crashed(self, end: End, stderr: &str) -> bool {
        let has_crash_code = match (self, end.code()) {
            (_, None) => true,
            (Self::Gcc, Some(code)) => code == 4 || code >= 128,
            (_, Some(code)) => code >= 70,
        };
        let signs = [
            "internal compiler error",
            "PLEASE submit a bug report",
            "PLEASE ATTACH THE FOLLOWING FILES",
            "fatal error: error in backend",
            "LLVM ERROR",
            "Stack dump:",
        ];
        has_crash_code || signs.iter().any(|sign| stderr.contains(sign))
    }
}

impl Toolchain {
    /// The compiler that a command runs.
    ///
    /// # Errors
    /// If it runs none.
    pub fn new(spec: &TargetSpec, stop: &Stop) -> Result<Self, OracleError> {
        let Asked { command, path, ended } =
            ask_version(spec, "--version", RunsBehind::Nothing, stop)?;
        let text = String::from_utf8_lossy(&ended.stdout);
        let compiler = if text.contains("clang") {
            Compiler::Clang
        } else if text.contains("Free Software Foundation") {
            Compiler::Gcc
        } else {
            Compiler::Other
        };
        let version = text.lines().next().unwrap_or_default().trim().to_owned();
        let (name, launch) = (spec.name.clone(), spec.launch.clone());
        let mut toolchain = Self { name, command, compiler, version, path, launch };
        if has_excess_precision(&toolchain.command, &toolchain.launch, stop)? {
            toolchain.launch.flags.extend(SSE_ARITHMETIC.map(str::to_owned));
        }
        Ok(toolchain)
    }

    /// What it says of its version and of how it was built: `gcc -v`.
    ///
    /// # Errors
    /// If it cannot be run, or is stopped.
    pub fn version_details(&self, stop: &Stop) -> Result<String, OracleError> {
        let (name, command) = (self.name.clone(), self.command.clone());
        let spec = TargetSpec { name, command, launch: self.launch.clone() };
        let asked = ask_version(&spec, "-v", RunsBehind::Nothing, stop)?;
        Ok(String::from_utf8_lossy(&asked.ended.stderr).trim_end().to_owned())
    }

    /// The compiler, with the flags that it always gets, to be run in `dir`.
    pub(super) fn line(&self, dir: &Path) -> CommandLine {
        self.launch.direct(&self.command, dir).args(&self.launch.flags)
    }

    /// A program that it made, to be run in `dir`.
    pub(super) fn program(&self, program: &str, dir: &Path) -> CommandLine {
        self.launch.behind_runner(Path::new(program), dir)
    }

    /// Every gcc and clang on PATH: `gcc`, `gcc-12`, `clang`, `clang-14` and so on. Several names
    /// of one file count once, with the most exact one; several files of one name have their folders
    /// in their names, but for the first, which is what the name runs.
    ///
    /// # Errors
    /// If it is stopped.
    pub fn on_path(stop: &Stop) -> Result<Vec<Self>, OracleError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let commands = compilers_in(std::env::split_paths(&path));
        let all: Vec<&Path> = commands.iter().map(PathBuf::as_path).collect();
        let mut toolchains = Vec::new();
        for command in &commands {
            let spec = TargetSpec::new(distinct_name(command, &all, |_| false), command);
            match Self::new(&spec, stop) {
                Ok(toolchain) => toolchains.push(toolchain),
                Err(OracleError::Stopped) => return Err(OracleError::Stopped),
                // Something that is called like a compiler, and is none.
                Err(_) => {}
            }
        }
        toolchains.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(toolchains)
    }
}

/// The commands of all compilers in some folders, one for each file: a name if it runs that file,
/// and else a path.
fn compilers_in(folders: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    // What a name runs, and the best entry for each file.
    let mut run_by: BTreeMap<OsString, PathBuf> = BTreeMap::new();
    let mut found: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for dir in folders {
        let Ok(entries) = std::fs::read_dir(dir) else { continue };
        for entry in entries.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let Ok(file) = path.canonicalize() else { continue };
            if !is_compiler_name(&name.to_string_lossy()) || !is_executable(&file) {
                continue;
            }
            run_by.entry(name).or_insert_with(|| file.clone());
            // It runs the next compiler of that name, which is there too.
            if file.file_name().is_some_and(|it| WRAPPERS.iter().any(|wrapper| it == *wrapper)) {
                continue;
            }
            let known = found.entry(file).or_insert_with(|| path.clone());
            let exactness = |path: &Path| {
                path.file_name().map(|name| (name.len(), name.to_owned())).unwrap_or_default()
            };
            if exactness(&path) > exactness(known) {
                *known = path;
            }
        }
    }
    let command = |(file, path): (PathBuf, PathBuf)| match path.file_name() {
        Some(name) if run_by.get(name) == Some(&file) => PathBuf::from(name),
        _ => path,
    };
    found.into_iter().map(command).collect()
}

/// What stands in front of compilers in folders of links with their names.
const WRAPPERS: [&str; 4] = ["ccache", "sccache", "distcc", "icecc"];

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// `gcc` or `clang`, with or without a number.
fn is_compiler_name(name: &str) -> bool {
    let rest = name.strip_prefix("gcc").or_else(|| name.strip_prefix("clang"));
    rest.is_some_and(|rest| {
        rest.is_empty()
            || rest.strip_prefix('-').is_some_and(|number| {
                !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_compilers() {
        for name in ["gcc", "clang", "gcc-12", "clang-19"] {
            assert!(is_compiler_name(name), "{name}");
        }
        for name in ["gcc-ar", "clang++", "clang-cpp-14", "gccgo", "x86_64-linux-gnu-gcc", "gcc-"] {
            assert!(!is_compiler_name(name), "{name}");
        }
    }

    #[test]
    fn files_and_not_names_are_compilers() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let write = |name: &str, mode: u32| {
            std::fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            std::fs::write(path(name), "").unwrap();
            std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let link = |from: &str, to: &str| {
            std::fs::create_dir_all(path(to).parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(path(from), path(to)).unwrap();
        };
        write("other/ccache", 0o755);
        link("other/ccache", "links/gcc-98");
        write("a/gcc-97", 0o644);
        write("a/gcc-98", 0o755);
        write("b/gcc-97", 0o755);
        write("b/gcc-98", 0o755);
        link("b/gcc-98", "b/gcc");
        link("a/gcc-98", "c/gcc-98");
        let found = |folders: &[&str]| compilers_in(folders.iter().map(|folder| path(folder)));
        let names = |names: &[&str]| -> Vec<PathBuf> { names.iter().map(PathBuf::from).collect() };
        assert_eq!(
            found(&["a", "b", "c"]),
            [names(&["gcc-98", "gcc-97"]), vec![path("b/gcc-98")]].concat()
        );
        assert_eq!(found(&["c", "a"]), names(&["gcc-98"]));
        // The name runs the wrapper.
        assert_eq!(found(&["links", "a"]), [path("a/gcc-98")]);
    }

    #[test]
    fn a_missing_compiler_is_named() {
        let error =
            Toolchain::new(&TargetSpec::new("mine", "/nowhere/mine"), &Stop::new()).unwrap_err();
        let expected = "the target mine cannot be used: there is no /nowhere/mine";
        assert_eq!(error.to_string(), expected);
    }
}
