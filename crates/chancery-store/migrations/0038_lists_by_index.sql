-- Lists go on after their last row, along an index in their order; each kind of list has one.

-- The requests of a service, and all of them: those of each service, merged.
CREATE INDEX signing_requests_by_service ON signing_requests (service_id, name_key, id, state);

-- Those of submitters; it was on the set alone.
DROP INDEX signing_requests_by_submitters;
CREATE INDEX signing_requests_by_submitters ON signing_requests (submitters_id, name_key, id, state);

-- Those that wait, failed or were denied, and those that a pre-approval stood in for: few, as in 0031.
DROP INDEX signing_requests_by_state;
CREATE INDEX signing_requests_by_state ON signing_requests (state, name_key, id, expires_at_ms) WHERE state <> 'Signed';
DROP INDEX signing_requests_by_pre_approval;
CREATE INDEX signing_requests_by_pre_approval ON signing_requests (pre_approval_id, name_key, id)
    WHERE pre_approval_id IS NOT NULL;

-- Proposals about a policy, and those that wait.
DROP INDEX proposals_by_policy;
CREATE INDEX proposals_by_policy ON proposals (policy_id, name_key, id);
CREATE INDEX proposals_waiting ON proposals (name_key, id, expires_at_ms) WHERE state = 'Approval';

-- Audit records, the newest first.
DROP INDEX audit_object;
CREATE INDEX audit_object ON audit (object, at_ms, seq) WHERE object IS NOT NULL;
-- PostgreSQL:
-- SQLite's indexes end with the number as they are.
DROP INDEX audit_at;
CREATE INDEX audit_at ON audit (at_ms, seq);
-- Names that are unique are an order by themselves for SQLite only.
CREATE INDEX roles_name ON roles (name_key, id);
CREATE INDEX identities_name ON identities (name_key, id);
CREATE INDEX services_name ON services (name_key, id);
CREATE INDEX token_profiles_name ON token_profiles (name_key, id);
