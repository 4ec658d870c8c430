-- The last manifest that was signed under a policy, however many other requests there were since.
CREATE INDEX signing_requests_manifests ON signing_requests (policy_id, decided_at_ms)
    WHERE items > 0 AND state = 'Signed';
