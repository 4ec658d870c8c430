-- The ledger of the audit records: which leaf of its tree each record is. A trigger adds the row with the record, since a
-- record has its number only once it is written; the leaf is given after the commit.
CREATE TABLE audit_leaves (
-- SQLite:
    number INTEGER PRIMARY KEY,
-- PostgreSQL:
    number BIGINT NOT NULL PRIMARY KEY,
-- Both:
    -- NULL until it is given one.
    leaf BIGINT
);
INSERT INTO audit_leaves (number) SELECT seq FROM audit ORDER BY seq;
CREATE INDEX audit_leaves_pending ON audit_leaves (number) WHERE leaf IS NULL;
-- No two have the same place, whatever the program thinks.
CREATE UNIQUE INDEX audit_leaves_placed ON audit_leaves (leaf) WHERE leaf IS NOT NULL;

-- The tree's hashes, in tiles as the transparency log has them.
CREATE TABLE audit_tiles (
    level BIGINT NOT NULL,
    tile BIGINT NOT NULL,
    hashes BYTEA NOT NULL,
    PRIMARY KEY (level, tile)
);

-- Every checkpoint, signed, from 0; each has the hash of the one before.
CREATE TABLE audit_checkpoints (
-- SQLite:
    number INTEGER PRIMARY KEY,
-- PostgreSQL:
    number BIGINT NOT NULL PRIMARY KEY,
-- Both:
    checkpoint TEXT NOT NULL
);

-- The one key that checkpoints are signed with, sealed.
CREATE TABLE audit_ledgers (
    id BIGINT NOT NULL PRIMARY KEY,
    origin TEXT NOT NULL,
    key_id TEXT NOT NULL,
    sealed BYTEA NOT NULL,
    public_key BYTEA NOT NULL
);

-- SQLite:
CREATE TRIGGER audit_leaves_added AFTER INSERT ON audit BEGIN
    INSERT INTO audit_leaves (number) VALUES (NEW.seq);
END;
-- PostgreSQL:
CREATE FUNCTION audit_leaves_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO audit_leaves (number) VALUES (NEW.seq);
    RETURN NULL;
END $$;
CREATE TRIGGER audit_leaves_added AFTER INSERT ON audit FOR EACH ROW EXECUTE FUNCTION audit_leaves_added();
