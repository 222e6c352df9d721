//! Cases that showed new features, in a store.

use std::sync::Arc;

use pathsmith_symlang::lang::text::parse;
use rusqlite::{Row, Transaction, params};

use super::{Store, StoreError, to_json};
use crate::case_name::case_name;
use crate::family::TargetFamily;
use crate::growth::Grown;

impl Store {
    /// All of them, in the order of their batches, and for each whose program cannot be read, why. A
    /// campaign can do without some of the programs that it makes variants of.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn grown(&self, family: TargetFamily) -> Result<(Vec<Grown>, Vec<String>), StoreError> {
        let query = "SELECT batch, number, variant, features, program FROM grown
            WHERE family = ?1 ORDER BY batch, number, variant";
        let mut statement = self.database.prepare(query).map_err(self.sql())?;
        type Columns = (u64, u64, u32, String, String);
        let columns = |row: &Row<'_>| -> rusqlite::Result<Columns> {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        };
        let rows = statement.query_map([family.as_str()], columns).map_err(self.sql())?;
        let (mut all, mut unreadable) = (Vec::new(), Vec::new());
        for row in rows {
            let (batch, number, variant, features, text) = row.map_err(self.sql())?;
            let features = self.parsed(&features)?;
            match parse("program", &text) {
                Ok(program) => {
                    let program = Arc::new(program);
                    all.push(Grown { batch, number, variant, program, features });
                }
                Err(error) => unreadable.push(format!(
                    "case {}, which showed a new feature, is left out: the program in {}: {error}",
                    case_name(number, variant),
                    self.path().display()
                )),
            }
        }
        Ok((all, unreadable))
    }
}

/// Adds those of a batch.
pub(super) fn add_grown(
    transaction: &Transaction<'_>,
    family: TargetFamily,
    grown: &[Grown],
    path: &std::path::Path,
) -> Result<(), StoreError> {
    for Grown { batch, number, variant, program, features } in grown {
        let features = to_json(features, path)?;
        let query = "INSERT OR IGNORE INTO grown VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let text = program.to_string();
        let values = params![family.as_str(), batch, number, variant, features, text];
        transaction.execute(query, values).map_err(StoreError::sql(path))?;
    }
    Ok(())
}
