-- How often a token profile was given another key or other tokens: what it read before was of those. NULL where it never was, and
-- where an older release did it.
ALTER TABLE token_profiles ADD COLUMN moves BIGINT;
