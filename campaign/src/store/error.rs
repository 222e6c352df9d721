//! What can be wrong with a store.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use thiserror::Error;

/// Why a store cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// There is no campaign in a folder.
    #[error("there is no campaign in {}: it has no campaign.db", .0.display())]
    None(PathBuf),
    /// There is one already.
    #[error(
        "there is a campaign in {dir} already: `pathsmith fuzz --resume {dir}` resumes it, and \
         --dir names another folder",
        dir = .0.display()
    )]
    Exists(PathBuf),
    /// Another process runs it.
    #[error("another process is running the campaign in {}", .0.display())]
    InUse(PathBuf),
    /// The file is something else.
    #[error("{} is not the store of a campaign", .0.display())]
    NotOurs(PathBuf),
    /// The file is in an older format.
    #[error(
        "{}: pathsmith {written_by} wrote this store in format {format}, and pathsmith {} reads \
         format {ours} only; use the version that wrote it to resume the campaign, or start a new \
         one in another folder (the folders of its findings stay as they are)",
        path.display(),
        env!("CARGO_PKG_VERSION")
    )]
    Older {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: i64,
        /// The format that this version reads.
        ours: i64,
        /// The version of pathsmith that wrote it, as far as it says so.
        written_by: String,
    },
    /// The file is in a newer format.
    #[error(
        "{}: pathsmith {written_by} wrote this store in format {format}, and pathsmith {} knows \
         format {ours} only; use pathsmith {written_by} or later",
        path.display(),
        env!("CARGO_PKG_VERSION")
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: i64,
        /// The format that this version reads.
        ours: i64,
        /// The version of pathsmith that wrote it, as far as it says so.
        written_by: String,
    },
    /// The file is not whole.
    #[error("{} is damaged: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// There is no room.
    #[error("there is no room for {}; what was recorded before is safe", .0.display())]
    Full(PathBuf),
    /// SQLite fails.
    #[error("{}: {source}", path.display())]
    Sql {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: rusqlite::Error,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl StoreError {
    /// Whether SQLite would have to write to a database that was opened to be read.
    pub(super) fn is_read_only(&self) -> bool {
        matches!(self, Self::Sql { source, .. }
            if source.sqlite_error_code() == Some(ErrorCode::ReadOnly))
    }

    pub(super) fn io(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { path: path.clone(), source }
    }

    pub(super) fn sql(path: &Path) -> impl Fn(rusqlite::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| {
            let path = path.clone();
            match source.sqlite_error_code() {
                Some(ErrorCode::DiskFull) => Self::Full(path),
                Some(ErrorCode::NotADatabase) => Self::NotOurs(path),
                Some(ErrorCode::DatabaseCorrupt) => Self::Damaged { path, why: source.to_string() },
                _ => Self::Sql { path, source },
            }
        }
    }
}
