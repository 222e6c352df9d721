//! Talking with a target that is asked many questions, and how that can come to an end.

use std::time::Instant;

use crate::oracle::OracleError;
use crate::process::{Answer, Session, Stop};
use crate::verdict::Verdict;

/// What kept a target from answering a question to the end.
#[derive(Debug)]
pub(crate) enum End {
    /// It is gone.
    Died,
    /// It says nothing any more.
    Hung,
    /// It refuses what it was given, and says why.
    Rejected(String),
    /// It says what cannot be an answer.
    Garbage(String),
}

impl End {
    /// The verdict about it. `is_running` tells whether what it was given had been compiled, or
    /// loaded, and was being run.
    pub(crate) fn verdict(&self, is_running: bool) -> Verdict {
        match self {
            Self::Rejected(_) => Verdict::CompileError,
            Self::Died if is_running => Verdict::Crash,
            Self::Died => Verdict::CompilerCrash,
            Self::Hung if is_running => Verdict::Hang,
            Self::Hung => Verdict::CompilerTimeout,
            Self::Garbage(_) => Verdict::Crash,
        }
    }

    /// The same in words; `who` is the target.
    pub(crate) fn message(&self, who: &str) -> String {
        match self {
            Self::Rejected(why) => why.clone(),
            Self::Died => format!("{who} died"),
            Self::Hung => format!("{who} did not answer in time"),
            Self::Garbage(what) => format!("{who} answered nonsense: {what}"),
        }
    }

    /// Whether it came without a word, so that it is about what the target was at.
    pub(crate) const fn is_silent(&self) -> bool {
        matches!(self, Self::Died | Self::Hung)
    }
}

/// The next line of an answer, or why there is none.
///
/// # Errors
/// Where it is stopped.
pub(crate) fn next_line(
    session: &mut Session,
    deadline: Instant,
    stop: &Stop,
) -> Result<Result<String, End>, OracleError> {
    match session.answer(deadline, stop) {
        Answer::Line(line) => Ok(Ok(line)),
        Answer::Closed => Ok(Err(End::Died)),
        Answer::Late => Ok(Err(End::Hung)),
        Answer::Endless => Ok(Err(End::Garbage("a line that does not end".to_owned()))),
        Answer::Stopped => Err(OracleError::Stopped),
    }
}
