//! What a campaign has done and found, in a file that outlives it.
//!
//! A campaign's folder holds `campaign.db`, an SQLite database, and beside it a folder for each
//! finding, which is written from the database and can be made again from it. What is recorded is
//! recorded in one transaction: a campaign that is killed at any moment resumes with what was
//! finished before, and does again what was not.

mod error;
mod findings;
mod growth;
mod schema;
mod sightings;
mod token;
mod versions;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior, params};
use serde::{Deserialize, Serialize};

pub use error::StoreError;
pub use findings::{Flaky, Reduction, Saved};

use crate::config::FuzzConfig;
use crate::family::TargetFamily;
use crate::file_names::check_no_link;
use crate::growth::Grown;
use crate::shares::EPOCH;
use crate::stats::Stats;

/// The name of the database in a campaign's folder.
const DATABASE: &str = "campaign.db";
/// The file that the one process that writes holds a lock on.
const LOCK: &str = "lock";

/// What a campaign is: everything that decides what it does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version of pathsmith that started it.
    pub version: String,
    /// A checksum of what that version generates from this seed and config. A version that
    /// generates other programs from the same numbers must not resume it.
    pub fingerprint: String,
    /// The targets, by their names.
    pub identities: BTreeMap<String, Identity>,
    /// The names of the targets that were asked for; none stands for all.
    pub targets: Vec<String>,
    /// Whether C is compiled with sanitizers.
    pub sanitize: bool,
    /// Everything that can be set. The target families are those that were found.
    pub config: FuzzConfig,
}

/// What a target is, besides its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Its version.
    pub version: String,
    /// The file that its command stands for.
    pub path: String,
}

/// The batches of one target family that are done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// All with smaller numbers are done.
    pub below: u64,
    /// Those beyond that are done too.
    pub ahead: BTreeSet<u64>,
    /// The targets and settings that batches among them could not be run on.
    pub missed: BTreeMap<u64, BTreeSet<String>>,
}

impl Done {
    /// Whether a batch is done.
    pub fn contains(&self, batch: u64) -> bool {
        batch < self.below || self.ahead.contains(&batch)
    }

    /// Takes note of a batch. Returns `false` if it is known already.
    pub fn insert(&mut self, batch: u64) -> bool {
        if self.contains(batch) || !self.ahead.insert(batch) {
            return false;
        }
        while self.ahead.remove(&self.below) {
            self.below += 1;
        }
        true
    }
}

/// The store of a campaign.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    database: Connection,
    /// Held by the one process that may write.
    _lock: Option<File>,
}

impl Store {
    /// Starts a campaign in `dir`, which is created if it is not there.
    ///
    /// # Errors
    /// If there is a campaign already, or nothing can be written.
    pub fn create(dir: &Path, header: &Header) -> Result<Self, StoreError> {
        std::fs::create_dir_all(dir).map_err(StoreError::io(dir))?;
        let lock = locked(dir)?;
        let path = dir.join(DATABASE);
        if path.exists() {
            return Err(StoreError::Exists(dir.to_owned()));
        }
        // A database that is not whole yet has another name.
        let unfinished = dir.join(format!("{DATABASE}.new"));
        remove_if_there(&unfinished)?;
        {
            let mut database = connected(&unfinished, OpenFlags::default())?;
            let failed = StoreError::sql(&path);
            let transaction = database.transaction().map_err(&failed)?;
            transaction.execute_batch(schema::TABLES).map_err(&failed)?;
            transaction.execute_batch(token::TABLE).map_err(&failed)?;
            transaction.execute_batch(versions::TABLE).map_err(&failed)?;
            let header = to_json(header, &path)?;
            transaction
                .execute("INSERT INTO campaign (id, header) VALUES (1, ?1)", [header])
                .map_err(&failed)?;
            transaction
                .pragma_update(None, "application_id", schema::APPLICATION)
                .map_err(&failed)?;
            transaction.pragma_update(None, "user_version", schema::VERSION).map_err(&failed)?;
            transaction.commit().map_err(&failed)?;
        }
        std::fs::rename(&unfinished, &path).map_err(StoreError::io(&path))?;
        let database = connected(&path, OpenFlags::default())?;
        Ok(Self { dir: dir.to_owned(), database, _lock: Some(lock) })
    }

