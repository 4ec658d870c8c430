-- What each signature writes anew, for lists of requests that are not signed and of those that a pre-approval stood in
-- for. Nearly all are signed without one, so the indexes hold only the others.

DROP INDEX signing_requests_by_state;
CREATE INDEX signing_requests_by_state ON signing_requests (state) WHERE state <> 'Signed';

DROP INDEX signing_requests_by_pre_approval;
CREATE INDEX signing_requests_by_pre_approval ON signing_requests (pre_approval_id) WHERE pre_approval_id IS NOT NULL;
