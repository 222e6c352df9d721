//! C compilers: what they make of a program, and whether it returns what it should.
//!
//! A [`CTarget`] is a [`Toolchain`] (a compiler, with its version) and a [`CSetting`] (its flags).
//! The [`COracle`] compiles the files of a [`CSource`] with it, links them with the harness that
//! has `main`, runs the result, and compares what the harness reports about every realization with
//! what is expected.

mod answers;
mod bisect;
mod counters;
mod excess_precision;
mod features;
mod flags;
mod floats;
mod instruction_sets;
mod judge;
mod meaning;
mod passes;
mod plain;
mod source_reduce;
mod suppressing_flags;
mod toolchain;
mod triage;
mod trial_program;
mod trials;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pathsmith_backend_c::{CFile, CSource};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

pub use counters::Counters;
pub use features::Features;
pub use flags::{CSetting, FlagPool, OPTIMIZATION_LEVELS};
pub use floats::words_for_floats;
pub use instruction_sets::{FEATURE_GUARD, INSTRUCTION_SETS, has_instruction_set, machine_flags};
pub use meaning::changes_meaning;
pub use plain::{BUG_FILE, Witnesses};
pub use source_reduce::{ReducedSource, SourceReduction};
pub use toolchain::{Compiler, Toolchain};

use self::instruction_sets::missing_features;
use crate::nonce::Nonce;
use crate::oracle::{Limits, Oracle, OracleError, Spent, StepError};
use crate::process::{CommandLine, End, Ended, ProcessLimits, Stop};
use crate::scratch::{ScratchFolder, write_afresh};
use crate::verdict::{Evidence, Report, Verdict};

/// How many seconds the harness may take besides the calls that it makes.
const HARNESS_TIME: u64 = 3;

/// The longest line that the harness answers with, in bytes: a nonce, two numbers of ten digits, 16
/// and 8 hexadecimal digits, and what separates them.
const MAX_ANSWER: usize = 64;

/// A compiler and its flags.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CTarget {
    /// The compiler.
    pub toolchain: Toolchain,
    /// Its flags.
    pub setting: CSetting,
}

impl CTarget {
    /// Its name, for people and files: `gcc-12 -O2`.
    pub fn name(&self) -> String {
        format!("{} {}", self.toolchain.name, self.setting.name)
    }

    /// The same target with further flags that suppress known bugs.
    #[must_use]
    pub fn without_known_bugs(&self, flags: &[String]) -> Self {
        let CSetting { name, flags: own } = &self.setting;
        let setting =
            CSetting { name: name.without_known_bugs(flags), flags: [own, flags].concat() };
        Self { setting, ..self.clone() }
    }

    /// All flags for one command that compiles and links all files of a program.
    pub fn all_flags(&self) -> Vec<String> {
        [&self.toolchain.launch.flags[..], &self.flags()].concat()
    }

    /// Those of them that the compiler does not get anyway.
    fn flags(&self) -> Vec<String> {
        let mut flags = self.setting.flags.clone();
        flags.extend(self.toolchain.compiler.own_flags().iter().map(|&flag| flag.to_owned()));
        flags
    }
}

/// Compiles and runs C programs.
#[derive(Debug)]
pub struct COracle {
    /// Everything happens in here. It is removed with the oracle.
    folder: ScratchFolder,
    stop: Stop,
    /// Whether programs are compiled and never run.
    compile_only: bool,
    /// The compiled harnesses, by compiler, kind of setting and text.
    harnesses: BTreeMap<(String, bool, String), PathBuf>,
    /// What the processor lacks to run what a compiler makes with some `-m` flags.
    missing: BTreeMap<(String, Vec<String>), Option<String>>,
    /// The CPU time that was spent so far.
    spent: Spent,
}

impl COracle {
    /// An oracle that works in a folder of its own, in the system's folder for temporary files.
    ///
    /// # Errors
    /// If that cannot be created.
    pub fn new(stop: Stop) -> Result<Self, OracleError> {
        let folder = ScratchFolder::new()?;
        let (harnesses, missing) = (BTreeMap::new(), BTreeMap::new());
        let spent = Spent::default();
        Ok(Self { folder, stop, compile_only: false, harnesses, missing, spent })
    }

