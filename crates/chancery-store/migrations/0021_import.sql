-- Certificates and keys that were made elsewhere.
ALTER TABLE certificates ADD COLUMN origin TEXT NOT NULL DEFAULT 'Generated';
ALTER TABLE keys ADD COLUMN origin TEXT NOT NULL DEFAULT 'Generated';

-- Whether a root that is imported is there already: self-signed certificates are few.
CREATE INDEX certificates_self_signed ON certificates (serial) WHERE issuer_id = id;
