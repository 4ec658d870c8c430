-- What happened that people want to hear of, whoever hears of it; written with the audit record of the change.
CREATE TABLE notices (
    seq SERIAL_KEY,
    id TEXT NOT NULL UNIQUE,
    at_ms BIGINT NOT NULL,
    kind TEXT NOT NULL,
    object_kind TEXT,
    object TEXT,
    service_id TEXT,
    -- More, as JSON; never a secret, nor the words of whoever submitted something.
    detail TEXT NOT NULL
);
CREATE INDEX notices_at ON notices (at_ms, seq);

-- Who hears of it.
CREATE TABLE notice_targets (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    -- The name folded to one letter case.
    name_key TEXT NOT NULL UNIQUE,
    is_enabled BIGINT NOT NULL,
    -- What it wants and where it is, as JSON.
    content TEXT NOT NULL,
    -- Sealed.
    secret BYTEA,
    created_at_ms BIGINT NOT NULL,
    mac BYTEA
);

-- What waits to be delivered, one row for each item and target. What is delivered is removed.
CREATE TABLE deliveries (
    seq SERIAL_KEY,
    -- What kind of thing is delivered: 'notice'.
    queue TEXT NOT NULL,
    target TEXT NOT NULL,
    -- The item's number in its own table.
    item BIGINT NOT NULL,
    made_at_ms BIGINT NOT NULL,
    due_at_ms BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    error TEXT
);
CREATE INDEX deliveries_due ON deliveries (target, due_at_ms, seq);
CREATE INDEX deliveries_age ON deliveries (target, made_at_ms, seq);
CREATE INDEX deliveries_newest ON deliveries (made_at_ms, seq);

-- Where the deliveries to a target stand. One node at a time delivers to it.
CREATE TABLE delivery_states (
    target TEXT NOT NULL PRIMARY KEY,
    queue TEXT NOT NULL,
    leased_by TEXT,
    leased_until_ms BIGINT NOT NULL,
    delivered BIGINT NOT NULL,
    given_up BIGINT NOT NULL,
    -- Failures since the last delivery, and when it is tried again.
    failures BIGINT NOT NULL,
    due_at_ms BIGINT NOT NULL,
    delivered_at_ms BIGINT,
    error TEXT,
    failed_at_ms BIGINT
);
