-- Time-stamping authorities: services of another template, which have no policies and no signing_format ('').
CREATE TABLE time_stamping_services (
    service_id TEXT NOT NULL PRIMARY KEY REFERENCES services (id),
    -- The policy that its stamps name, as a dotted OID.
    policy_oid TEXT NOT NULL,
    -- 1 for the one that answers where none is named.
    is_default BIGINT NOT NULL
);

-- Whether a policy's signatures carry a time stamp.
ALTER TABLE signing_policies ADD COLUMN time_stamp BIGINT NOT NULL DEFAULT 0;
