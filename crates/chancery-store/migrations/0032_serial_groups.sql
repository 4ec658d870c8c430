-- The index of serial numbers begins with a group's number, so that what is issued changes few of its pages (the program's
-- tables/certificates/serials.rs has the rule). What is there already is put into groups by its id, which follows the time.

-- SQLite:
CREATE TABLE certificates_new (
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
    serial_group BIGINT NOT NULL,
    not_before_s BIGINT NOT NULL,
    not_after_s BIGINT NOT NULL,
    spec TEXT NOT NULL,
    -- NULL where the private key was not kept.
    key_id TEXT REFERENCES keys (id),
    trusted BIGINT NOT NULL,
    der BYTEA NOT NULL,
    revoked_at_s BIGINT,
    revocation_reason TEXT,
    origin TEXT NOT NULL DEFAULT 'Generated',
    -- What an authority demands of everything that it issues, in JSON; NULL where it demands nothing.
    approval TEXT
);
INSERT INTO certificates_new (id, name, name_key, subject, subject_key, issuer_id, profile_id, serial, serial_group,
    not_before_s, not_after_s, spec, key_id, trusted, der, revoked_at_s, revocation_reason, origin, approval)
    SELECT id, name, name_key, subject, subject_key, issuer_id, profile_id, serial,
    (ROW_NUMBER() OVER (ORDER BY id) - 1) / 65536,
    not_before_s, not_after_s, spec, key_id, trusted, der, revoked_at_s, revocation_reason, origin, approval
    FROM certificates;
DROP TABLE certificates;
ALTER TABLE certificates_new RENAME TO certificates;
CREATE INDEX certificates_name ON certificates (name_key, id);
CREATE INDEX certificates_revoked ON certificates (issuer_id) WHERE revoked_at_s IS NOT NULL;
CREATE INDEX certificates_end ON certificates (not_after_s, id);
CREATE INDEX certificates_trusted ON certificates (id) WHERE trusted = 1;
CREATE INDEX certificates_self_signed ON certificates (serial) WHERE issuer_id = id;

-- PostgreSQL:
ALTER TABLE certificates DROP CONSTRAINT certificates_issuer_id_serial_key;
ALTER TABLE certificates ADD COLUMN serial_group BIGINT NOT NULL DEFAULT 0;
UPDATE certificates SET serial_group = numbered.serial_group
    FROM (SELECT id, (ROW_NUMBER() OVER (ORDER BY id) - 1) / 65536 AS serial_group FROM certificates) AS numbered
    WHERE certificates.id = numbered.id AND numbered.serial_group > 0;
ALTER TABLE certificates ALTER COLUMN serial_group DROP DEFAULT;

-- Both:
CREATE UNIQUE INDEX certificates_serial ON certificates (serial_group, serial, issuer_id);
