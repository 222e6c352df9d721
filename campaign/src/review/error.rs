//! Why two sides cannot be compared.

use std::io;
use std::path::PathBuf;

use pathsmith_oracles::BinaryError;
use thiserror::Error;

/// Why two sides cannot be compared.
#[derive(Debug, Error)]
pub enum ReviewError {
    /// A build cannot be used.
    #[error(transparent)]
    Binary(#[from] BinaryError),
    /// What was asked for contradicts what was saved.
    #[error("{0}")]
    Request(String),
    /// A folder does not hold what was saved.
    #[error("{}: {why}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file cannot be read or written.
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A thread panicked, which is a bug of pathsmith.
    #[error("a thread panicked, which is a bug of pathsmith")]
    Panicked,
}
