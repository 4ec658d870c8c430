-- Until a target has taken all before this leaf, it is held to have refused something.
ALTER TABLE audit_target_states ADD COLUMN refused_until BIGINT;
-- From which leaf on records are sent again meanwhile, and how often the cursor went back there.
ALTER TABLE audit_target_states ADD COLUMN again_from BIGINT;
ALTER TABLE audit_target_states ADD COLUMN times_again BIGINT;
-- How many records go together; NULL for as many as may.
ALTER TABLE audit_target_states ADD COLUMN together BIGINT;
