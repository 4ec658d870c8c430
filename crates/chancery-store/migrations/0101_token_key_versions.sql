-- The newest key version that made a token of the profile: its keyVersion goes back no further. NULL where none was made, and in
-- rows of before, whose key_version counts as such once tokens were made: nobody knows better.
ALTER TABLE token_profiles ADD COLUMN last_key_version BIGINT;
