//! The tables of a store.

/// What SQLite writes into the file to say whose it is: `path` in ASCII.
pub(super) const APPLICATION: i64 = 0x7061_7468;

/// Which tables there are, and what is written into them. A store with another number is another
/// version's.
pub(super) const VERSION: i64 = 2;

/// Batches are finished out of order. All below `done_below` are done, and those in `ahead`; so
/// the table stays as small as the number of threads.
///
/// A finding is known by where it comes from: a batch that is run again, because it was not
/// finished, finds nothing twice.
pub(super) const TABLES: &str = "
CREATE TABLE campaign (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    begun TEXT NOT NULL DEFAULT (datetime('now')),
    header TEXT NOT NULL
);
CREATE TABLE progress (
    kind TEXT PRIMARY KEY,
    done_below INTEGER NOT NULL,
    stats TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE ahead (
    kind TEXT NOT NULL,
    batch INTEGER NOT NULL,
    PRIMARY KEY (kind, batch)
) WITHOUT ROWID;
CREATE TABLE findings (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    batch INTEGER NOT NULL,
    number INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    target TEXT NOT NULL,
    setting TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    finding TEXT NOT NULL,
    cluster TEXT,
    signature TEXT,
    UNIQUE (kind, batch, number, target, setting, verdict)
);
CREATE INDEX by_cluster ON findings (cluster, size);
CREATE TABLE reductions (
    finding INTEGER PRIMARY KEY REFERENCES findings,
    is_done INTEGER NOT NULL,
    n_tests INTEGER NOT NULL,
    size INTEGER NOT NULL,
    reduced TEXT NOT NULL
);
CREATE TABLE flaky (
    kind TEXT NOT NULL,
    batch INTEGER NOT NULL,
    number INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    target TEXT NOT NULL,
    why TEXT NOT NULL,
    PRIMARY KEY (kind, batch, number, verdict, target)
) WITHOUT ROWID;
";
