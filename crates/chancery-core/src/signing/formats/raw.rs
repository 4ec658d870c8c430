//! The bare signature: RSA as long as the modulus, ECDSA in DER, Ed25519 and ML-DSA as their standards write them.

use std::sync::Arc;

use chancery_keys::{Digest, Input, SignatureScheme};

/// What a key signs directly.
#[derive(Debug)]
pub(crate) enum Unsigned {
    /// The payload, for schemes that sign messages only.
    Message(Arc<Vec<u8>>),
    /// Its digest.
    Digest(Digest),
}

/// Chooses what the key signs; `None` where the scheme needs the payload and there is none.
#[must_use]
pub(crate) fn prepare(scheme: SignatureScheme, digest: Digest, payload: Option<Arc<Vec<u8>>>) -> Option<Unsigned> {
    if scheme.signs_digests() { Some(Unsigned::Digest(digest)) } else { payload.map(Unsigned::Message) }
}

impl Unsigned {
    /// What the key has to sign.
    #[must_use]
    pub(crate) fn input(&self) -> Input<'_> {
        match self {
            Self::Message(message) => Input::Message(message),
            Self::Digest(digest) => Input::Digest(digest),
        }
    }
}
