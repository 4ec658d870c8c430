-- Token profiles that read several versions of their key, and what Random profiles have besides.

-- The oldest key version whose tokens are read.
ALTER TABLE token_profiles ADD COLUMN min_decrypt_version BIGINT NOT NULL DEFAULT 1;
-- The key version that made the first token; NULL: none was made.
ALTER TABLE token_profiles ADD COLUMN first_key_version BIGINT;
-- Whether the same message always has the same token; NULL: the algorithm decides.
ALTER TABLE token_profiles ADD COLUMN deterministic BIGINT;
-- JSON: how long a token can be read, as the interface has it; NULL: for ever.
ALTER TABLE token_profiles ADD COLUMN time_to_live TEXT;
UPDATE token_profiles SET min_decrypt_version = key_version;
UPDATE token_profiles SET first_key_version = key_version WHERE used = 1;
