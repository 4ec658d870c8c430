-- The authority of the certificates that nodes make for their own TLS sockets: one of the installation, so that clients
-- trust all nodes by it, and after a restore as before.
CREATE TABLE transport_authorities (
    id BIGINT NOT NULL PRIMARY KEY,
    certificate BYTEA NOT NULL,
    key_id TEXT NOT NULL,
    sealed BYTEA NOT NULL
);
