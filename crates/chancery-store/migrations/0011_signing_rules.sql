-- What a policy demands besides approvals, when a request stops waiting, and in which roles people approved.

-- As the interface writes it, in JSON.
ALTER TABLE signing_policies ADD COLUMN rules TEXT NOT NULL DEFAULT '{}';

-- NULL where a request waits for ever.
ALTER TABLE signing_requests ADD COLUMN expires_at_ms BIGINT;

-- The roles that were held with a decision, as a JSON array of ids.
ALTER TABLE approvals ADD COLUMN roles TEXT NOT NULL DEFAULT '[]';

-- For the signatures of a policy within an hour or a day.
CREATE INDEX signing_requests_by_policy ON signing_requests (policy_id, decided_at_ms);
