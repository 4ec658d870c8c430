-- A version of a key says where its secret half is: `backend` names the place outside of the database that keeps it. Where
-- it is NULL the secret is here, sealed; it is so in all rows that are there, whose MACs therefore stay good.

-- SQLite:
CREATE TABLE key_versions_new (
    key_id TEXT NOT NULL REFERENCES keys (id),
    version BIGINT NOT NULL,
    sealed BYTEA,
    public_key BYTEA,
    created_at_ms BIGINT NOT NULL,
    mac BYTEA,
    backend TEXT,
    PRIMARY KEY (key_id, version),
    CONSTRAINT key_versions_sealed_here CHECK ((sealed IS NULL) <> (backend IS NULL))
);
INSERT INTO key_versions_new (key_id, version, sealed, public_key, created_at_ms, mac)
    SELECT key_id, version, sealed, public_key, created_at_ms, mac FROM key_versions ORDER BY rowid;
DROP TABLE key_versions;
ALTER TABLE key_versions_new RENAME TO key_versions;

-- PostgreSQL:
ALTER TABLE key_versions ALTER COLUMN sealed DROP NOT NULL;
ALTER TABLE key_versions ADD COLUMN backend TEXT;
ALTER TABLE key_versions ADD CONSTRAINT key_versions_sealed_here CHECK ((sealed IS NULL) <> (backend IS NULL));
