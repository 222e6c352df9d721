//! Findings in a store.

use pathsmith_oracles::Verdict;
use rusqlite::{OptionalExtension, Row, TransactionBehavior, params};

use super::{Store, StoreError, to_json};
use crate::family::TargetFamily;
use crate::file_names::check_name;
use crate::finding::Finding;

/// A finding as it is in a store.
#[derive(Clone, Debug)]
pub struct Saved {
    /// Its number in the store.
    pub id: i64,
    /// The target family.
    pub family: TargetFamily,
    /// The name of its folder.
    pub name: String,
    /// Everything else, but for its files.
    pub finding: Finding,
}

/// How far a finding is reduced.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// Whether nothing is left to try.
    pub is_done: bool,
    /// How many programs were tried.
    pub n_tests: u64,
    /// What it was reduced to.
    pub finding: Finding,
}

/// Something that was seen once, and not again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaky {
    /// The target family.
    pub family: TargetFamily,
    /// The batch.
    pub batch: u64,
    /// Its first case.
    pub number: u64,
    /// Which variant of the case.
    pub variant: u32,
    /// What was seen.
    pub verdict: Verdict,
    /// On which target.
    pub target: String,
    /// What the target said.
    pub why: String,
}

impl Store {
    /// Records a finding. Returns `None` if it is recorded already.
    ///
    /// # Errors
    /// If it cannot be written; then nothing is.
    pub fn record(
        &mut self,
        family: TargetFamily,
        finding: &Finding,
    ) -> Result<Option<Saved>, StoreError> {
        let path = self.path();
        let failed = StoreError::sql(&path);
        let transaction = self
            .database
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(&failed)?;
        let base = finding.name();
        let mut name = base.clone();
        let mut n = 1;
        let is_taken = "SELECT EXISTS (SELECT 1 FROM findings WHERE name = ?1)";
        while transaction.query_row(is_taken, [&name], |row| row.get(0)).map_err(&failed)? {
            n += 1;
            name = format!("{base}-{n}");
        }
        let query = "INSERT OR IGNORE INTO findings
            (family, batch, number, variant, verdict, target, setting, name, size, finding, cluster,
             signature)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
        let values = params![
            family.as_str(),
            finding.batch,
            finding.number,
            finding.variant,
            finding.verdict.name(),
            finding.target.name,
            finding.target.setting.to_string(),
            name,
            finding.size() as u64,
            to_json(finding, &path)?,
            finding.signature.as_ref().map(pathsmith_oracles::Signature::key),
            finding.signature.as_ref().map(|known| to_json(known, &path)).transpose()?,
        ];
        let is_new = transaction.execute(query, values).map_err(&failed)? > 0;
        let id = transaction.last_insert_rowid();
        transaction.commit().map_err(&failed)?;
        Ok(is_new.then(|| Saved { id, family, name, finding: finding.clone() }))
    }

