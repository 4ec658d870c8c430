-- Who did what, or was refused. Rows are never changed.
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
    count BIGINT NOT NULL
);
CREATE INDEX audit_at ON audit (at_ms);
CREATE INDEX audit_object ON audit (object) WHERE object IS NOT NULL;
