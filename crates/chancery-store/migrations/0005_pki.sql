-- Certificates. Times are seconds, as in X.509.
CREATE TABLE certificates (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    -- The name folded to one letter case.
    name_key TEXT NOT NULL,
    subject TEXT NOT NULL,
    -- The subject folded to one letter case.
    subject_key TEXT NOT NULL,
    -- Its own id where it is self-signed.
    issuer_id TEXT NOT NULL REFERENCES certificates (id),
    profile_id TEXT NOT NULL,
    serial TEXT NOT NULL,
    not_before_s BIGINT NOT NULL,
    not_after_s BIGINT NOT NULL,
    spec TEXT NOT NULL,
    -- NULL where the private key was not kept.
    key_id TEXT REFERENCES keys (id),
    trusted BIGINT NOT NULL,
    der BYTEA NOT NULL,
    revoked_at_s BIGINT,
    revocation_reason TEXT,
    UNIQUE (issuer_id, serial)
);
CREATE INDEX certificates_name ON certificates (name_key, id);
CREATE INDEX certificates_revoked ON certificates (issuer_id) WHERE revoked_at_s IS NOT NULL;

-- The newest CRL of every issuer that has one.
CREATE TABLE crls (
    issuer_id TEXT NOT NULL PRIMARY KEY REFERENCES certificates (id),
    -- 0 before the first was signed.
    number BIGINT NOT NULL,
    -- How many revocations there were, and how many of them the signed CRL knows.
    changes BIGINT NOT NULL,
    changes_signed BIGINT NOT NULL,
    this_update_s BIGINT NOT NULL,
    der BYTEA
);

-- Which certificate signs an issuer's OCSP answers at present.
CREATE TABLE ocsp_responders (
    issuer_id TEXT NOT NULL PRIMARY KEY REFERENCES certificates (id),
    certificate_id TEXT NOT NULL REFERENCES certificates (id)
);
