//! Verdicts and their evidence.

use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt;

use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::Realization;
use serde::{Deserialize, Serialize};

use crate::process::{CommandLine, Ended, Session};
use crate::shown::shown_lines;

/// What came of running an artifact on a target.
///
/// The order is that of severity: of several runs of one artifact, the largest verdict counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every realization returned its output.
    Agrees,
    /// The target has no way to check any of the realizations, so it was not run.
    Skipped,
    /// The target could not be run at all: it is missing, or a limit of this machine was reached.
    InfrastructureFailure,
    /// The target refused the program. This is a bug of pathsmith until shown otherwise.
    CompileError,
    /// A sanitizer reports undefined behaviour in the program, which is a bug of pathsmith.
    SanitizerError,
    /// The compiler exceeded its limits.
    CompilerTimeout,
    /// The compiler crashed.
    CompilerCrash,
    /// Wrong code: the compiled program exceeded its limits.
    Hang,
    /// Wrong code: the compiled program ended with a signal, a trap or an exception.
    Crash,
    /// Wrong code: a realization returned another output than it should, or left something else in
    /// memory.
    WrongResult,
}

impl Verdict {
    /// All verdicts, the mildest first.
    pub const ALL: [Self; 10] = [
        Self::Agrees,
        Self::Skipped,
        Self::InfrastructureFailure,
        Self::CompileError,
        Self::SanitizerError,
        Self::CompilerTimeout,
        Self::CompilerCrash,
        Self::Hang,
        Self::Crash,
        Self::WrongResult,
    ];

    /// Its name in files, folders and the database: `wrong-result`. Serialization uses the same.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Skipped => "skipped",
            Self::InfrastructureFailure => "infrastructure-failure",
            Self::CompileError => "compile-error",
            Self::SanitizerError => "sanitizer-error",
            Self::CompilerTimeout => "compiler-timeout",
            Self::CompilerCrash => "compiler-crash",
            Self::Hang => "hang",
            Self::Crash => "crash",
            Self::WrongResult => "wrong-result",
        }
    }

    /// Whether it is evidence against the target: a finding, once it is confirmed.
    pub const fn is_finding(self) -> bool {
        match self {
            Self::Agrees
            | Self::Skipped
            | Self::InfrastructureFailure
            | Self::CompileError
            | Self::SanitizerError => false,
            Self::CompilerTimeout
            | Self::CompilerCrash
            | Self::Hang
            | Self::Crash
            | Self::WrongResult => true,
        }
    }

    /// Whether it is about compiling the program, and not about what the compiled program did.
    pub const fn is_about_compiling(self) -> bool {
        match self {
            Self::CompilerTimeout | Self::CompilerCrash => true,
            Self::Agrees
            | Self::Skipped
            | Self::InfrastructureFailure
            | Self::CompileError
            | Self::SanitizerError
            | Self::Hang
            | Self::Crash
            | Self::WrongResult => false,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Agrees => "agrees",
            Self::Skipped => "skipped: it cannot check this program",
            Self::InfrastructureFailure => "infrastructure failure",
            Self::CompileError => "compile error (probably a bug of pathsmith)",
            Self::SanitizerError => "sanitizer error (possible pathsmith bug)",
            Self::CompilerTimeout => "compiler timeout",
            Self::CompilerCrash => "compiler crash",
            Self::Hang => "wrong code: hang",
            Self::Crash => "wrong code: the compiled program crashed",
            Self::WrongResult => "wrong code: wrong result",
        })
    }
}

/// A verdict with its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// The realizations that show it, if it is about running them: all that are known.
    pub disagreements: Vec<Disagreement>,
    /// What happened, one entry for each command that was run.
    pub evidence: Vec<Evidence>,
    /// How many results were compared.
    pub n_checked: u64,
}

/// A realization that a target gets wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disagreement {
    /// The function.
    pub function: FuncId,
    /// The number of the realization.
    pub realization: usize,
    /// What is wrong with it.
    pub verdict: Verdict,
    /// What is wrong about its result; nothing if it did not return.
    pub actual: Option<Observed>,
}

/// What was observed of a run that returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Observed {
    /// The value that it returned, as a number.
    Returned(String),
    /// The checksum of what it left in the globals that the function names.
    Left(u32),
}

impl Observed {
    /// What was to be observed instead, according to a realization.
    pub fn expected(&self, realization: &Realization) -> String {
        match (self, realization.leaving) {
            (Self::Left(_), Some(leaving)) => Self::Left(leaving).to_string(),
            (Self::Left(_), None) | (Self::Returned(_), _) => realization.ending.to_string(),
        }
    }
}

/// The value alone, or that it is about memory.
impl fmt::Display for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Returned(value) => f.write_str(value),
            Self::Left(crc) => write!(f, "memory checksum {crc}"),
        }
    }
}

/// What one command or call did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The command line, or the settings of an engine that runs in this process.
    pub command: Vec<String>,
    /// The exit status, if it exited.
    pub status: Option<i32>,
    /// The signal, if one ended it.
    pub signal: Option<i32>,
    /// The first lines that it wrote to standard error, or the message of a trap or exception.
    pub message: String,
    /// The log that it has left behind, if it does that: HotSpot's description of a crash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
}

impl Report {
    /// A report of a verdict that is not about single realizations.
    pub(crate) fn new(verdict: Verdict, evidence: Vec<Evidence>) -> Self {
        Self { verdict, disagreements: Vec::new(), evidence, n_checked: 0 }
    }

    /// A report of a command that cannot even be started.
    pub(crate) fn not_started(command: &CommandLine, error: &io::Error) -> Self {
        let words = command.words();
        let message = format!("{} cannot be started: {error}", words[0]);
        Self::new(Verdict::InfrastructureFailure, vec![Evidence::said(words, message)])
    }
}

impl Evidence {
    /// What a command did.
    pub(crate) fn of(command: &CommandLine, ended: &Ended, message: String) -> Self {
        let (status, signal) = (ended.end.code(), ended.end.signal());
        Self { command: command.words(), status, signal, message: shown_lines(&message), log: None }
    }

    /// What a command says that has not ended.
    pub(crate) fn said(command: Vec<String>, message: String) -> Self {
        Self { command, message: shown_lines(&message), ..Self::default() }
    }

    /// Ends a process that misbehaved. Returns what it leaves behind.
    pub(crate) fn post_mortem(session: Session, command: Vec<String>, message: &str) -> Self {
        let (status, said) = match session.end() {
            Ok((status, said, _)) => (Some(status), said),
            Err(error) => (None, error.to_string()),
        };
        let said: Vec<&str> = said.lines().take(12).collect();
        Self {
            command,
            status: status.and_then(|status| status.code()),
            signal: status.and_then(|status| status.signal()),
            message: shown_lines(&[&[message], &said[..]].concat().join("\n")),
            log: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_ordered_as_listed() {
        assert!(Verdict::ALL.is_sorted());
    }

    #[test]
    fn a_possible_pathsmith_bug_is_no_finding() {
        let findings: Vec<Verdict> =
            Verdict::ALL.into_iter().filter(|verdict| verdict.is_finding()).collect();
        assert_eq!(findings.len(), 5);
        assert!(!findings.contains(&Verdict::CompileError));
        assert!(!findings.contains(&Verdict::SanitizerError));
    }

    #[test]
    fn names_are_those_of_the_serialized_form() {
        for verdict in Verdict::ALL {
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.name());
        }
    }
}
