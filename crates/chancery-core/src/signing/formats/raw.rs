//! The bare signature: RSA as long as the modulus, ECDSA in DER, Ed25519 and ML-DSA as their standards write them.

use chancery_keys::{Digest, Input, SignatureScheme};

/// What a key signs directly.
#[derive(Debug)]
pub enum Unsigned {
    /// The payload, for schemes that sign messages only.
    Message(Vec<u8>),
    /// Its digest.
    Digest(Digest),
}

/// Whether the digest alone is not enough.
#[must_use]
pub const fn needs_message(scheme: SignatureScheme) -> bool {
    !scheme.signs_digests()
}

/// Chooses what the key signs; `None` where the scheme needs the payload and there is none.
#[must_use]
pub fn prepare(scheme: SignatureScheme, digest: Digest, payload: Option<Vec<u8>>) -> Option<Unsigned> {
    if needs_message(scheme) { payload.map(Unsigned::Message) } else { Some(Unsigned::Digest(digest)) }
}

impl Unsigned {
    /// What the key has to sign.
    #[must_use]
    pub fn input(&self) -> Input<'_> {
        match self {
            Self::Message(message) => Input::Message(message),
            Self::Digest(digest) => Input::Digest(digest),
        }
    }
}
