-- Passkeys of people. They sign approvals once a second person has confirmed them.
CREATE TABLE passkeys (
    id TEXT NOT NULL PRIMARY KEY,
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    -- The host that it is for.
    rp_id TEXT NOT NULL,
    -- By which the authenticator knows it.
    credential_id BYTEA NOT NULL UNIQUE,
    -- SubjectPublicKeyInfo in DER.
    public_key BYTEA NOT NULL,
    is_backup_eligible BIGINT NOT NULL,
    -- JSON: all identities of the session that enrolled it; none of them counts as the second person.
    enrolled_by TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    confirmed_at_ms BIGINT,
    -- JSON: all identities of the session that confirmed it, with their names at that time.
    confirmed_by TEXT,
    -- The authenticator's counter when it was used last.
    sign_count BIGINT NOT NULL,
    used_at_ms BIGINT,
    mac BYTEA,
    UNIQUE (identity_id, name_key)
);
