-- Code signing: services, their policies, requests, payloads and what people decided.

CREATE TABLE services (
    uuid TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    -- The name in lower case, for searches.
    name_folded TEXT NOT NULL,
    template TEXT NOT NULL,
    -- One format for the life of the key: a Raw signature over a SignedAttributes SET would be a forged CMS.
    signing_format TEXT NOT NULL,
    -- NULL for a service that was deployed without a certificate; it never receives one.
    certificate_uuid TEXT,
    created_at BIGINT NOT NULL
);

CREATE TABLE signing_policies (
    uuid TEXT NOT NULL PRIMARY KEY,
    service_uuid TEXT NOT NULL REFERENCES services (uuid),
    name TEXT NOT NULL,
    num_approvals BIGINT NOT NULL,
    hash_algorithm TEXT NOT NULL,
    rsa_pss BIGINT NOT NULL,
    self_approval TEXT NOT NULL,
    UNIQUE (service_uuid, name)
);

CREATE TABLE signing_requests (
    uuid TEXT NOT NULL PRIMARY KEY,
    service_uuid TEXT NOT NULL REFERENCES services (uuid),
    policy_uuid TEXT NOT NULL REFERENCES signing_policies (uuid),
    name TEXT NOT NULL,
    -- The name in lower case, for searches.
    name_folded TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    digest BYTEA NOT NULL,
    signature BYTEA,
    required_at_submission BIGINT NOT NULL,
    submitted_at BIGINT NOT NULL,
    decided_at BIGINT,
    -- Counts the changes; every change names the version it was decided on.
    version BIGINT NOT NULL
);

CREATE INDEX signing_requests_by_service ON signing_requests (service_uuid, state);
CREATE INDEX signing_requests_by_state ON signing_requests (state);

-- Apart, so that no list reads payloads.
CREATE TABLE signing_payloads (
    request_uuid TEXT NOT NULL PRIMARY KEY REFERENCES signing_requests (uuid),
    payload BYTEA NOT NULL
);

CREATE TABLE signing_submitters (
    request_uuid TEXT NOT NULL REFERENCES signing_requests (uuid),
    identity_uuid TEXT NOT NULL,
    identity_name TEXT NOT NULL,
    PRIMARY KEY (request_uuid, identity_uuid)
);

CREATE INDEX signing_submitters_by_identity ON signing_submitters (identity_uuid);

CREATE TABLE approvals (
    request_uuid TEXT NOT NULL REFERENCES signing_requests (uuid),
    -- The request's version that the decision made.
    version BIGINT NOT NULL,
    decision TEXT NOT NULL,
    note TEXT NOT NULL,
    decided_at BIGINT NOT NULL,
    PRIMARY KEY (request_uuid, version)
);

CREATE TABLE approval_identities (
    request_uuid TEXT NOT NULL,
    version BIGINT NOT NULL,
    decision TEXT NOT NULL,
    identity_uuid TEXT NOT NULL,
    identity_name TEXT NOT NULL,
    -- Nobody approves the same request twice, whatever the program thinks.
    PRIMARY KEY (request_uuid, decision, identity_uuid),
    FOREIGN KEY (request_uuid, version) REFERENCES approvals (request_uuid, version)
);
