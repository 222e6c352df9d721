//! Trying other flags on a finding.

use std::collections::BTreeMap;

use pathsmith_backend_c::{CFile, CSource};

use super::{COracle, CSetting, CTarget, Compiler, object_name, write_files};
use crate::oracle::{Limits, OracleError, StepError};
use crate::scratch::{read_left_behind, write_afresh};
use crate::signature::{RunBudget, TrialOutcome};
use crate::verdict::Verdict;

/// How much compilers may print, in bytes: with passes disabled or limited, they print a line for
/// each pass over each function.
const MAX_SAID: u64 = 64 << 20;

/// The compiled files of a program.
pub(super) type Objects = Vec<Vec<u8>>;

/// A finding, and the outcomes of the flags that were tried on it so far.
pub(super) struct Trials<'a> {
    pub(super) oracle: &'a mut COracle,
    pub(super) source: &'a CSource,
    pub(super) target: &'a CTarget,
    pub(super) limits: &'a Limits,
    /// The finding's verdict.
    pub(super) found: Verdict,
    pub(super) budget: RunBudget,
    /// Most flags change nothing; the same objects need not be run again.
    known: BTreeMap<Objects, TrialOutcome>,
}

/// What a compiler made of some files.
pub(super) enum Compiled {
    /// An object for each.
    Objects(Objects),
    /// A verdict that is not about running them.
    Not(Verdict),
}

impl<'a> Trials<'a> {
    pub(super) fn new(
        oracle: &'a mut COracle,
        source: &'a CSource,
        target: &'a CTarget,
        limits: &'a Limits,
        found: Verdict,
        budget: RunBudget,
    ) -> Self {
        Self { oracle, source, target, limits, found, budget, known: BTreeMap::new() }
    }

    /// Compiles and runs the program with these flags instead of the finding's.
    pub(super) fn with_flags(&mut self, flags: &[String]) -> Result<TrialOutcome, OracleError> {
        match self.compiled(flags)? {
            Some(Compiled::Objects(objects)) => self.run(flags, objects),
            Some(Compiled::Not(verdict)) => Ok(TrialOutcome::of(verdict, self.found)),
            None => Ok(TrialOutcome::Unclear),
        }
    }

    /// Compiles all files with these flags; nothing if no more runs are left.
    pub(super) fn compiled(&mut self, flags: &[String]) -> Result<Option<Compiled>, OracleError> {
        if !self.budget.take() {
            return Ok(None);
        }
        self.compile_files(&self.source.files, flags).map(Some)
    }

    /// Compiles some of the files with these flags.
    pub(super) fn compile_files(
        &mut self,
        files: &[CFile],
        flags: &[String],
    ) -> Result<Compiled, OracleError> {
        let target = self.target_with(flags);
        let dir = self.oracle.fresh_folder()?;
        write_files(dir.path(), files)?;
        let limits = self.loud_limits();
        let step =
            self.oracle.compile_objects(dir.path(), files, &target, &limits, &mut Vec::new());
        match step {
            Ok(()) => {}
            Err(StepError::Verdict(report)) => return Ok(Compiled::Not(report.verdict)),
            Err(StepError::Oracle(error)) => return Err(error),
        }
        let read =
            |file: &CFile| read_left_behind(&dir.path().join(object_name(file)), limits.files);
        let objects: Result<Objects, _> = files.iter().map(read).collect();
        // A compiler may leave anything there.
        Ok(objects.map_or(Compiled::Not(Verdict::InfrastructureFailure), Compiled::Objects))
    }

    /// Links and runs objects, unless the same ones have been run before.
    pub(super) fn run(
        &mut self,
        flags: &[String],
        objects: Objects,
    ) -> Result<TrialOutcome, OracleError> {
        if let Some(known) = self.known.get(&objects) {
            return Ok(*known);
        }
        let target = self.target_with(flags);
        let dir = self.oracle.fresh_folder()?;
        for (file, bytes) in std::iter::zip(&self.source.files, &objects) {
            write_afresh(&dir.path().join(object_name(file)), bytes)
                .map_err(|source| OracleError::io("cannot write objects", source))?;
        }
        let mut evidence = Vec::new();
        let (source, limits) = (self.source, self.limits);
        let report = self
            .oracle
            .link(dir.path(), source, &target, limits, &mut evidence)
            .and_then(|()| self.oracle.execute(dir.path(), source, &target, limits, evidence))
            .or_else(StepError::into_report)?;
        let trial = TrialOutcome::of(report.verdict, self.found);
        self.known.insert(objects, trial);
        Ok(trial)
    }

    /// The limits for a compiler that prints much.
    pub(super) fn loud_limits(&self) -> Limits {
        Limits { output: self.limits.output.max(MAX_SAID), ..self.limits.clone() }
    }

    fn target_with(&self, flags: &[String]) -> CTarget {
        let mut flags = flags.to_vec();
        if self.target.toolchain.compiler == Compiler::Gcc {
            // Else, objects with link-time optimization differ each time.
            flags.push("-frandom-seed=1".to_owned());
        }
        let setting = CSetting { flags, ..self.target.setting.clone() };
        CTarget { toolchain: self.target.toolchain.clone(), setting }
    }
}
