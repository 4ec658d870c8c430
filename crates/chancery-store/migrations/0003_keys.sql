-- Keys: data keys, the keys of certificate authorities and of signing services.
CREATE TABLE keys (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    -- The name folded to one letter case.
    name_key TEXT NOT NULL,
    key_type_id TEXT NOT NULL,
    spec TEXT NOT NULL,
    purpose TEXT NOT NULL,
    -- JSON: an array of usages.
    usages TEXT NOT NULL,
    state TEXT NOT NULL,
    -- The first token algorithm that used the key; it stays.
    bound_algorithm TEXT,
    current_version BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL
);
-- People choose data keys by name; the keys of certificates are named after them.
CREATE UNIQUE INDEX keys_data_name ON keys (name_key) WHERE purpose = 'Data';
CREATE INDEX keys_name ON keys (name_key, id);

-- The sealed bytes of every version.
CREATE TABLE key_versions (
    key_id TEXT NOT NULL REFERENCES keys (id),
    version BIGINT NOT NULL,
    sealed BYTEA NOT NULL,
    public_key BYTEA,
    created_at_ms BIGINT NOT NULL,
    PRIMARY KEY (key_id, version)
);
