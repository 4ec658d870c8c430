-- Audit records that are no longer at hand: parts of the ledger, the oldest first, as compressed lines of an export. Records
-- that the server itself still asks for stay in their table.
CREATE TABLE audit_archives (
    -- Which leaves of the ledger: from this one on, so many.
-- SQLite:
    first_leaf INTEGER PRIMARY KEY,
-- PostgreSQL:
    first_leaf BIGINT NOT NULL PRIMARY KEY,
-- Both:
    leaves BIGINT NOT NULL,
    -- Records in it, and the times of the oldest and the newest of them.
    records BIGINT NOT NULL,
    first_at_ms BIGINT NOT NULL,
    last_at_ms BIGINT NOT NULL,
    made_at_ms BIGINT NOT NULL,
    -- The lines' length and SHA-256 before they were compressed.
    bytes BIGINT NOT NULL,
    sha256 BYTEA NOT NULL,
    lines BYTEA NOT NULL
);
