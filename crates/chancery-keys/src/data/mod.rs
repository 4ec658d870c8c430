//! What data keys do: each operation is prepared once and then used for many values.

use aws_lc_rs::hmac;

use crate::{
    KeyRef, KeySpec, OpenError, Secret,
    generate::{HMAC_KEY_LEN, aes_key_len},
};

/// An open key for tokens: without Debug, Clone and serialisation, so that it stays where it is used.
pub struct DataKey {
    key: KeyRef,
    secret: Secret,
}

/// This kind of key does not do this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("keys of kind {spec} do not do {operation}")]
pub struct NotOffered {
    /// The kind of key.
    pub spec: KeySpec,
    /// What was asked for.
    pub operation: &'static str,
}

impl DataKey {
    pub(crate) fn new(key: KeyRef, secret: Secret) -> Result<Self, OpenError> {
        let len = match key.spec {
            KeySpec::Aes(size) => aes_key_len(size),
            KeySpec::Hmac256 => HMAC_KEY_LEN,
            KeySpec::Rsa(_) | KeySpec::Ec(_) | KeySpec::Ed25519 | KeySpec::MlDsa(_) => return Err(OpenError::Unusable),
        };
        if secret.expose().len() == len { Ok(Self { key, secret }) } else { Err(OpenError::Unusable) }
    }

    /// Which key it is.
    #[must_use]
    pub const fn key(&self) -> &KeyRef {
        &self.key
    }

    /// HMAC-SHA-256 under this key.
    pub fn hmac_sha_256(&self) -> Result<HmacSha256, NotOffered> {
        if self.key.spec != KeySpec::Hmac256 {
            return Err(NotOffered { spec: self.key.spec, operation: "HMAC-SHA-256" });
        }
        Ok(HmacSha256(hmac::Key::new(hmac::HMAC_SHA256, self.secret.expose())))
    }
}

/// HMAC-SHA-256 (RFC 2104) under one key.
pub struct HmacSha256(hmac::Key);

impl HmacSha256 {
    /// The code of the concatenated parts. Whoever passes several is responsible that no two sets of parts concatenate
    /// to the same bytes.
    #[must_use]
    pub fn code(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut hmac = hmac::Context::with_key(&self.0);
        parts.iter().for_each(|part| hmac.update(part));
        hmac.sign().as_ref().try_into().expect("HMAC-SHA-256 has 32 bytes")
    }
}