    /// An oracle that compiles programs and never runs them, because their outputs are unknown. A
    /// compiler that succeeds agrees.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn compile_only(stop: Stop) -> Result<Self, OracleError> {
        Ok(Self { compile_only: true, ..Self::new(stop)? })
    }

    /// Takes the CPU time that was spent since it was last taken.
    pub fn take_spent(&mut self) -> Spent {
        std::mem::take(&mut self.spent)
    }

    /// Compiles and links a program with one command, as a person would, and runs it. Slower than
    /// [`run`](Oracle::run), which compiles the harness once for all programs.
    ///
    /// # Errors
    /// As for [`run`](Oracle::run).
    pub fn run_whole(
        &mut self,
        source: &CSource,
        target: &CTarget,
        limits: &Limits,
    ) -> Result<Report, OracleError> {
        self.run_one_command(source, target, limits).or_else(StepError::into_report)
    }

    fn run_one_command(
        &mut self,
        source: &CSource,
        target: &CTarget,
        limits: &Limits,
    ) -> Result<Report, StepError> {
        let dir = self.fresh_folder()?;
        write_files(dir.path(), source.all_files())?;
        let files = source.all_files().map(|file| file.name.clone());
        let texts = source.all_files().map(|file| &file.text[..]);
        let command = target
            .toolchain
            .line(dir.path())
            .args(target.flags())
            .args(files)
            .args(["-o", "test"])
            .args(words_for_floats(target.toolchain.compiler, texts));
        let product = dir.path().join("test");
        let mut evidence = Vec::new();
        self.compile(&command, &product, target, limits, &mut evidence)?;
        if self.compile_only {
            return Ok(Report::new(Verdict::Agrees, evidence));
        }
        self.execute(dir.path(), source, target, limits, evidence)
    }

    /// Compiles the files of a program, links them with the harness, and runs the result.
    fn run_steps(
        &mut self,
        source: &CSource,
        target: &CTarget,
        limits: &Limits,
    ) -> Result<Report, StepError> {
        // What is optimized at link time has to be linked.
        let needs_link = !self.compile_only || target.setting.is_link_time();
        let dir = self.fresh_folder()?;
        write_files(dir.path(), &source.files)?;
        let mut evidence = Vec::new();
        self.compile_objects(dir.path(), &source.files, target, limits, &mut evidence)?;
        if needs_link {
            self.link(dir.path(), source, target, limits, &mut evidence)?;
        }
        if self.compile_only {
            return Ok(Report::new(Verdict::Agrees, evidence));
        }
        self.execute(dir.path(), source, target, limits, evidence)
    }

    fn fresh_folder(&self) -> Result<TempDir, OracleError> {
        tempfile::tempdir_in(self.folder.path())
            .map_err(|source| OracleError::io("cannot create a temporary folder", source))
    }

    /// Runs a command that compiles, and judges how it ended.
    fn compile(
        &mut self,
        command: &CommandLine,
        product: &Path,
        target: &CTarget,
        limits: &Limits,
        evidence: &mut Vec<Evidence>,
    ) -> Result<(), StepError> {
        self.spent.n_compilations += 1;
        let ended = self.run_command(command, limits.compile_time, true, limits)?;
        self.spent.compile += ended.cpu;
        judge::compiled(command, &ended, product.is_file(), target.toolchain.compiler, evidence)?;
        Ok(())
    }

    /// Runs a command.
    fn run_command(
        &self,
        command: &CommandLine,
        seconds: u64,
        has_memory_limit: bool,
        limits: &Limits,
    ) -> Result<Ended, StepError> {
        self.run_command_for(command, Duration::from_secs(seconds), has_memory_limit, limits)
    }

    fn run_command_for(
        &self,
        command: &CommandLine,
        time: Duration,
        has_memory_limit: bool,
        limits: &Limits,
    ) -> Result<Ended, StepError> {
        let limits = ProcessLimits {
            time,
            memory: has_memory_limit.then_some(limits.memory),
            resident: Some(limits.memory),
            output: limits.output,
            files: Some(limits.files),
        };
        match command.run(&limits, &self.stop) {
            Ok(Ended { end: End::Stopped, .. }) => Err(OracleError::Stopped.into()),
            Ok(ended) => Ok(ended),
            Err(error) => Err(Report::not_started(command, &error).into()),
        }
    }

    /// The compiled harness for a target: plain, because it is not what is tested.
    fn harness(
        &mut self,
        file: &CFile,
        target: &CTarget,
        limits: &Limits,
    ) -> Result<PathBuf, StepError> {
        let is_sanitizer = target.setting.name.is_sanitizer();
        let key = (target.toolchain.name.clone(), is_sanitizer, file.text.clone());
        if let Some(known) = self.harnesses.get(&key) {
            return Ok(known.clone());
        }
        let dir = self.folder.path().join(format!("harness-{}", self.harnesses.len()));
        std::fs::create_dir_all(&dir)
            .map_err(|source| OracleError::io("cannot create a temporary folder", source))?;
        write_files(&dir, [file])?;
        let flags: &[&str] = if is_sanitizer { &["-O1", "-DPS_NO_HANDLERS"] } else { &["-O1"] };
        let command = target
            .toolchain
            .line(&dir)
            .args(flags)
            .args(target.toolchain.compiler.own_flags())
            .args(["-c", &file.name]);
        let object = dir.join("harness.o");
        self.compile(&command, &object, target, limits, &mut Vec::new())?;
        self.harnesses.insert(key, object.clone());
        Ok(object)
    }

    /// Compiles files that are in `dir`, without linking them.
    fn compile_objects(
        &mut self,
        dir: &Path,
        files: &[CFile],
        target: &CTarget,
        limits: &Limits,
        evidence: &mut Vec<Evidence>,
    ) -> Result<(), StepError> {
        let last = files.last().map(object_name).unwrap_or_default();
        let command = target
            .toolchain
            .line(dir)
            .args(target.flags())
            .arg("-c")
            .args(files.iter().map(|file| &file.name));
        self.compile(&command, &dir.join(last), target, limits, evidence)
    }

    /// Links the objects in `dir`, with the harness unless the program includes it.
    fn link(
        &mut self,
        dir: &Path,
        source: &CSource,
        target: &CTarget,
        limits: &Limits,
        evidence: &mut Vec<Evidence>,
    ) -> Result<(), StepError> {
        let harness = match &source.harness {
            Some(file) => Some(self.harness(file, target, limits)?),
            None => None,
        };
        let texts = source.files.iter().map(|file| &file.text[..]);
        let command = target
            .toolchain
            .line(dir)
            .args(target.setting.link_flags())
            .args(source.files.iter().map(object_name))
            .args(harness)
            .args(["-o", "test"])
            .args(words_for_floats(target.toolchain.compiler, texts));
        let ended = self.run_command(&command, limits.compile_time, true, limits)?;
        self.spent.link += ended.cpu;
        let has_product = dir.join("test").is_file();
        judge::compiled(&command, &ended, has_product, target.toolchain.compiler, evidence)?;
        Ok(())
    }

    /// What the processor lacks to run what `target` compiles. A finding may come from another
    /// machine.
    fn missing_features(&mut self, target: &CTarget) -> Result<Option<String>, OracleError> {
        let flags = machine_flags(&target.setting.flags);
        // An emulator has a processor of its own.
        if flags.is_empty() || !target.toolchain.launch.runner.is_empty() {
            return Ok(None);
        }
        let key = (target.toolchain.name.clone(), flags);
        if let Some(known) = self.missing.get(&key) {
            return Ok(known.clone());
        }
        let missing = missing_features(&target.toolchain, &key.1, &self.stop)?;
        self.missing.insert(key, missing.clone());
        Ok(missing)
    }

    /// Runs the program that was built in `dir`.
    fn execute(
        &mut self,
        dir: &Path,
        source: &CSource,
        target: &CTarget,
        limits: &Limits,
        mut evidence: Vec<Evidence>,
    ) -> Result<Report, StepError> {
        let command = target.toolchain.program("./test", dir);
        if let Some(missing) = self.missing_features(target)? {
            let message = format!("not run: the processor lacks {missing}");
            evidence.push(Evidence::said(command.words(), message));
            return Err(Report::new(Verdict::InfrastructureFailure, evidence).into());
        }
        let is_sanitizer = target.setting.name.is_sanitizer();
        // Wrong code can do anything, and disable the harness's limits on calls too.
        let run_time = match is_sanitizer {
            true => limits.run_time,
            false => limits.run_time.min(HARNESS_TIME + source.call_limits as u64 / 1000),
        };
        // Answers do not count as output.
        let for_answers = (MAX_ANSWER * (source.n_realizations() + 1)) as u64;
        let limits = Limits { output: limits.output.saturating_add(for_answers), ..limits.clone() };
        let nonce = Nonce::new();
        let asked = command.clone().arg(nonce.as_str());
        // Sanitizers map more memory than there is.
        let ended = self.run_command(&asked, run_time, !is_sanitizer, &limits)?;
        self.spent.run += ended.cpu;
        let ran = judge::ran(&ended, &source.tests, &nonce, is_sanitizer);
        // The evidence is a command that people can run, and the same in every run.
        evidence.push(Evidence::of(&command, &ended, ran.message));
        let judge::Ran { verdict, disagreements, n_checked, .. } = ran;
        Ok(Report { verdict, disagreements, evidence, n_checked })
    }
}

