-- Calls that their senders may repeat (Idempotency-Key): written by the transaction that makes the call, kept for a day.
CREATE TABLE idempotency_keys (
    -- SHA-256 over who called, the path and the key.
    id BYTEA PRIMARY KEY,
    -- SHA-256 of the call's body; NULL where nobody has read it.
    body BYTEA,
    request_id TEXT NOT NULL,
    -- The body of the answer; NULL until it is known, and where it is not kept.
    answer BYTEA,
    made_at_ms BIGINT NOT NULL
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (made_at_ms);
