-- Of decisions that are one statement over many: its digest and how many it is over. NULL where one was decided by itself, as
-- in all rows that are there, so their MACs stay good. Proposals have no such statements, and the same columns.
ALTER TABLE approvals ADD COLUMN statement_digest BYTEA;
ALTER TABLE approvals ADD COLUMN statement_rows BIGINT;
ALTER TABLE proposal_decisions ADD COLUMN statement_digest BYTEA;
ALTER TABLE proposal_decisions ADD COLUMN statement_rows BIGINT;
