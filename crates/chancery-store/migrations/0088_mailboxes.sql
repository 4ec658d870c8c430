-- Where people have what concerns them sent.
CREATE TABLE mailboxes (
    identity_id TEXT NOT NULL PRIMARY KEY REFERENCES identities (id) ON DELETE CASCADE,
    -- Confirmed: NULL before that, and once the mailbox is removed.
    address TEXT,
    confirmed_at_ms BIGINT,
    is_enabled BIGINT NOT NULL,
    -- JSON: which notices, of which services; and what waits to be confirmed, with a keyed hash of its code.
    content TEXT NOT NULL,
    -- JSON: when codes were sent in the last hour. It stays where a mailbox is removed.
    sent TEXT NOT NULL,
    mac BYTEA
);
CREATE INDEX mailboxes_told ON mailboxes (identity_id) WHERE address IS NOT NULL AND is_enabled = 1;

-- Notices of which people's own mailboxes were not told yet, with the identity up to which they were.
CREATE TABLE fan_outs (
    notice BIGINT NOT NULL PRIMARY KEY REFERENCES notices (seq) ON DELETE CASCADE,
    reached TEXT
);
