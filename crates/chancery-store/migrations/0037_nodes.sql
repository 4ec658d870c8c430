-- The servers that run on this database, each with a row that it alone writes: it tells by it whether it can write, and
-- whether counts that it does not know to be written were.
CREATE TABLE nodes (
    id TEXT NOT NULL PRIMARY KEY,
    -- The last parcel of counts that was written.
    counts_written BIGINT NOT NULL,
    seen_at_ms BIGINT NOT NULL
);
