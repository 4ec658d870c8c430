-- What an approval is of, where more is signed than the payload's digest says: NULL where it is that digest, as in all rows
-- that are there, so their MACs stay good.
ALTER TABLE signing_requests ADD COLUMN approval_digest BYTEA;
