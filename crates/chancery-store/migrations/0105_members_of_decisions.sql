-- In whose name a decision was made, so many: none is taken out of it. NULL for those that are there, so their MACs stay good.
ALTER TABLE approvals ADD COLUMN members BIGINT;
ALTER TABLE proposal_decisions ADD COLUMN members BIGINT;
