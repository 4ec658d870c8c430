-- Rows that carry authority have a MAC over their table, content and version (the program's authority.rs has the form).
-- Those that are there already get theirs at the next start, once, before anything reads them.

-- The key of the MACs, sealed.
CREATE TABLE row_keys (
    version BIGINT NOT NULL PRIMARY KEY,
    id TEXT NOT NULL,
    sealed BYTEA NOT NULL,
    created_at_ms BIGINT NOT NULL
);

ALTER TABLE settings ADD COLUMN mac BYTEA;
ALTER TABLE identities ADD COLUMN mac BYTEA;
ALTER TABLE identity_roles ADD COLUMN mac BYTEA;
ALTER TABLE roles ADD COLUMN mac BYTEA;
ALTER TABLE sessions ADD COLUMN mac BYTEA;
ALTER TABLE session_seats ADD COLUMN mac BYTEA;
ALTER TABLE keys ADD COLUMN mac BYTEA;
ALTER TABLE key_versions ADD COLUMN mac BYTEA;
ALTER TABLE token_profiles ADD COLUMN mac BYTEA;
ALTER TABLE cert_profiles ADD COLUMN mac BYTEA;
ALTER TABLE certificates ADD COLUMN mac BYTEA;
ALTER TABLE crl_releases ADD COLUMN mac BYTEA;
ALTER TABLE ocsp_responders ADD COLUMN mac BYTEA;
ALTER TABLE services ADD COLUMN mac BYTEA;
ALTER TABLE time_stamping_services ADD COLUMN mac BYTEA;
ALTER TABLE signing_policies ADD COLUMN mac BYTEA;
ALTER TABLE signing_requests ADD COLUMN mac BYTEA;
ALTER TABLE signing_page_hashes ADD COLUMN mac BYTEA;
ALTER TABLE signing_claims ADD COLUMN mac BYTEA;
ALTER TABLE signing_programs ADD COLUMN mac BYTEA;
ALTER TABLE submitter_set_members ADD COLUMN mac BYTEA;
ALTER TABLE approvals ADD COLUMN mac BYTEA;
ALTER TABLE approval_identities ADD COLUMN mac BYTEA;
ALTER TABLE proposals ADD COLUMN mac BYTEA;
ALTER TABLE proposal_decisions ADD COLUMN mac BYTEA;
ALTER TABLE proposal_identities ADD COLUMN mac BYTEA;
ALTER TABLE pre_approvals ADD COLUMN mac BYTEA;
ALTER TABLE pre_approval_digests ADD COLUMN mac BYTEA;

-- How many members a set has, so that none can be taken out of it and then approve what he submitted.
ALTER TABLE submitter_sets ADD COLUMN members BIGINT NOT NULL DEFAULT 0;
ALTER TABLE submitter_sets ADD COLUMN mac BYTEA;
UPDATE submitter_sets SET members = (SELECT COUNT(*) FROM submitter_set_members WHERE set_id = submitter_sets.id);

-- What a CRL says of what an issuer revoked: apart, so that a list of very many is authenticated without reading the
-- certificates.
CREATE TABLE revocations (
    certificate_id TEXT NOT NULL PRIMARY KEY REFERENCES certificates (id),
    issuer_id TEXT NOT NULL,
    serial TEXT NOT NULL,
    revoked_at_s BIGINT NOT NULL,
    revocation_reason TEXT NOT NULL,
    mac BYTEA
);
INSERT INTO revocations (certificate_id, issuer_id, serial, revoked_at_s, revocation_reason)
    SELECT id, issuer_id, serial, revoked_at_s, revocation_reason FROM certificates WHERE revoked_at_s IS NOT NULL;
CREATE INDEX revocations_of_issuer ON revocations (issuer_id, serial);
