//! What a command can fail with, how it is shown, and the exit code it means.

use std::io::{self, Write};
use std::process::ExitCode;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use pathsmith_campaign::review::ReviewError;
use pathsmith_campaign::{CampaignError, CorpusFolderError, KnownError, StoreError, WriteError};
use pathsmith_mutate::CorpusError;
use pathsmith_oracles::{BinaryError, OracleError, shown_lines};
use pathsmith_symlang::lang::text::SourceErrors;
use thiserror::Error;

use crate::terminal::takes_escapes;

/// Why a command does not exit with 0.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// A negative result; the output says so already.
    #[error("negative result")]
    NegativeResult,
    /// Something was found that is a possible bug of pathsmith; the output says so already.
    #[error("possible bug of pathsmith")]
    PossiblePathsmithBug,
    /// It was interrupted before it found anything.
    #[error("interrupted")]
    Interrupted,
    /// A target, or what running one takes, does not work.
    #[error("infrastructure failure: {0}")]
    Infrastructure(String),
    /// Options contradict each other, or the input.
    #[error("{0}")]
    Usage(String),
    /// A program is malformed or invalid.
    #[error(transparent)]
    Source(Box<SourceErrors>),
    /// Another input is malformed.
    #[error("{0}")]
    Input(String),
    /// A file could not be read or written.
    #[error("{what}: {source}")]
    Io {
        /// What was to be done, and with which file.
        what: String,
        /// Why it could not be.
        #[source]
        source: io::Error,
    },
}

impl Failure {
    pub(crate) fn io(what: impl Into<String>, source: io::Error) -> Self {
        Self::Io { what: what.into(), source }
    }

    /// Prints it, and returns the exit code.
    pub(crate) fn report(&self, color: ColorChoice) -> ExitCode {
        let code = match self {
            // The reader of the output has closed the pipe.
            Self::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            Self::NegativeResult => return ExitCode::from(1),
            Self::PossiblePathsmithBug => return ExitCode::from(6),
            Self::Interrupted => return ExitCode::from(130),
            Self::Infrastructure(_) => 5,
            Self::Usage(_) => 2,
            Self::Source(_) | Self::Input(_) => 3,
            Self::Io { .. } => 4,
        };
        // Nothing is left to do if even the error cannot be written.
        let _ = match self {
            Self::Source(errors) => write_diagnostic(&**errors, color),
            other => writeln!(io::stderr(), "error: {}", shown_lines(&other.to_string())),
        };
        ExitCode::from(code)
    }
}

impl From<OracleError> for Failure {
    fn from(error: OracleError) -> Self {
        match error {
            OracleError::Io { what, source } => Self::Infrastructure(format!("{what}: {source}")),
            OracleError::Unavailable { .. } => Self::Infrastructure(error.to_string()),
            OracleError::Target { .. } => Self::Usage(error.to_string()),
            OracleError::Stopped => Self::Interrupted,
        }
    }
}

impl From<WriteError> for Failure {
    fn from(WriteError { path, source }: WriteError) -> Self {
        Self::io(format!("cannot write {}", path.display()), source)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::None(_) | StoreError::Exists(_) | StoreError::InUse(_) => {
                Self::Usage(error.to_string())
            }
            StoreError::NotOurs(_)
            | StoreError::Older { .. }
            | StoreError::Newer { .. }
            | StoreError::Damaged { .. } => Self::Input(error.to_string()),
            StoreError::Io { path, source } => {
                Self::io(format!("cannot write {}", path.display()), source)
            }
            StoreError::Full(_) | StoreError::Sql { .. } => {
                Self::io("cannot use the store", io::Error::other(error))
            }
        }
    }
}

impl From<CampaignError> for Failure {
    fn from(error: CampaignError) -> Self {
        match error {
            CampaignError::Store(error) => error.into(),
            CampaignError::Oracle(error) => error.into(),
            CampaignError::Write(error) => error.into(),
            CampaignError::Known(KnownError::Io { path, source }) => {
                Self::io(format!("cannot use {}", path.display()), source)
            }
            CampaignError::Known(error @ KnownError::Malformed { .. }) => {
                Self::Input(error.to_string())
            }
            CampaignError::Request(message) => Self::Usage(message),
            CampaignError::Corpus(error) => error.into(),
            CampaignError::Serialize(_)
            | CampaignError::OtherPrograms { .. }
            | CampaignError::Panicked => Self::Input(error.to_string()),
            CampaignError::Read { path, source } => {
                Self::io(format!("cannot read {}", path.display()), source)
            }
            CampaignError::Report(source) => Self::io("cannot write the output", source),
        }
    }
}

impl From<ReviewError> for Failure {
    fn from(error: ReviewError) -> Self {
        match error {
            ReviewError::Binary(BinaryError::Oracle(error)) => error.into(),
            ReviewError::Binary(BinaryError::Failed { .. }) => {
                Self::Infrastructure(error.to_string())
            }
            ReviewError::Binary(
                BinaryError::NotPathsmith { .. } | BinaryError::Rejected { .. },
            )
            | ReviewError::Request(_) => Self::Usage(error.to_string()),
            ReviewError::Malformed { .. } | ReviewError::Panicked => Self::Input(error.to_string()),
            ReviewError::Io { path, source } => {
                Self::io(format!("cannot use {}", path.display()), source)
            }
        }
    }
}

impl From<CorpusError> for Failure {
    fn from(error: CorpusError) -> Self {
        match error {
            CorpusError::Source(errors) => errors.into(),
            CorpusError::DuplicateName { .. } => Self::Usage(error.to_string()),
        }
    }
}

impl From<CorpusFolderError> for Failure {
    fn from(error: CorpusFolderError) -> Self {
        match error {
            CorpusFolderError::Io { path, source } => {
                Self::io(format!("cannot read {}", path.display()), source)
            }
            CorpusFolderError::Empty(_) => Self::Input(error.to_string()),
            CorpusFolderError::Corpus(error) => error.into(),
        }
    }
}

impl From<SourceErrors> for Failure {
    fn from(errors: SourceErrors) -> Self {
        Self::Source(Box::new(errors))
    }
}

/// When to colour messages.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    /// When standard error is a terminal and NO_COLOR is not set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

fn write_diagnostic(diagnostic: &dyn Diagnostic, color: ColorChoice) -> io::Result<()> {
    let colored = match color {
        ColorChoice::Auto => {
            takes_escapes() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        }
        ColorChoice::Always => true,
        ColorChoice::Never => false,
    };
    let theme = if colored { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false).with_context_lines(1);
    let mut text = String::new();
    handler.render_report(&mut text, diagnostic).map_err(io::Error::other)?;
    io::stderr().write_all(text.as_bytes())
}

/// Prints a message on standard error that is no failure.
pub(crate) fn note(message: &str) {
    let _ = writeln!(io::stderr(), "note: {}", shown_lines(message));
}
