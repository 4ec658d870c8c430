-- What witnesses elsewhere have cosigned of the transparency log (Log) and of the audit ledger (Ledger). One node at a time asks
-- one for one of them.
CREATE TABLE witness_states (
    tree TEXT NOT NULL,
    -- The witness's key.
    witness TEXT NOT NULL,
    leased_by TEXT,
    leased_until_ms BIGINT NOT NULL,
    -- Leaves of the largest tree that it is known to have cosigned.
    size BIGINT NOT NULL,
    -- The checkpoint that it cosigned last, as it was signed here, and the line that it put under it.
    checkpoint TEXT,
    cosignature TEXT,
    cosigned_at_ms BIGINT,
    -- Failures since it last cosigned something, and when it is asked again.
    failures BIGINT NOT NULL,
    due_at_ms BIGINT NOT NULL,
    -- Whether that was told.
    is_failing BIGINT NOT NULL,
    error TEXT,
    PRIMARY KEY (tree, witness)
);
