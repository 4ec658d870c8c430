-- Certificates that are issued once enough people have approved them: proposals that are about no service. Neither
-- database can take NOT NULL from a column in the other's words, so the tables are made anew.

DROP INDEX proposals_by_name;
DROP INDEX proposals_by_policy;
DROP INDEX proposal_identities_by_identity;
DROP INDEX pre_approvals_by_submitter;
DROP INDEX pre_approval_digests_by_digest;

ALTER TABLE pre_approval_digests RENAME TO old_pre_approval_digests;
ALTER TABLE pre_approvals RENAME TO old_pre_approvals;
ALTER TABLE proposal_identities RENAME TO old_proposal_identities;
ALTER TABLE proposal_decisions RENAME TO old_proposal_decisions;
ALTER TABLE proposals RENAME TO old_proposals;

CREATE TABLE proposals (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    -- Of a pre-approval and of a signing policy.
    service_id TEXT REFERENCES services (id),
    -- Of a pre-approval and of a signing policy, one that is yet to be made too.
    policy_id TEXT,
    -- Of a certificate and of a certificate profile; profiles that nothing names are deleted.
    profile_id TEXT,
    -- Of a certificate, the authority that shall issue it; or the authority whose demands shall change.
    issuer_id TEXT REFERENCES certificates (id),
    -- What was issued.
    certificate_id TEXT REFERENCES certificates (id),
    name TEXT NOT NULL,
    -- The name folded to one letter case.
    name_key TEXT NOT NULL,
    -- In JSON: exactly the text that people approve.
    content TEXT NOT NULL,
    -- As of a signing request; Signed stands for what has taken effect.
    state TEXT NOT NULL,
    reason TEXT,
    required_at_submission BIGINT NOT NULL,
    submitted_at_ms BIGINT NOT NULL,
    decided_at_ms BIGINT,
    -- NULL where it waits for ever.
    expires_at_ms BIGINT,
    -- Counts the changes; every change names the version it was decided on.
    version BIGINT NOT NULL
);

CREATE TABLE proposal_decisions (
    proposal_id TEXT NOT NULL REFERENCES proposals (id),
    -- The proposal's version that the decision made; the first is its submission.
    version BIGINT NOT NULL,
    decision TEXT NOT NULL,
    note TEXT NOT NULL,
    -- The roles that were held with it, as a JSON array of ids.
    roles TEXT NOT NULL,
    decided_at_ms BIGINT NOT NULL,
    PRIMARY KEY (proposal_id, version)
);

CREATE TABLE proposal_identities (
    proposal_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    decision TEXT NOT NULL,
    identity_id TEXT NOT NULL,
    identity_name TEXT NOT NULL,
    -- Nobody approves the same proposal twice, whatever the program thinks.
    PRIMARY KEY (proposal_id, decision, identity_id),
    FOREIGN KEY (proposal_id, version) REFERENCES proposal_decisions (proposal_id, version)
);

CREATE TABLE pre_approvals (
    id TEXT NOT NULL PRIMARY KEY REFERENCES proposals (id),
    policy_id TEXT NOT NULL,
    -- Whose requests; NULL where it lists digests.
    submitter_id TEXT,
    -- Waiting, Active or Revoked.
    state TEXT NOT NULL,
    uses BIGINT NOT NULL,
    uses_max BIGINT NOT NULL,
    -- Known once it is active; NULL where it has no end.
    ends_at_ms BIGINT
);

CREATE TABLE pre_approval_digests (
    pre_approval_id TEXT NOT NULL REFERENCES pre_approvals (id),
    digest BYTEA NOT NULL,
    -- The signing request that used it; NULL until then.
    request_id TEXT,
    PRIMARY KEY (pre_approval_id, digest)
);

INSERT INTO proposals (id, kind, service_id, policy_id, name, name_key, content, state, reason,
    required_at_submission, submitted_at_ms, decided_at_ms, expires_at_ms, version)
    SELECT id, kind, service_id, policy_id, name, name_key, content, state, reason,
    required_at_submission, submitted_at_ms, decided_at_ms, expires_at_ms, version FROM old_proposals;
INSERT INTO proposal_decisions (proposal_id, version, decision, note, roles, decided_at_ms)
    SELECT proposal_id, version, decision, note, roles, decided_at_ms FROM old_proposal_decisions;
INSERT INTO proposal_identities (proposal_id, version, decision, identity_id, identity_name)
    SELECT proposal_id, version, decision, identity_id, identity_name FROM old_proposal_identities;
INSERT INTO pre_approvals (id, policy_id, submitter_id, state, uses, uses_max, ends_at_ms)
    SELECT id, policy_id, submitter_id, state, uses, uses_max, ends_at_ms FROM old_pre_approvals;
INSERT INTO pre_approval_digests (pre_approval_id, digest, request_id)
    SELECT pre_approval_id, digest, request_id FROM old_pre_approval_digests;

DROP TABLE old_pre_approval_digests;
DROP TABLE old_pre_approvals;
DROP TABLE old_proposal_identities;
DROP TABLE old_proposal_decisions;
DROP TABLE old_proposals;

CREATE INDEX proposals_by_name ON proposals (name_key, id);
CREATE INDEX proposals_by_policy ON proposals (policy_id);
CREATE INDEX proposal_identities_by_identity ON proposal_identities (identity_id);
CREATE INDEX pre_approvals_by_submitter ON pre_approvals (submitter_id, policy_id);
CREATE INDEX pre_approval_digests_by_digest ON pre_approval_digests (digest);

-- What an authority demands of everything that it issues, in JSON; NULL where it demands nothing.
ALTER TABLE certificates ADD COLUMN approval TEXT;
