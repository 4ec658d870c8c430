-- Finds the profiles that share another one's tokens, however many profiles one key backs.
CREATE INDEX token_profiles_domain ON token_profiles (key_id, tweak_domain);
DROP INDEX token_profiles_key;
