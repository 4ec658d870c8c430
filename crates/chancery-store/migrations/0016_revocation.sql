-- Delta lists: what changed since the complete list `base_number`, signed together with every complete one.
ALTER TABLE crls ADD COLUMN base_number BIGINT NOT NULL DEFAULT 0;
ALTER TABLE crls ADD COLUMN base_s BIGINT NOT NULL DEFAULT 0;
ALTER TABLE crls ADD COLUMN delta BYTEA;

-- Holds that were released since the base: a delta list says so.
CREATE TABLE crl_releases (
    issuer_id TEXT NOT NULL REFERENCES certificates (id),
    serial TEXT NOT NULL,
    released_at_s BIGINT NOT NULL,
    PRIMARY KEY (issuer_id, serial)
);
