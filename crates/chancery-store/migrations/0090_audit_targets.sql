-- Receivers elsewhere to which the audit records are shipped.
CREATE TABLE audit_targets (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    -- The name folded to one letter case.
    name_key TEXT NOT NULL UNIQUE,
    is_enabled BIGINT NOT NULL,
    -- Where it is and what it takes, as JSON.
    content TEXT NOT NULL,
    -- Sealed.
    secret BYTEA,
    created_at_ms BIGINT NOT NULL,
    mac BYTEA
);

-- How far each has the records. One node at a time ships to it.
CREATE TABLE audit_target_states (
    target TEXT NOT NULL PRIMARY KEY,
    leased_by TEXT,
    leased_until_ms BIGINT NOT NULL,
    -- The leaf of the ledger that it got first, and the one that is shipped next: it has all between.
    first_leaf BIGINT NOT NULL,
    next_leaf BIGINT NOT NULL,
    shipped BIGINT NOT NULL,
    -- Failures since it last took something, and when it is tried again.
    failures BIGINT NOT NULL,
    due_at_ms BIGINT NOT NULL,
    -- Whether that was told.
    is_failing BIGINT NOT NULL,
    shipped_at_ms BIGINT,
    error TEXT,
    failed_at_ms BIGINT
);
