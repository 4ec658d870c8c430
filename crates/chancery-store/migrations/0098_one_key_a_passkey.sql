-- One key is one person's passkey, under whatever credential id: of two that come at the same time, one is refused.
CREATE UNIQUE INDEX passkeys_by_public_key ON passkeys (public_key);
