//! What can keep a target from answering a question to the end.

use std::time::Instant;

use thiserror::Error;

use crate::nonce::{Nonce, quoted};
use crate::oracle::OracleError;
use crate::process::{Answer, Reached, Session, Stop};
use crate::verdict::Verdict;

/// What kept a target from answering a question to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Interruption {
    /// The process is gone.
    Died,
    /// It says nothing any more.
    Hung,
    /// It takes more than it may.
    Exceeded(Reached),
    /// It refuses the artifact, and says why.
    CompileError(String),
    /// It says what the protocol does not allow.
    Protocol(ProtocolError),
}

/// A line that is no answer, or none that may come next.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub(crate) struct ProtocolError(pub(crate) String);

impl ProtocolError {
    /// Something else was expected than `line`.
    pub(crate) fn new(expected: &str, line: &str) -> Self {
        Self(format!("expected {expected}, got {}", quoted(line)))
    }
}

impl Interruption {
    /// The verdict about it. `is_running` says whether the artifact had been compiled, or loaded,
    /// and was being run.
    pub(crate) const fn verdict(&self, is_running: bool) -> Verdict {
        match (self, is_running) {
            (Self::CompileError(_), _) => Verdict::CompileError,
            (Self::Died | Self::Exceeded(_), true) => Verdict::Crash,
            (Self::Died | Self::Exceeded(_), false) => Verdict::CompilerCrash,
            (Self::Hung, true) => Verdict::Hang,
            (Self::Hung, false) => Verdict::CompilerTimeout,
            (Self::Protocol(_), _) => Verdict::Crash,
        }
    }

    /// The same in words; `who` is the target.
    pub(crate) fn message(&self, who: &str) -> String {
        match self {
            Self::CompileError(why) => why.clone(),
            Self::Died => format!("{who} died"),
            Self::Hung => format!("{who} did not answer in time"),
            Self::Exceeded(limit) => format!("{who} was killed: {limit}"),
            Self::Protocol(error) => format!("{who} violated the protocol: {error}"),
        }
    }

    /// Whether it came without a word, so that the call that was being made is to blame.
    pub(crate) const fn is_silent(&self) -> bool {
        match self {
            Self::Died | Self::Hung | Self::Exceeded(_) => true,
            Self::CompileError(_) | Self::Protocol(_) => false,
        }
    }
}

impl From<ProtocolError> for Interruption {
    fn from(error: ProtocolError) -> Self {
        Self::Protocol(error)
    }
}

/// Why an answer was not read to its end.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// The target interrupted it.
    Target(Interruption),
    /// The oracle cannot go on.
    Oracle(OracleError),
}

impl<E: Into<Interruption>> From<E> for ReadError {
    fn from(error: E) -> Self {
        Self::Target(error.into())
    }
}

/// The next line of an answer.
pub(super) fn next_line(
    process: &mut Session,
    deadline: Instant,
    stop: &Stop,
) -> Result<String, ReadError> {
    match process.answer(deadline, stop) {
        Answer::Line(line) => Ok(line),
        Answer::Closed => Err(Interruption::Died.into()),
        Answer::Late => Err(Interruption::Hung.into()),
        Answer::Exceeded(limit) => Err(Interruption::Exceeded(limit).into()),
        Answer::Endless => Err(ProtocolError("a line that does not end".to_owned()).into()),
        Answer::Stopped => Err(ReadError::Oracle(OracleError::Stopped)),
    }
}

/// What is there already after the last line of an answer to a question that was asked after `asked`.
/// It does not wait: whatever comes later has the wrong nonce when the next question is answered.
pub(super) fn late_line(
    process: &mut Session,
    asked: Instant,
    nonce: &Nonce,
    stop: &Stop,
) -> Option<ProtocolError> {
    // A deadline before the question is not extended by what the process waits for a CPU.
    match process.answer(asked, stop) {
        Answer::Line(line) => {
            let line = nonce.strip(&line).unwrap_or(&line);
            Some(ProtocolError::new("nothing after the last line", line))
        }
        Answer::Endless => Some(ProtocolError("a line that does not end".to_owned())),
        Answer::Closed | Answer::Late | Answer::Stopped | Answer::Exceeded(_) => None,
    }
}
