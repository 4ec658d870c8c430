-- One-time codes of those who log in by a password. NULL where there are none, as in all rows that are there, so their MACs
-- stay good. Secrets are sealed.
ALTER TABLE identities ADD COLUMN totp_secret BYTEA;
-- The last step whose code was accepted: none is accepted twice.
ALTER TABLE identities ADD COLUMN totp_used_step BIGINT;
ALTER TABLE identities ADD COLUMN totp_confirmed_at_ms BIGINT;
-- A secret that no code has confirmed yet, and until when one may.
ALTER TABLE identities ADD COLUMN totp_pending BYTEA;
ALTER TABLE identities ADD COLUMN totp_pending_until_ms BIGINT;
-- What the holders of a role must log in with besides a password.
ALTER TABLE roles ADD COLUMN second_factor TEXT;
