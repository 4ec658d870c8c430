//! Bearer tokens: JSON Web Tokens (RFC 7519) with HMAC-SHA-256.

use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, decode_header, encode, errors::ErrorKind,
};
use serde::{Serialize, de::DeserializeOwned};
use thiserror::Error;

use crate::{Failed, KeyRef, KeySpec, OpenError, Secret, generate::HMAC_KEY_LEN};

const TYP: &str = "JWT";

/// An open key for bearer tokens.
pub struct BearerKey {
    key: KeyRef,
    kid: String,
    encoding: EncodingKey,
    decoding: DecodingKey,
}

/// Why a token was refused. The caller of the interface is told only that it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BearerError {
    /// Not three parts of base64url, or no JSON header with a registered algorithm (`none` is not taken for one).
    #[error("not a signed JSON Web Token")]
    Malformed,
    /// Another algorithm than HS256, or another type than JWT.
    #[error("the token's algorithm or type is not ours")]
    Algorithm,
    /// No key, or none that is known.
    #[error("the token names no known key")]
    UnknownKey,
    /// Header or claims were changed, or another key made it.
    #[error("the token's signature is wrong")]
    Signature,
    /// Signed by us, but not with the claims expected.
    #[error("the token's claims are not of the expected form")]
    Claims,
}

impl BearerKey {
    pub(crate) fn new(key: KeyRef, secret: &Secret) -> Result<Self, OpenError> {
        let secret = secret.expose();
        if key.spec != KeySpec::Hmac256 || secret.len() != HMAC_KEY_LEN {
            return Err(OpenError::Unusable);
        }
        Ok(Self {
            key,
            kid: format!("{}.{}", key.id, key.version),
            encoding: EncodingKey::from_secret(secret),
            decoding: DecodingKey::from_secret(secret),
        })
    }

    /// Which key it is.
    #[must_use]
    pub const fn key(&self) -> &KeyRef {
        &self.key
    }

    /// Signs claims: a JWT with the header members `typ`, `alg` and `kid`.
    pub fn sign<C: Serialize>(&self, claims: &C) -> Result<String, Failed> {
        let header = Header { kid: Some(self.kid.clone()), ..Header::new(Algorithm::HS256) };
        encode(&header, claims, &self.encoding).map_err(|_| Failed)
    }
}

/// The claims of a token that one of these keys signed. No time is looked at: `exp` and the session's life are the
/// caller's to check.
pub fn verify<'k, C: DeserializeOwned>(
    token: &str,
    keys: impl IntoIterator<Item = &'k BearerKey>,
) -> Result<C, BearerError> {
    let header = decode_header(token).map_err(|_| BearerError::Malformed)?;
    if header.alg != Algorithm::HS256 || header.typ.as_deref() != Some(TYP) {
        return Err(BearerError::Algorithm);
    }
    let kid = header.kid.as_deref().ok_or(BearerError::UnknownKey)?;
    let key = keys.into_iter().find(|key| key.kid == kid).ok_or(BearerError::UnknownKey)?;
    match decode(token, &key.decoding, &signature_only()) {
        Ok(token) => Ok(token.claims),
        // Claims are parsed only after the signature was found good.
        Err(error) if matches!(error.kind(), ErrorKind::Json(_)) => Err(BearerError::Claims),
        Err(_) => Err(BearerError::Signature),
    }
}

/// The library's own rules, less all that would look at the clock or at claims.
fn signature_only() -> Validation {
    let mut validation = Validation::new(Algorithm::HS256);
    validation.required_spec_claims.clear();
    validation.validate_exp = false;
    validation.validate_nbf = false;
    validation.validate_aud = false;
    validation
}
