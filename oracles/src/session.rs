//! Targets that are kept running and asked many questions: WebAssembly engines and JVMs.
//!
//! A [`SessionProtocol`] says how a target is started, what it is asked about an artifact, and how
//! its answers are read. [`Sessions`] does the rest, the same way for all of them: it keeps one
//! process for each setting, asks within limits, replaces a process that died, hung or violated
//! the protocol, and turns the [`Transcript`] into a report with evidence.

mod interruption;
mod transcript;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pathsmith_symlang::FuncId;

pub(crate) use interruption::{Interruption, ProtocolError, ReadError};
pub(crate) use transcript::{CallFailure, Transcript};

use self::interruption::{late_line, next_line};
use crate::nonce::Nonce;
use crate::oracle::{Limits, OracleError, Spent, StepError};
use crate::process::{CommandLine, Session, SessionLimits, Stop};
use crate::scratch::{ScratchFolder, read_left_behind, write_afresh};
use crate::verdict::{Evidence, Report, Verdict};

/// How targets of one kind are started, asked and understood.
pub(crate) trait SessionProtocol {
    /// What they are asked about.
    type Artifact;
    /// A target with its setting.
    type Target;

    /// What a target is called in messages.
    const WHO: &'static str;
    /// The file that a request is written to. Its name is the question.
    const REQUEST_FILE: &'static str;
    /// What a target says once it is ready to be asked; nothing if it says nothing.
    const GREETING: Option<&'static str> = None;
    /// The file that a target describes its crash in, if it does that.
    const CRASH_FILE: Option<&'static str> = None;

    /// The command that starts `target` in `folder`.
    fn command(target: &Self::Target, folder: &Path) -> CommandLine;

    /// Targets with the same key take turns: only one of their processes is kept.
    fn key(target: &Self::Target) -> String;

    /// What a target is asked about `artifact`. Every line of its answer has to begin with `nonce`.
    /// If `careful`, it has to say at once where it is, so that the call that kills or hangs it is
    /// known; that takes longer.
    ///
    /// # Errors
    /// If the request cannot be encoded.
    fn request(
        artifact: &Self::Artifact,
        target: &Self::Target,
        nonce: &Nonce,
        careful: bool,
    ) -> Result<Vec<u8>, OracleError>;

    /// The function and the realization of each call.
    fn calls(artifact: &Self::Artifact) -> Vec<(FuncId, usize)>;

    /// Whether a line is no part of an answer, but something that a target says besides.
    fn is_aside(_line: &str) -> bool {
        false
    }

    /// Reads a line of an answer, without the nonce that it began with.
    ///
    /// # Errors
    /// If the target refuses the artifact, or the line is no answer that may come next.
    fn read_line(
        line: &str,
        artifact: &Self::Artifact,
        target: &Self::Target,
        transcript: &mut Transcript,
    ) -> Result<Progress, Interruption>;

    /// The CPU time that a process has taken so far, for compiling and for everything else; zero if
    /// its answers say how long they took.
    fn cpu_times(_process: &Session) -> (Duration, Duration) {
        Default::default()
    }

    /// Reads what a target wrote to its [`CRASH_FILE`](Self::CRASH_FILE).
    fn read_crash(_log: String, _transcript: &mut Transcript, _evidence: &mut Evidence) {}
}

/// What a line of an answer means for the time that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Nothing.
    Same,
    /// From now on, it has the time that running may take.
    Running,
    /// It was the last line.
    Done,
}

/// What came of a question.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) report: Report,
    /// Whether the target died or hung while it was making calls.
    pub(crate) was_interrupted_running: bool,
}

impl Asked {
    /// A report that stands, whatever a careful question would bring.
    pub(crate) const fn settled(report: Report) -> Self {
        Self { report, was_interrupted_running: false }
    }
}

