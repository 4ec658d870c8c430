-- What takes effect once enough people have approved it: pre-approvals and policies.

CREATE TABLE proposals (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    service_id TEXT NOT NULL REFERENCES services (id),
    -- Of a policy that is yet to be made, too.
    policy_id TEXT NOT NULL,
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

CREATE INDEX proposals_by_name ON proposals (name_key, id);
CREATE INDEX proposals_by_policy ON proposals (policy_id);

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

CREATE INDEX proposal_identities_by_identity ON proposal_identities (identity_id);

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

CREATE INDEX pre_approvals_by_submitter ON pre_approvals (submitter_id, policy_id);

CREATE TABLE pre_approval_digests (
    pre_approval_id TEXT NOT NULL REFERENCES pre_approvals (id),
    digest BYTEA NOT NULL,
    -- The signing request that used it; NULL until then.
    request_id TEXT,
    PRIMARY KEY (pre_approval_id, digest)
);

CREATE INDEX pre_approval_digests_by_digest ON pre_approval_digests (digest);

-- The pre-approval that stood in for a request's approvals.
ALTER TABLE signing_requests ADD COLUMN pre_approval_id TEXT;
-- The failed request that it repeats.
ALTER TABLE signing_requests ADD COLUMN repeats_id TEXT;

CREATE INDEX signing_requests_by_pre_approval ON signing_requests (pre_approval_id);
