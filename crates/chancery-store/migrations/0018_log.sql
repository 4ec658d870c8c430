-- The transparency log: what was signed and issued, as leaves of a Merkle tree.
CREATE TABLE log_entries (
    -- The order in which they were added, which need not be that of their commits.
    seq SERIAL_KEY,
    -- The signing request or the certificate that it tells of, and which of the request's signatures.
    object_id TEXT NOT NULL,
    item BIGINT NOT NULL,
    leaf BYTEA NOT NULL,
    -- What opens the commitment in an internal leaf: never in the log itself.
    salt BYTEA,
    -- Its place in the tree; NULL until it is given one. No two have the same, whatever the program thinks.
    log_index BIGINT UNIQUE,
    UNIQUE (object_id, item)
);
CREATE INDEX log_entries_pending ON log_entries (seq) WHERE log_index IS NULL;

-- The tree's hashes in the tiles of C2SP tlog-tiles; the last one of a level grows until it has 256.
CREATE TABLE log_tiles (
    level BIGINT NOT NULL,
    tile BIGINT NOT NULL,
    hashes BYTEA NOT NULL,
    PRIMARY KEY (level, tile)
);

-- The one log of the installation: its name, its sealed key, and the newest checkpoint.
CREATE TABLE logs (
    id BIGINT NOT NULL PRIMARY KEY,
    origin TEXT NOT NULL,
    key_id TEXT NOT NULL,
    sealed BYTEA NOT NULL,
    public_key BYTEA NOT NULL,
    size BIGINT NOT NULL,
    checkpoint TEXT NOT NULL
);

-- Whether the log tells what a service signed, or only that something was.
ALTER TABLE services ADD COLUMN log TEXT NOT NULL DEFAULT 'Public';