/// Processes that are asked questions.
#[derive(Debug)]
pub(crate) struct Sessions {
    /// Where they run, and where requests are written.
    folder: ScratchFolder,
    pub(crate) stop: Stop,
    /// Those that are running, each with the words of its command, by the key of its target.
    processes: BTreeMap<String, (Vec<String>, Session)>,
    /// The CPU time that was spent so far.
    pub(crate) spent: Spent,
}

impl Sessions {
    /// No processes: they are started when they are needed.
    ///
    /// # Errors
    /// If there is no room for their files.
    pub(crate) fn new(stop: Stop) -> Result<Self, OracleError> {
        let (processes, spent) = (BTreeMap::new(), Spent::default());
        Ok(Self { folder: ScratchFolder::new()?, stop, processes, spent })
    }

    /// The folder that they run in.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file into their folder.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), OracleError> {
        let path = self.path(name);
        write_afresh(&path, bytes)
            .map_err(|source| OracleError::io(format!("cannot write {}", path.display()), source))
    }

    /// Ends the process of `target`, if there is one.
    pub(crate) fn end<P: SessionProtocol>(&mut self, target: &P::Target) {
        self.processes.remove(&P::key(target));
    }

    /// Asks `target` about `artifact`, and once more, carefully, if it died or hung.
    ///
    /// # Errors
    /// If the oracle cannot work.
    pub(crate) fn run<P: SessionProtocol>(
        &mut self,
        artifact: &P::Artifact,
        target: &P::Target,
        limits: &Limits,
    ) -> Result<Report, OracleError> {
        run_carefully(|careful| self.ask::<P>(artifact, target, limits, careful))
    }

    /// Lets `ask` have a process of `target` that has not been asked anything else.
    ///
    /// # Errors
    /// If the oracle cannot work.
    pub(crate) fn fresh<P: SessionProtocol, T>(
        &mut self,
        target: &P::Target,
        ask: impl FnOnce(&mut Self) -> Result<T, OracleError>,
    ) -> Result<T, OracleError> {
        self.end::<P>(target);
        let asked = ask(self);
        self.end::<P>(target);
        asked
    }

    /// Asks `target` about `artifact`.
    ///
    /// # Errors
    /// If the oracle cannot work.
    pub(crate) fn ask<P: SessionProtocol>(
        &mut self,
        artifact: &P::Artifact,
        target: &P::Target,
        limits: &Limits,
        careful: bool,
    ) -> Result<Asked, OracleError> {
        let nonce = Nonce::new();
        self.write(P::REQUEST_FILE, &P::request(artifact, target, &nonce, careful)?)?;
        let command = P::command(target, self.folder()).words();
        let mut process = match self.process::<P>(target, limits) {
            Ok(process) => process,
            Err(error) => return error.into_report().map(Asked::settled),
        };
        self.spent.n_compilations += 1;
        let (before, asked) = (P::cpu_times(&process), Instant::now());
        // If it has died since the last question, reading will show it.
        let _ = process.ask(P::REQUEST_FILE);
        let mut transcript = self.listen::<P>(&mut process, artifact, target, &nonce, limits)?;
        let after = P::cpu_times(&process);
        if transcript.interruption.is_none()
            && let Some(late) = late_line(&mut process, asked, &nonce, &self.stop)
        {
            transcript = transcript.interrupted(late.into());
        }
        self.spent.compile += after.0.saturating_sub(before.0);
        self.spent.run += after.1.saturating_sub(before.1);
        self.spent.add(&transcript.spent);
        let message = transcript.message(P::WHO);
        let evidence = if transcript.interruption.is_some() {
            let mut evidence = Evidence::post_mortem(process, command, &message);
            let log =
                P::CRASH_FILE.and_then(|it| read_left_behind(&self.path(it), limits.files).ok());
            if let Some(log) = log {
                let log = String::from_utf8_lossy(&log).into_owned();
                P::read_crash(log, &mut transcript, &mut evidence);
            }
            evidence
        } else {
            self.processes.insert(P::key(target), (command.clone(), process));
            Evidence::said(command, message)
        };
        let report = transcript.report(&P::calls(artifact), evidence);
        Ok(Asked { report, was_interrupted_running: transcript.was_interrupted_running() })
    }

    /// A process of `target`: the one that is running, or a new one.
    fn process<P: SessionProtocol>(
        &mut self,
        target: &P::Target,
        limits: &Limits,
    ) -> Result<Session, StepError> {
        let line = P::command(target, self.folder());
        if let Some((words, process)) = self.processes.remove(&P::key(target))
            && words == line.words()
        {
            return Ok(process);
        }
        // What an earlier process has left behind is not about this one.
        if let Some(file) = P::CRASH_FILE {
            let _ = std::fs::remove_file(self.path(file));
        }
        let most = SessionLimits { memory: limits.memory, files: limits.files };
        let mut process =
            Session::start(&line, most).map_err(|error| Report::not_started(&line, &error))?;
        let Some(greeting) = P::GREETING else { return Ok(process) };
        let deadline = Instant::now() + Duration::from_secs(limits.compile_time);
        let message = match next_line(&mut process, deadline, &self.stop) {
            Ok(said) if said == greeting => return Ok(process),
            Ok(said) => format!("{} does not start, but says: {said}", P::WHO),
            Err(ReadError::Target(_)) => format!("{} does not start", P::WHO),
            Err(ReadError::Oracle(error)) => return Err(error.into()),
        };
        let evidence = Evidence::post_mortem(process, line.words(), &message);
        Err(Report::new(Verdict::InfrastructureFailure, vec![evidence]).into())
    }

    /// Reads the answer about `artifact`.
    fn listen<P: SessionProtocol>(
        &self,
        process: &mut Session,
        artifact: &P::Artifact,
        target: &P::Target,
        nonce: &Nonce,
        limits: &Limits,
    ) -> Result<Transcript, OracleError> {
        let mut transcript = Transcript::default();
        let deadline = Instant::now() + Duration::from_secs(limits.compile_time);
        let mut next = |line: &str| {
            if P::is_aside(line) {
                return Ok(Progress::Same);
            }
            let answer = nonce.strip(line).ok_or_else(|| {
                ProtocolError::new("a line that begins with the nonce of the request", line)
            })?;
            P::read_line(answer, artifact, target, &mut transcript)
        };
        match self.read(process, deadline, limits, &mut next) {
            Ok(()) => Ok(transcript),
            Err(ReadError::Target(interruption)) => Ok(transcript.interrupted(interruption)),
            Err(ReadError::Oracle(error)) => Err(error),
        }
    }

    /// Reads lines until `next` says that there are no more.
    fn read(
        &self,
        process: &mut Session,
        mut deadline: Instant,
        limits: &Limits,
        next: &mut dyn FnMut(&str) -> Result<Progress, Interruption>,
    ) -> Result<(), ReadError> {
        loop {
            match next(&next_line(process, deadline, &self.stop)?)? {
                Progress::Same => {}
                Progress::Running => {
                    deadline = Instant::now() + Duration::from_secs(limits.run_time);
                }
                Progress::Done => return Ok(()),
            }
        }
    }
}

/// Asks, and asks once more, carefully, if the target died or hung while it was making calls: only
/// then is it known which one it was at. If it does not happen again, that it has happened is still
/// true.
///
/// # Errors
/// Those of `ask`, whose argument says whether to be careful.
pub(crate) fn run_carefully(
    mut ask: impl FnMut(bool) -> Result<Asked, OracleError>,
) -> Result<Report, OracleError> {
    let Asked { report, was_interrupted_running } = ask(false)?;
    if !was_interrupted_running {
        return Ok(report);
    }
    let careful = ask(true)?.report;
    Ok(if careful.verdict == Verdict::Agrees { report } else { careful })
}

#[cfg(test)]
mod tests;
