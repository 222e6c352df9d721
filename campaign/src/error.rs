//! Why a campaign, or work on its findings, stops.

use std::io;
use std::path::PathBuf;

use pathsmith_mutate::CorpusError;
use pathsmith_oracles::OracleError;
use thiserror::Error;

use crate::finding::{SerializeError, WriteError};
use crate::known::KnownError;
use crate::store::StoreError;

/// Why a campaign, or work on its findings, stops.
#[derive(Debug, Error)]
pub enum CampaignError {
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An oracle cannot work.
    #[error(transparent)]
    Oracle(#[from] OracleError),
    /// The folder of a finding cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The known bugs cannot be read or written.
    #[error(transparent)]
    Known(#[from] KnownError),
    /// Something cannot be saved as JSON.
    #[error(transparent)]
    Serialize(#[from] SerializeError),
    /// The corpus of the user is malformed.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// What was asked for contradicts itself or this machine.
    #[error("{0}")]
    Request(String),
    /// This version makes other programs of the campaign's seed.
    #[error(
        "pathsmith {started_by}, which generates other programs from the same seed, started the \
         campaign in {}; this is pathsmith {ours}",
        dir.display()
    )]
    OtherPrograms {
        /// The campaign's output directory.
        dir: PathBuf,
        /// The version that started it.
        started_by: String,
        /// This version.
        ours: &'static str,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// What happens cannot be reported.
    #[error("cannot write the output: {0}")]
    Report(#[source] io::Error),
    /// A thread panicked, which is a bug of pathsmith.
    #[error("a thread panicked, which is a bug of pathsmith")]
    Panicked,
}