    /// Records what a finding is deduplicated by.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn sign(
        &mut self,
        id: i64,
        signature: &pathsmith_oracles::Signature,
    ) -> Result<(), StoreError> {
        let query = "UPDATE findings SET cluster = ?2, signature = ?3 WHERE id = ?1";
        let json = to_json(signature, &self.path())?;
        let values = params![id, signature.key(), json];
        self.database.execute(query, values).map_err(self.sql())?;
        Ok(())
    }

    /// Records how far a finding is reduced.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save_reduction(&mut self, id: i64, reduction: &Reduction) -> Result<(), StoreError> {
        let query = "INSERT OR REPLACE INTO reductions VALUES (?1, ?2, ?3, ?4, ?5)";
        let Reduction { is_done, n_tests, finding } = reduction;
        let json = to_json(finding, &self.path())?;
        let values = params![id, is_done, n_tests, finding.size() as u64, json];
        self.database.execute(query, values).map_err(self.sql())?;
        Ok(())
    }

    /// How far a finding is reduced, if that was started.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn reduction(&self, id: i64) -> Result<Option<Reduction>, StoreError> {
        let query = "SELECT is_done, n_tests, reduced FROM reductions WHERE finding = ?1";
        let known = self
            .database
            .query_row(query, [id], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, String>(2)?)))
            .optional()
            .map_err(self.sql())?;
        let Some((is_done, n_tests, json)) = known else { return Ok(None) };
        Ok(Some(Reduction { is_done, n_tests, finding: self.parsed(&json)? }))
    }

    /// The numbers of all findings, in the order of their batches.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn ids(&self) -> Result<Vec<i64>, StoreError> {
        self.numbers("SELECT id FROM findings ORDER BY family, batch, id")
    }

    /// The numbers of the findings that have no signature yet.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn unsigned(&self) -> Result<Vec<i64>, StoreError> {
        self.numbers("SELECT id FROM findings WHERE cluster IS NULL ORDER BY family, batch, id")
    }

    /// For each cluster of which no member is reduced: its smallest one, or the one whose reduction
    /// was started.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn unreduced(&self) -> Result<Vec<i64>, StoreError> {
        self.numbers(
            "SELECT id FROM (
                SELECT id, cluster, ROW_NUMBER() OVER (
                    PARTITION BY cluster
                    ORDER BY (r.finding IS NULL), findings.size, id
                ) AS rank
                FROM findings LEFT JOIN reductions r ON r.finding = id
                WHERE cluster IS NOT NULL AND cluster NOT IN (
                    SELECT cluster FROM findings JOIN reductions ON reductions.finding = id
                    WHERE reductions.is_done
                )
            ) WHERE rank = 1 ORDER BY id",
        )
    }

    /// The clusters, each with its members, the smallest first (as reduced, if it is).
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn clusters(&self) -> Result<Vec<(String, Vec<i64>)>, StoreError> {
        let query = "SELECT cluster, id FROM findings
            LEFT JOIN reductions r ON r.finding = id
            WHERE cluster IS NOT NULL
            ORDER BY cluster, COALESCE(r.size, findings.size), id";
        let mut statement = self.database.prepare(query).map_err(self.sql())?;
        let rows = statement
            .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))
            .map_err(self.sql())?;
        let mut clusters: Vec<(String, Vec<i64>)> = Vec::new();
        for row in rows {
            let (key, id) = row.map_err(self.sql())?;
            match clusters.last_mut() {
                Some((last, members)) if *last == key => members.push(id),
                _ => clusters.push((key, vec![id])),
            }
        }
        Ok(clusters)
    }

    /// A finding by its number.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn finding(&self, id: i64) -> Result<Saved, StoreError> {
        self.saved("id = ?1", id)?.ok_or_else(|| self.lacks(&format!("finding {id}")))
    }

    /// A finding by the name of its folder.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn finding_named(&self, name: &str) -> Result<Option<Saved>, StoreError> {
        self.saved("name = ?1", name)
    }

    fn saved(
        &self,
        condition: &str,
        value: impl rusqlite::ToSql,
    ) -> Result<Option<Saved>, StoreError> {
        let query =
            format!("SELECT id, family, name, finding, signature FROM findings WHERE {condition}");
        type Columns = (i64, String, String, String, Option<String>);
        let columns = |row: &Row<'_>| -> rusqlite::Result<Columns> {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        };
        let found =
            self.database.query_row(&query, [value], columns).optional().map_err(self.sql())?;
        let Some((id, family, name, json, signature)) = found else { return Ok(None) };
        check_name(&name).map_err(|why| StoreError::Damaged {
            path: self.path(),
            why: format!("of finding {id}, {why}"),
        })?;
        let mut finding: Finding = self.parsed(&json)?;
        finding.signature = signature.map(|json| self.parsed(&json)).transpose()?;
        Ok(Some(Saved { id, family: self.family(&family)?, name, finding }))
    }

    /// How many findings there are of each verdict.
    ///
    /// # Errors
    /// If they cannot be counted.
    pub fn counts(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let query = "SELECT verdict, COUNT(*) FROM findings GROUP BY verdict ORDER BY verdict";
        let mut statement = self.database.prepare(query).map_err(self.sql())?;
        let rows =
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).map_err(self.sql())?;
        rows.collect::<Result<_, _>>().map_err(self.sql())
    }

    /// Records something flaky.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn record_flaky(&mut self, flaky: &Flaky) -> Result<(), StoreError> {
        let query = "INSERT OR IGNORE INTO flaky VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let Flaky { family, batch, number, variant, verdict, target, why } = flaky;
        let verdict = to_json(verdict, &self.path())?;
        let values = params![family.as_str(), batch, number, variant, verdict, target, why];
        self.database.execute(query, values).map_err(self.sql())?;
        Ok(())
    }

    /// Everything that was flaky.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn flaky(&self) -> Result<Vec<Flaky>, StoreError> {
        let query = "SELECT family, batch, number, variant, verdict, target, why FROM flaky";
        let columns = |row: &Row<'_>| -> rusqlite::Result<(String, String, Flaky)> {
            let flaky = Flaky {
                // These two are read from their names below.
                family: TargetFamily::C,
                verdict: Verdict::Agrees,
                batch: row.get(1)?,
                number: row.get(2)?,
                variant: row.get(3)?,
                target: row.get(5)?,
                why: row.get(6)?,
            };
            Ok((row.get(0)?, row.get(4)?, flaky))
        };
        self.named(query, columns, |flaky, family, verdict| Flaky { family, verdict, ..flaky })
    }

    /// The rows of a query whose columns give, besides a record, the names of its family and of its
    /// verdict, which `complete` adds to it.
    pub(super) fn named<T>(
        &self,
        query: &str,
        columns: impl Fn(&Row<'_>) -> rusqlite::Result<(String, String, T)>,
        complete: impl Fn(T, TargetFamily, Verdict) -> T,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.database.prepare(query).map_err(self.sql())?;
        let rows = statement.query_map([], columns).map_err(self.sql())?;
        let mut all = Vec::new();
        for row in rows {
            let (family, verdict, record) = row.map_err(self.sql())?;
            all.push(complete(record, self.family(&family)?, self.parsed(&verdict)?));
        }
        Ok(all)
    }

    fn numbers(&self, query: &str) -> Result<Vec<i64>, StoreError> {
        let mut statement = self.database.prepare(query).map_err(self.sql())?;
        let rows = statement.query_map([], |row| row.get(0)).map_err(self.sql())?;
        rows.collect::<Result<_, _>>().map_err(self.sql())
    }

    pub(super) fn family(&self, name: &str) -> Result<TargetFamily, StoreError> {
        TargetFamily::named(name).ok_or_else(|| self.lacks(&format!("the target family {name}")))
    }

    fn lacks(&self, what: &str) -> StoreError {
        StoreError::Damaged { path: self.path(), why: format!("{what} is not known") }
    }
}
