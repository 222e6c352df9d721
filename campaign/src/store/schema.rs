//! The tables of a store.

/// What SQLite writes into the file to say whose it is: `path` in ASCII.
pub(super) const APPLICATION: i64 = 0x7061_7468;

/// The format of the store: which tables there are, and what is written into them. This version
/// reads no other.
///
/// 6: cases that showed new features; findings of variants say where those come from.
pub(super) const VERSION: i64 = 6;

/// Batches are finished out of order. All below `done_below` are done, and those in `ahead`; so
/// the table stays as small as the number of threads.
///
/// A finding is known by where it comes from: a batch that runs again, because it was not finished,
/// finds nothing twice. Variant 0 of a case is the case as it was generated. Failures of known bugs
/// are in `sightings`, each with the known bug, or with the finding of the same function, that it is
/// counted under. A batch in `missed` is done for all targets but these. `arms` counts functions by
/// what was drawn for them, for a number of batches at once. `grown` has the cases that showed
/// features that were news to their batch.
pub(super) const TABLES: &str = "
CREATE TABLE campaign (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    started TEXT NOT NULL DEFAULT (datetime('now')),
    header TEXT NOT NULL
);
CREATE TABLE progress (
    family TEXT PRIMARY KEY,
    done_below INTEGER NOT NULL,
    stats TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE ahead (
    family TEXT NOT NULL,
    batch INTEGER NOT NULL,
    PRIMARY KEY (family, batch)
) WITHOUT ROWID;
CREATE TABLE missed (
    family TEXT NOT NULL,
    batch INTEGER NOT NULL,
    target TEXT NOT NULL,
    PRIMARY KEY (family, batch, target)
) WITHOUT ROWID;
CREATE TABLE findings (
    id INTEGER PRIMARY KEY,
    family TEXT NOT NULL,
    batch INTEGER NOT NULL,
    number INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    target TEXT NOT NULL,
    setting TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    finding TEXT NOT NULL,
    cluster TEXT,
    signature TEXT,
    UNIQUE (family, batch, number, variant, target, setting, verdict)
);
CREATE INDEX by_cluster ON findings (cluster, size);
CREATE TABLE reductions (
    finding INTEGER PRIMARY KEY REFERENCES findings,
    is_done INTEGER NOT NULL,
    n_tests INTEGER NOT NULL,
    size INTEGER NOT NULL,
    reduced TEXT NOT NULL
);
CREATE TABLE sightings (
    family TEXT NOT NULL,
    batch INTEGER NOT NULL,
    number INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    target TEXT NOT NULL,
    setting TEXT NOT NULL,
    known TEXT,
    first_setting TEXT,
    cluster TEXT,
    PRIMARY KEY (family, batch, number, variant, target, setting, verdict)
) WITHOUT ROWID;
CREATE TABLE arms (
    family TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    counts TEXT NOT NULL,
    PRIMARY KEY (family, epoch)
) WITHOUT ROWID;
CREATE TABLE grown (
    family TEXT NOT NULL,
    batch INTEGER NOT NULL,
    number INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    features TEXT NOT NULL,
    program TEXT NOT NULL,
    PRIMARY KEY (family, batch, number, variant)
) WITHOUT ROWID;
CREATE TABLE flaky (
    family TEXT NOT NULL,
    batch INTEGER NOT NULL,
    number INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    target TEXT NOT NULL,
    why TEXT NOT NULL,
    PRIMARY KEY (family, batch, number, variant, verdict, target)
) WITHOUT ROWID;
";
