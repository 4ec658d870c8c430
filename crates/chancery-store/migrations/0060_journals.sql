-- Journals of the data plane are files beside their servers. Here is how far each goes, so that one that is gone, cut off
-- or set back shows.
CREATE TABLE journals (
    id TEXT NOT NULL PRIMARY KEY,
    -- The server's host, and the folder there.
    host TEXT NOT NULL,
    folder TEXT NOT NULL,
    began_at_ms BIGINT NOT NULL,
    -- The first segment that was not removed for its age.
    first_segment BIGINT NOT NULL,
    -- The newest record: its segment, its number, and the hash of all records up to it.
    segment BIGINT NOT NULL,
    record BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    written_at_ms BIGINT NOT NULL,
    -- When it was found that the folder has it no more.
    missed_at_ms BIGINT,
    mac BYTEA
);
CREATE INDEX journals_place ON journals (host, folder);

-- What calls wait for before they are answered; NULL: for their record to be written.
ALTER TABLE token_profiles ADD COLUMN durability TEXT;
