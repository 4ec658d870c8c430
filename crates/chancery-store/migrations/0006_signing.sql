-- Code signing: services, their policies, requests, payloads and what people decided.

CREATE TABLE services (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    -- The name folded to one letter case.
    name_key TEXT NOT NULL UNIQUE,
    template TEXT NOT NULL,
    -- One format for the life of the key: a Raw signature over a SignedAttributes SET would be a forged CMS.
    signing_format TEXT NOT NULL,
    -- NULL for a service that was deployed without a certificate; it never receives one.
    certificate_id TEXT,
    created_at_ms BIGINT NOT NULL
);

CREATE TABLE signing_policies (
    id TEXT NOT NULL PRIMARY KEY,
    service_id TEXT NOT NULL REFERENCES services (id),
    name TEXT NOT NULL,
    num_approvals BIGINT NOT NULL,
    hash_algorithm TEXT NOT NULL,
    rsa_pss BIGINT NOT NULL,
    self_approval TEXT NOT NULL,
    UNIQUE (service_id, name)
);

CREATE TABLE signing_requests (
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
    -- Counts the changes; every change names the version it was decided on.
    version BIGINT NOT NULL
);

CREATE INDEX signing_requests_by_service ON signing_requests (service_id, state);
CREATE INDEX signing_requests_by_state ON signing_requests (state);

-- Apart, so that no list reads payloads.
CREATE TABLE signing_payloads (
    request_id TEXT NOT NULL PRIMARY KEY REFERENCES signing_requests (id),
    payload BYTEA NOT NULL
);

CREATE TABLE signing_submitters (
    request_id TEXT NOT NULL REFERENCES signing_requests (id),
    identity_id TEXT NOT NULL,
    identity_name TEXT NOT NULL,
    PRIMARY KEY (request_id, identity_id)
);

CREATE INDEX signing_submitters_by_identity ON signing_submitters (identity_id);

CREATE TABLE approvals (
    request_id TEXT NOT NULL REFERENCES signing_requests (id),
    -- The request's version that the decision made.
    version BIGINT NOT NULL,
    decision TEXT NOT NULL,
    note TEXT NOT NULL,
    decided_at_ms BIGINT NOT NULL,
    PRIMARY KEY (request_id, version)
);

CREATE TABLE approval_identities (
    request_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    decision TEXT NOT NULL,
    identity_id TEXT NOT NULL,
    identity_name TEXT NOT NULL,
    -- Nobody approves the same request twice, whatever the program thinks.
    PRIMARY KEY (request_id, decision, identity_id),
    FOREIGN KEY (request_id, version) REFERENCES approvals (request_id, version)
);
