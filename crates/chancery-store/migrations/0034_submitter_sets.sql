-- The identities of a session submit many requests. They are stored once, as a set that each of these requests names, in
-- the place of rows for each request. A set never changes: an identity with another name makes another set.

CREATE TABLE submitter_sets (
    id TEXT NOT NULL PRIMARY KEY
);

CREATE TABLE submitter_set_members (
    set_id TEXT NOT NULL REFERENCES submitter_sets (id),
    identity_id TEXT NOT NULL,
    -- At that time.
    identity_name TEXT NOT NULL,
    PRIMARY KEY (set_id, identity_id)
);

CREATE INDEX submitter_set_members_by_identity ON submitter_set_members (identity_id);

-- Requests of the same submitters get the same set, which is called like one of them. Names have their lengths before
-- them, so that none reads like the end of one and the beginning of another.
CREATE TABLE signing_requests_sets AS
    SELECT request_id, MIN(request_id) OVER (PARTITION BY members) AS set_id FROM (
        SELECT r.id AS request_id,
            string_agg(s.identity_id || length(s.identity_name) || ':' || s.identity_name, '' ORDER BY s.identity_id)
                AS members
        FROM signing_requests AS r LEFT JOIN signing_submitters AS s ON s.request_id = r.id GROUP BY r.id
    ) AS requests;
INSERT INTO submitter_sets (id) SELECT DISTINCT set_id FROM signing_requests_sets;
INSERT INTO submitter_set_members (set_id, identity_id, identity_name)
    SELECT request_id, identity_id, identity_name FROM signing_submitters
    WHERE request_id IN (SELECT id FROM submitter_sets);
DROP TABLE signing_submitters;
CREATE UNIQUE INDEX signing_requests_sets_of ON signing_requests_sets (request_id);

-- SQLite:
CREATE TABLE signing_requests_new (
    id TEXT NOT NULL PRIMARY KEY,
    service_id TEXT NOT NULL REFERENCES services (id),
    policy_id TEXT NOT NULL REFERENCES signing_policies (id),
    name TEXT NOT NULL,
    -- The name folded to one letter case.
    name_key TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    digest BYTEA NOT NULL,
    signature BYTEA,
    required_at_submission BIGINT NOT NULL,
    submitted_at_ms BIGINT NOT NULL,
    decided_at_ms BIGINT,
    expires_at_ms BIGINT,
    existing_signature TEXT,
    -- The pre-approval that stood in for its approvals.
    pre_approval_id TEXT,
    -- The failed request that it repeats.
    repeats_id TEXT,
    items BIGINT NOT NULL DEFAULT 0,
    submitters_id TEXT NOT NULL REFERENCES submitter_sets (id),
    -- Counts the changes; every change names the version it was decided on.
    version BIGINT NOT NULL
);
INSERT INTO signing_requests_new (id, service_id, policy_id, name, name_key, state, reason, digest, signature,
    required_at_submission, submitted_at_ms, decided_at_ms, expires_at_ms, existing_signature, pre_approval_id,
    repeats_id, items, submitters_id, version)
    SELECT id, service_id, policy_id, name, name_key, state, reason, digest, signature,
    required_at_submission, submitted_at_ms, decided_at_ms, expires_at_ms, existing_signature, pre_approval_id,
    repeats_id, items, set_id, version
    FROM signing_requests AS r JOIN signing_requests_sets AS s ON s.request_id = r.id ORDER BY r.rowid;
DROP TABLE signing_requests;
ALTER TABLE signing_requests_new RENAME TO signing_requests;
CREATE INDEX signing_requests_by_state ON signing_requests (state) WHERE state <> 'Signed';
CREATE INDEX signing_requests_by_pre_approval ON signing_requests (pre_approval_id) WHERE pre_approval_id IS NOT NULL;
CREATE INDEX signing_requests_by_policy ON signing_requests (policy_id, decided_at_ms, state);

-- PostgreSQL:
ALTER TABLE signing_requests ADD COLUMN submitters_id TEXT;
UPDATE signing_requests SET submitters_id = set_id FROM signing_requests_sets WHERE id = request_id;
ALTER TABLE signing_requests ALTER COLUMN submitters_id SET NOT NULL;
ALTER TABLE signing_requests ADD FOREIGN KEY (submitters_id) REFERENCES submitter_sets (id);

-- Both:
DROP TABLE signing_requests_sets;
CREATE INDEX signing_requests_by_submitters ON signing_requests (submitters_id);
