-- Tokens of Random profiles. Neither token nor message is here in clear: rows are found by keyed hashes (128 bits of
-- HMAC-SHA-256), and what belongs to a token is sealed under the profile's key.
CREATE TABLE vault_tokens (
    -- Of the token, under a key of its domain and backing key: tokens are unique there.
    token_hash BYTEA NOT NULL PRIMARY KEY,
    -- Of the message, where a profile gives equal messages the same token; else NULL.
    message_hash BYTEA UNIQUE,
    -- The profile whose tokens they are (its own id, or its tweak domain).
    domain TEXT NOT NULL,
    -- The key version that sealed the row.
    key_version BIGINT NOT NULL,
    -- Token, message and metadata.
    sealed BYTEA NOT NULL,
    created_at_ms BIGINT NOT NULL,
    -- From then on the row is as if it were not there; NULL: never.
    expires_at_ms BIGINT
);
CREATE INDEX vault_tokens_domain ON vault_tokens (domain);
CREATE INDEX vault_tokens_expiry ON vault_tokens (expires_at_ms) WHERE expires_at_ms IS NOT NULL;