    /// Opens the campaign in `dir` to resume it.
    ///
    /// # Errors
    /// If there is none, it is not whole or in another format, or another process runs it.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        if !dir.join(DATABASE).exists() {
            return Err(StoreError::None(dir.to_owned()));
        }
        check_no_link(&dir.join(DATABASE)).map_err(StoreError::io(&dir.join(DATABASE)))?;
        let lock = locked(dir)?;
        Self::connect(dir, OpenFlags::SQLITE_OPEN_READ_WRITE, Some(lock))
    }

    /// Opens the campaign in `dir` to look at it, whether another process runs it or not.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn read(dir: &Path) -> Result<Self, StoreError> {
        if !dir.join(DATABASE).exists() {
            return Err(StoreError::None(dir.to_owned()));
        }
        match Self::connect(dir, OpenFlags::SQLITE_OPEN_READ_ONLY, None) {
            Err(error) if error.is_read_only() => {
                // A process was killed in the middle of a transaction, which only who may write
                // can take back.
                drop(Self::open(dir)?);
                Self::connect(dir, OpenFlags::SQLITE_OPEN_READ_ONLY, None)
            }
            connected => connected,
        }
    }

    fn connect(dir: &Path, flags: OpenFlags, lock: Option<File>) -> Result<Self, StoreError> {
        let path = dir.join(DATABASE);
        let database = connected(&path, flags)?;
        check(&database, &path)?;
        Ok(Self { dir: dir.to_owned(), database, _lock: lock })
    }

    /// The campaign's folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The folder of a finding.
    ///
    /// # Errors
    /// If it is a symbolic link: it could lead anywhere.
    pub fn folder_of(&self, saved: &Saved) -> Result<PathBuf, StoreError> {
        let folder = self.dir.join(&saved.name);
        check_no_link(&folder).map_err(StoreError::io(&folder))?;
        Ok(folder)
    }

    fn path(&self) -> PathBuf {
        self.dir.join(DATABASE)
    }

    /// What the campaign is.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn header(&self) -> Result<Header, StoreError> {
        let query = "SELECT header FROM campaign";
        let text: String =
            self.database.query_row(query, [], |row| row.get(0)).map_err(self.sql())?;
        self.parsed(&text)
    }

    /// When it was started, as `2026-11-16 13:00:00` in universal time.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn started(&self) -> Result<String, StoreError> {
        let query = "SELECT started FROM campaign";
        self.database.query_row(query, [], |row| row.get(0)).map_err(self.sql())
    }

    /// Which batches are done, and their figures.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn progress(&self, family: TargetFamily) -> Result<(Done, Stats), StoreError> {
        let query = "SELECT done_below, stats FROM progress WHERE family = ?1";
        let known = self
            .database
            .query_row(query, [family.as_str()], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))
            .optional()
            .map_err(self.sql())?;
        let missed = self.missed(family)?;
        let Some((below, stats)) = known else {
            return Ok((Done { missed, ..Done::default() }, Stats::default()));
        };
        let mut rows = self
            .database
            .prepare("SELECT batch FROM ahead WHERE family = ?1")
            .map_err(self.sql())?;
        let ahead = rows.query_map([family.as_str()], |row| row.get(0)).map_err(self.sql())?;
        let ahead = ahead.collect::<Result<_, _>>().map_err(self.sql())?;
        Ok((Done { below, ahead, missed }, self.parsed(&stats)?))
    }

    /// The targets and settings that batches could not be run on.
    fn missed(&self, family: TargetFamily) -> Result<BTreeMap<u64, BTreeSet<String>>, StoreError> {
        let query = "SELECT batch, target FROM missed WHERE family = ?1";
        let mut statement = self.database.prepare(query).map_err(self.sql())?;
        let columns = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let rows = statement.query_map([family.as_str()], columns).map_err(self.sql())?;
        let mut missed: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
        for row in rows {
            let (batch, target) = row.map_err(self.sql())?;
            missed.entry(batch).or_default().insert(target);
        }
        Ok(missed)
    }

    /// Records that a batch is done, with its figures, the targets and settings that it could not be
    /// run on, and its cases that showed new features. If it is done already and nothing of it was missed, nothing is added.
    ///
    /// # Errors
    /// If it cannot be written; then nothing is.
    pub fn finish_batch(
        &mut self,
        family: TargetFamily,
        batch: u64,
        stats: &Stats,
        missed: &BTreeSet<String>,
        grown: &[Grown],
    ) -> Result<(), StoreError> {
        let (mut done, mut all) = self.progress(family)?;
        if !done.insert(batch) && !done.missed.contains_key(&batch) {
            return Ok(());
        }
        all.add_late(stats);
        let epoch = batch / EPOCH;
        let mut arms = self.arms(family)?.remove(&epoch).unwrap_or_default();
        for (arm, n) in &stats.arms {
            *arms.entry(arm.clone()).or_default() += n;
        }
        let path = self.path();
        let arms = to_json(&arms, &path)?;
        let failed = StoreError::sql(&path);
        let stats = to_json(&all, &path)?;
        let transaction = self
            .database
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(&failed)?;
        let name = family.as_str();
        transaction
            .execute("INSERT OR IGNORE INTO ahead VALUES (?1, ?2)", params![name, batch])
            .map_err(&failed)?;
        let query = "DELETE FROM missed WHERE family = ?1 AND batch = ?2";
        transaction.execute(query, params![name, batch]).map_err(&failed)?;
        for target in missed {
            let query = "INSERT INTO missed VALUES (?1, ?2, ?3)";
            transaction.execute(query, params![name, batch, target]).map_err(&failed)?;
        }
        growth::add_grown(&transaction, family, grown, &path)?;
        let query = "DELETE FROM ahead WHERE family = ?1 AND batch < ?2";
        transaction.execute(query, params![name, done.below]).map_err(&failed)?;
        let query = "INSERT OR REPLACE INTO arms VALUES (?1, ?2, ?3)";
        transaction.execute(query, params![name, epoch, arms]).map_err(&failed)?;
        let query = "INSERT OR REPLACE INTO progress VALUES (?1, ?2, ?3)";
        transaction.execute(query, params![name, done.below, stats]).map_err(&failed)?;
        transaction.commit().map_err(&failed)
    }

    fn sql(&self) -> impl Fn(rusqlite::Error) -> StoreError + use<> {
        StoreError::sql(&self.path())
    }

    fn parsed<T: serde::de::DeserializeOwned>(&self, text: &str) -> Result<T, StoreError> {
        serde_json::from_str(text)
            .map_err(|error| StoreError::Damaged { path: self.path(), why: error.to_string() })
    }
}

