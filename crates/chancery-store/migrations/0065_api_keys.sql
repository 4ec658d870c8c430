-- Keys by which identities log in, of which only keyed hashes are kept.
CREATE TABLE api_keys (
    id TEXT NOT NULL PRIMARY KEY,
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- The name folded to one letter case.
    name_key TEXT NOT NULL,
    key_hash BYTEA NOT NULL UNIQUE,
    -- Which secret this is: one more with each rotation.
    version BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    rotated_at_ms BIGINT,
    expires_at_ms BIGINT,
    -- The secret of before, and until when it goes on.
    previous_hash BYTEA UNIQUE,
    previous_until_ms BIGINT,
    -- JSON: from where it may be used, and what it is restricted to.
    content TEXT NOT NULL,
    mac BYTEA,
    UNIQUE (identity_id, name_key)
);
CREATE INDEX api_keys_ending ON api_keys (expires_at_ms, id) WHERE expires_at_ms IS NOT NULL;

-- When their secrets were last used, to some minutes.
CREATE TABLE api_key_uses (
    key_id TEXT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
    version BIGINT NOT NULL,
    used_at_ms BIGINT NOT NULL,
    PRIMARY KEY (key_id, version)
);
