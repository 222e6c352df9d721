//! What versions of targets make of findings, in a store.

use rusqlite::{OptionalExtension, params};

use super::{Store, StoreError, to_json};
use crate::versions::Versions;

/// Stores of earlier versions have no such table until something is written into it; that they have
/// one does not keep earlier versions from reading them. So it has no format of its own.
pub(super) const TABLE: &str = "
CREATE TABLE IF NOT EXISTS versions (
    finding INTEGER PRIMARY KEY REFERENCES findings,
    versions TEXT NOT NULL
);
";

impl Store {
    /// Records what versions of its target make of a finding.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save_versions(&mut self, id: i64, versions: &Versions) -> Result<(), StoreError> {
        let json = to_json(versions, &self.path())?;
        self.database.execute_batch(TABLE).map_err(self.sql())?;
        let query = "INSERT OR REPLACE INTO versions VALUES (?1, ?2)";
        self.database.execute(query, params![id, json]).map_err(self.sql())?;
        Ok(())
    }

    /// What versions of its target make of a finding, if that is known.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn versions(&self, id: i64) -> Result<Option<Versions>, StoreError> {
        let has_table = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'versions')";
        if !self.database.query_row(has_table, [], |row| row.get(0)).map_err(self.sql())? {
            return Ok(None);
        }
        let query = "SELECT versions FROM versions WHERE finding = ?1";
        let found: Option<String> = self
            .database
            .query_row(query, [id], |row| row.get(0))
            .optional()
            .map_err(self.sql())?;
        found.map(|json| self.parsed(&json)).transpose()
    }
}
