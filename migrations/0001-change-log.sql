-- The change log. Checksums are made and checked by src/storage/ (chain.ts says over what); SQLite keeps bytes.

-- One row: where the log begins and ends, the snapshot in use, and sums over the registrations.
CREATE TABLE head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  body TEXT NOT NULL,
  checksum TEXT NOT NULL
) STRICT;

-- Append-only, one row per change record. Text columns hold TEXT, or a BLOB of raw deflate where that is smaller.
-- revision: the last revision once this row holds. notified: JSON array of the durable subscriptions it concerns.
CREATE TABLE log (
  position INTEGER PRIMARY KEY,
  revision INTEGER NOT NULL,
  has_transaction INTEGER NOT NULL,
  wall_ms REAL NOT NULL,
  bytes INTEGER NOT NULL,
  seal BLOB NOT NULL,
  notified TEXT NOT NULL,
  asserted ANY NOT NULL,
  retracted ANY NOT NULL,
  derived_added ANY NOT NULL,
  derived_removed ANY NOT NULL,
  notifications ANY NOT NULL
) STRICT;

-- Current state of subscriptions, insertions, documents and claims, changed together with the log. body: JSON.
CREATE TABLE registration (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  body TEXT NOT NULL,
  checksum TEXT NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  id TEXT PRIMARY KEY,
  wall_ms REAL NOT NULL,
  body TEXT NOT NULL,
  checksum TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_time ON idempotency (wall_ms);

-- Asserted quads at the revision of a snapshot; id = snapshot number * 1,000,000 + piece number.
CREATE TABLE snapshot_piece (
  id INTEGER PRIMARY KEY,
  quads ANY NOT NULL,
  checksum TEXT NOT NULL
) STRICT;
