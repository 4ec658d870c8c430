-- Token profiles: how messages become tokens, under which key, and who may do it.
CREATE TABLE token_profiles (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    -- The name folded to one letter case.
    name_key TEXT NOT NULL UNIQUE,
    algorithm TEXT NOT NULL,
    key_id TEXT NOT NULL REFERENCES keys (id),
    key_version BIGINT NOT NULL,
    -- NULL: the profile's own id.
    tweak_domain TEXT,
    -- JSON: the format as the interface has it.
    format TEXT NOT NULL,
    use_iv BIGINT NOT NULL,
    -- JSON: an array of Control Rules as the interface has them.
    control_rules TEXT NOT NULL,
    -- Whether a token was ever given out: then nothing may change that would make it unreadable.
    used BIGINT NOT NULL,
    -- Counts the changes; whoever changes or uses a profile names the version it was decided on.
    version BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL
);
CREATE INDEX token_profiles_key ON token_profiles (key_id);
