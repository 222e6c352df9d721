//! Failures of known bugs in a store.

use std::collections::BTreeMap;

use pathsmith_oracles::Verdict;
use rusqlite::{Row, params};

use super::{Store, StoreError, to_json};
use crate::family::TargetFamily;
use crate::shares::ArmCounts;
use crate::sighting::{CountedUnder, Sighting};

impl Store {
    /// Records a failure of a known bug. Returns `false` if it is recorded already.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn record_sighting(&mut self, sighting: &Sighting) -> Result<bool, StoreError> {
        let query =
            "INSERT OR IGNORE INTO sightings VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        let Sighting { family, batch, number, variant, verdict, target, setting, under } = sighting;
        let verdict = to_json(verdict, &self.path())?;
        let (known, first_setting, cluster) = match under {
            CountedUnder::Known(name) => (Some(name), None, None),
            CountedUnder::Finding { setting, cluster } => (None, Some(setting), Some(cluster)),
        };
        let values = params![
            family.as_str(),
            batch,
            number,
            variant,
            verdict,
            target,
            setting,
            known,
            first_setting,
            cluster
        ];
        Ok(self.database.execute(query, values).map_err(self.sql())? > 0)
    }

    /// All failures of known bugs, in the order of their batches.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn sightings(&self) -> Result<Vec<Sighting>, StoreError> {
        let query =
            "SELECT * FROM sightings ORDER BY family, batch, number, variant, target, setting";
        let columns = |row: &Row<'_>| -> rusqlite::Result<(String, String, Sighting)> {
            let known: Option<String> = row.get(7)?;
            let under = match known {
                Some(name) => CountedUnder::Known(name),
                None => CountedUnder::Finding { setting: row.get(8)?, cluster: row.get(9)? },
            };
            let sighting = Sighting {
                // These two are read from their names below.
                family: TargetFamily::C,
                verdict: Verdict::Agrees,
                batch: row.get(1)?,
                number: row.get(2)?,
                variant: row.get(3)?,
                target: row.get(5)?,
                setting: row.get(6)?,
                under,
            };
            Ok((row.get(0)?, row.get(4)?, sighting))
        };
        self.named(query, columns, |sighting, family, verdict| Sighting {
            family,
            verdict,
            ..sighting
        })
    }

    /// How many failures of known bugs there are.
    ///
    /// # Errors
    /// If they cannot be counted.
    pub fn n_sightings(&self) -> Result<u64, StoreError> {
        let query = "SELECT COUNT(*) FROM sightings";
        self.database.query_row(query, [], |row| row.get(0)).map_err(self.sql())
    }

    /// How many functions of each arm there are in each epoch.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn arms(&self, family: TargetFamily) -> Result<BTreeMap<u64, ArmCounts>, StoreError> {
        let query = "SELECT epoch, counts FROM arms WHERE family = ?1";
        let mut statement = self.database.prepare(query).map_err(self.sql())?;
        let rows = statement
            .query_map([family.as_str()], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))
            .map_err(self.sql())?;
        let mut arms = BTreeMap::new();
        for row in rows {
            let (epoch, json) = row.map_err(self.sql())?;
            arms.insert(epoch, self.parsed(&json)?);
        }
        Ok(arms)
    }
}
