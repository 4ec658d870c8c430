-- Where the files of a signing request were built, as the policy's issuers signed it; only where a submission has that.
CREATE TABLE signing_provenance (
    request_id TEXT NOT NULL PRIMARY KEY REFERENCES signing_requests (id),
    -- The DSSE envelope, as it came.
    envelope BYTEA NOT NULL,
    -- What was verified of it, as JSON: the issuer is no longer known once the policy has changed.
    verified TEXT NOT NULL,
    mac BYTEA
);
