-- Who did what, or was refused. Only `count` ever changes, and only in rows that have a `tally`.
CREATE TABLE audit (
    seq SERIAL_KEY,
    at_ms BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    source TEXT NOT NULL,
    identities TEXT NOT NULL,
    action TEXT NOT NULL,
    object TEXT,
    outcome TEXT NOT NULL,
    detail TEXT NOT NULL,
    -- Rows that stand for many calls are found again by this key and counted up.
    tally TEXT,
    count BIGINT NOT NULL
);
CREATE UNIQUE INDEX audit_tally ON audit (tally) WHERE tally IS NOT NULL;
CREATE INDEX audit_at ON audit (at_ms);
CREATE INDEX audit_object ON audit (object) WHERE object IS NOT NULL;
