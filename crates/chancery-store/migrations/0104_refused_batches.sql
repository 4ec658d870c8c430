-- The leaf with which the last batch began that a target did not take, and the one behind it, until it has taken all up to
-- there; and from which leaf on others before it are sent again.
ALTER TABLE audit_target_states ADD COLUMN refused_from BIGINT;
ALTER TABLE audit_target_states ADD COLUMN refused_until BIGINT;
ALTER TABLE audit_target_states ADD COLUMN again_from BIGINT;
