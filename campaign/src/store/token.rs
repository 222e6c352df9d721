//! The token of a store: a random number that says which campaign it is.

use rusqlite::OptionalExtension;

use super::{Store, StoreError, connected};

/// The one row is made with the table. Stores of earlier versions have none.
pub(super) const TABLE: &str = "
CREATE TABLE IF NOT EXISTS token (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    token TEXT NOT NULL DEFAULT (lower(hex(randomblob(16))))
);
INSERT OR IGNORE INTO token (id) VALUES (1);
";

impl Store {
    /// The token; nothing if the store was made by an earlier version.
    ///
    /// # Errors
    /// If it cannot be read, or is not what this program writes.
    pub fn token(&self) -> Result<Option<String>, StoreError> {
        let has_table = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'token')";
        if !self.database.query_row(has_table, [], |row| row.get(0)).map_err(self.sql())? {
            return Ok(None);
        }
        let query = "SELECT token FROM token WHERE id = 1";
        let found: Option<String> =
            self.database.query_row(query, [], |row| row.get(0)).optional().map_err(self.sql())?;
        // It becomes the name of a file.
        let is_valid = |token: &String| {
            token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        match found {
            Some(token) if !is_valid(&token) => {
                let why = format!("its token {token:?} is not 32 hexadecimal digits");
                Err(StoreError::Damaged { path: self.path(), why })
            }
            other => Ok(other),
        }
    }

    /// The token, which is made if there is none yet.
    ///
    /// # Errors
    /// As for [`token`](Self::token), and if it cannot be written.
    pub fn make_token(&self) -> Result<Option<String>, StoreError> {
        if self.token()?.is_none() {
            // This store may have been opened for reading only.
            let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE;
            connected(&self.path(), flags)?.execute_batch(TABLE).map_err(self.sql())?;
        }
        self.token()
    }
}
