-- Until when a password that others gave somebody for one use sets another one. NULL for all others, as in all rows that are
-- there, so their MACs stay good.
ALTER TABLE identities ADD COLUMN password_once_until_ms BIGINT;
-- How an identity was recovered on the host, as JSON, until somebody has acknowledged that.
ALTER TABLE identities ADD COLUMN recovery TEXT;
-- From which networks and in which hours an identity may act, as JSON; NULL for from everywhere and always.
ALTER TABLE identities ADD COLUMN bounds TEXT;
