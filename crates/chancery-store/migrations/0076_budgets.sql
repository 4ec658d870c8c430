-- How much of each window of a budget the servers have taken for themselves, before they give any of it out.
CREATE TABLE budget_leases (
    profile_id TEXT NOT NULL,
    role_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    per TEXT NOT NULL,
    -- Whose it is; empty where all share it.
    identity TEXT NOT NULL,
    starts_at_ms BIGINT NOT NULL,
    ends_at_ms BIGINT NOT NULL,
    leased BIGINT NOT NULL,
    -- Who took all of it; null where several did.
    lessee TEXT,
    PRIMARY KEY (profile_id, role_id, operation, per, identity, starts_at_ms)
);
CREATE INDEX budget_leases_ended ON budget_leases (ends_at_ms);
