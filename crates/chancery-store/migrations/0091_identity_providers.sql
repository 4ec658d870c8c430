-- OpenID Connect providers whose tokens workloads exchange for ours.
CREATE TABLE identity_providers (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE,
    -- The iss of its tokens, letter by letter.
    issuer TEXT NOT NULL UNIQUE,
    is_enabled BIGINT NOT NULL,
    -- JSON: audiences, algorithms, keys, and whether a token is taken once.
    content TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    mac BYTEA
);

-- Whose tokens of a provider stand for an identity.
CREATE TABLE identity_bindings (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE,
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    provider_id TEXT NOT NULL REFERENCES identity_providers (id),
    -- JSON: subject and claims, each letter by letter. No two bindings of a provider ask for the same.
    content TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    mac BYTEA,
    UNIQUE (provider_id, content)
);
CREATE INDEX identity_bindings_of ON identity_bindings (identity_id, name_key, id);

-- Tokens that were exchanged: keyed hashes of them, until they end.
CREATE TABLE used_tokens (
    hash BYTEA NOT NULL PRIMARY KEY,
    until_ms BIGINT NOT NULL
);
CREATE INDEX used_tokens_ended ON used_tokens (until_ms);
