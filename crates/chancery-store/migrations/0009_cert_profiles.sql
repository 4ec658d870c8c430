-- Certificate profiles that people made; the built-in ones are part of the program.
CREATE TABLE cert_profiles (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    -- The name folded to one letter case.
    name_key TEXT NOT NULL UNIQUE,
    -- JSON: the profile as the interface has it.
    profile TEXT NOT NULL,
    -- Whether a certificate was ever stored under it: then it is not deleted any more.
    used BIGINT NOT NULL,
    -- Counts the changes; whoever changes or uses a profile names the version it was decided on.
    version BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL
);
