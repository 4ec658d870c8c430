-- What changed, without a row that everybody who changes something has to lock until the commit. A node loads everything
-- when it starts, so nothing of the old table is kept.
DROP TABLE changes;
DELETE FROM counters WHERE name = 'changes';

-- SQLite:
-- Writers take turns, so the numbers are in the order of commits.
CREATE TABLE changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    object TEXT,
    at_ms BIGINT NOT NULL DEFAULT (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER))
);

-- PostgreSQL:
-- Numbers are taken long before they are seen: what was seen is told by transactions.
CREATE TABLE changes (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind TEXT NOT NULL,
    object TEXT,
    at_ms BIGINT NOT NULL DEFAULT (CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)),
    xid xid8 NOT NULL DEFAULT (pg_current_xact_id())
);
CREATE INDEX changes_by_transaction ON changes (xid);

-- Both:
CREATE INDEX changes_at ON changes (at_ms);
