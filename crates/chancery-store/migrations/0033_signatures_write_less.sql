-- What each automatic signature writes, in fewer places.

-- What a service's requests are is told by its policies: a policy is of one service for ever. With the state, so that
-- requests are counted without being read.
DROP INDEX signing_requests_by_service;
DROP INDEX signing_requests_by_policy;
CREATE INDEX signing_requests_by_policy ON signing_requests (policy_id, decided_at_ms, state);

-- PostgreSQL:
ALTER TABLE log_entries DROP CONSTRAINT log_entries_log_index_key;

-- SQLite:
-- As 0018, but for two things. The newest entry is never deleted, so the next number never was one before, and none has
-- to be kept elsewhere. And an entry without a place is in no index of places.
CREATE TABLE log_entries_anew (
    seq INTEGER PRIMARY KEY,
    object_id TEXT NOT NULL,
    item BIGINT NOT NULL,
    leaf BYTEA NOT NULL,
    salt BYTEA,
    log_index BIGINT,
    UNIQUE (object_id, item)
);
INSERT INTO log_entries_anew (seq, object_id, item, leaf, salt, log_index)
    SELECT seq, object_id, item, leaf, salt, log_index FROM log_entries ORDER BY seq;
DROP TABLE log_entries;
ALTER TABLE log_entries_anew RENAME TO log_entries;
CREATE INDEX log_entries_pending ON log_entries (seq) WHERE log_index IS NULL;

-- Both:
-- No two have the same place, whatever the program thinks.
CREATE UNIQUE INDEX log_entries_placed ON log_entries (log_index) WHERE log_index IS NOT NULL;

-- SQLite:
-- As 0006, but kept in its key.
CREATE TABLE signing_submitters_anew (
    request_id TEXT NOT NULL REFERENCES signing_requests (id),
    identity_id TEXT NOT NULL,
    identity_name TEXT NOT NULL,
    PRIMARY KEY (request_id, identity_id)
) WITHOUT ROWID;
INSERT INTO signing_submitters_anew (request_id, identity_id, identity_name)
    SELECT request_id, identity_id, identity_name FROM signing_submitters ORDER BY request_id, identity_id;
DROP TABLE signing_submitters;
ALTER TABLE signing_submitters_anew RENAME TO signing_submitters;
CREATE INDEX signing_submitters_by_identity ON signing_submitters (identity_id);