impl Oracle for COracle {
    type Artifact = CSource;
    type Target = CTarget;

    fn targets(&self) -> Result<Vec<CTarget>, OracleError> {
        let toolchains = Toolchain::on_path(&self.stop)?;
        let all = toolchains.into_iter().flat_map(|toolchain| {
            OPTIMIZATION_LEVELS.map(|level| CTarget {
                toolchain: toolchain.clone(),
                setting: CSetting::level(level),
            })
        });
        Ok(all.collect())
    }

    fn run(
        &mut self,
        source: &CSource,
        target: &CTarget,
        limits: &Limits,
    ) -> Result<Report, OracleError> {
        match &source.harness {
            Some(_) => self.run_steps(source, target, limits).or_else(StepError::into_report),
            None => self.run_whole(source, target, limits),
        }
    }
}

/// The name of what a file is compiled to.
fn object_name(file: &CFile) -> String {
    file.name.replace(".c", ".o")
}

fn write_files<'a>(
    dir: &Path,
    files: impl IntoIterator<Item = &'a CFile>,
) -> Result<(), OracleError> {
    for file in files {
        let path = dir.join(&file.name);
        write_afresh(&path, file.text.as_bytes()).map_err(|source| {
            OracleError::io(format!("cannot write {}", path.display()), source)
        })?;
    }
    Ok(())
}