fn to_json(value: &impl Serialize, path: &Path) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::io(path)(error.into()))
}

/// Takes the lock that a process needs to write. It goes with the process, however that ends.
fn locked(dir: &Path) -> Result<File, StoreError> {
    let path = dir.join(LOCK);
    check_no_link(&path).map_err(StoreError::io(&path))?;
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(StoreError::io(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse(dir.to_owned())),
        Err(TryLockError::Error(source)) => Err(StoreError::Io { path, source }),
    }
}

fn connected(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let failed = StoreError::sql(path);
    let database = Connection::open_with_flags(path, flags).map_err(&failed)?;
    database.busy_timeout(std::time::Duration::from_secs(30)).map_err(&failed)?;
    // What is committed is on the disk: a campaign has to survive a reboot.
    database.pragma_update(None, "synchronous", "FULL").map_err(&failed)?;
    Ok(database)
}

/// Says what is wrong with a file that is not a whole store of this version.
fn check(database: &Connection, path: &Path) -> Result<(), StoreError> {
    let failed = StoreError::sql(path);
    let number =
        |pragma: &str| database.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    if number("application_id").map_err(&failed)? != schema::APPLICATION {
        return Err(StoreError::NotOurs(path.to_owned()));
    }
    let version = number("user_version").map_err(&failed)?;
    if version != schema::VERSION {
        let (path, format, ours) = (path.to_owned(), version, schema::VERSION);
        let written_by = written_by(database);
        return Err(match format < ours {
            true => StoreError::Older { path, format, ours, written_by },
            false => StoreError::Newer { path, format, ours, written_by },
        });
    }
    let found: String =
        database.pragma_query_value(None, "quick_check", |row| row.get(0)).map_err(&failed)?;
    match found == "ok" {
        true => Ok(()),
        false => Err(StoreError::Damaged { path: path.to_owned(), why: found }),
    }
}

/// The version of pathsmith that wrote a store of whatever format. All formats so far have the
/// header as JSON in the same place.
fn written_by(database: &Connection) -> String {
    let header = database.query_row("SELECT header FROM campaign", [], |row| row.get(0));
    let header = header.ok().and_then(|text: String| serde_json::from_str(&text).ok());
    let version = header.and_then(|header: serde_json::Value| {
        header.get("version").and_then(|version| version.as_str()).map(str::to_owned)
    });
    version.unwrap_or_else(|| "of an unknown version".to_owned())
}

fn remove_if_there(path: &Path) -> Result<(), StoreError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(StoreError::io(path)(error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
