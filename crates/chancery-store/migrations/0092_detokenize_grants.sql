-- Approvals of detokenizing in full: what was asked for, and how much of it was used.

-- The token profile that a proposal is about.
ALTER TABLE proposals ADD COLUMN token_profile_id TEXT;
CREATE INDEX proposals_by_token_profile ON proposals (token_profile_id, name_key, id)
    WHERE token_profile_id IS NOT NULL;

CREATE TABLE detokenize_grants (
    id TEXT NOT NULL PRIMARY KEY REFERENCES proposals (id),
    -- Profiles are deleted; what was granted stays.
    profile_id TEXT NOT NULL,
    -- The role whose Control Rule demands the approvals.
    role_id TEXT NOT NULL,
    -- Waiting, Active or Revoked.
    state TEXT NOT NULL,
    -- Values that were sent.
    uses BIGINT NOT NULL,
    uses_max BIGINT NOT NULL,
    -- Both are known once it is active.
    granted_at_ms BIGINT,
    ends_at_ms BIGINT,
    mac BYTEA
);
CREATE INDEX detokenize_grants_by_profile ON detokenize_grants (profile_id, granted_at_ms);

-- Of those that list tokens: keyed hashes of these, 16 bytes each, in their order.
CREATE TABLE detokenize_grant_tokens (
    grant_id TEXT NOT NULL PRIMARY KEY REFERENCES detokenize_grants (id),
    tags BYTEA NOT NULL,
    mac BYTEA
);
