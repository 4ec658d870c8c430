//! Keys of TLS sockets.

use chancery_types::{Curve, KeyId};

use crate::{Failed, KeyRef, KeySpec, Purpose, RsaBatch, Secret, SigningKey, generate::generate, random};

/// A new key for a TLS socket. The TLS library works with it in clear and finds it in a file at each start, so it is the
/// one kind of key that may leave custody. It is made here and nowhere else: no key that was ever sealed can become one.
pub struct TransportKey {
    pkcs8: Secret,
    signing: SigningKey,
}

impl TransportKey {
    /// A new key on P-256, which every TLS client knows.
    pub fn generate() -> Result<Self, Failed> {
        let spec = KeySpec::Ec(Curve::P256);
        let pair = generate(spec)?;
        let key = KeyRef { id: KeyId::from_random(random()), version: 1, purpose: Purpose::Sign, spec };
        let signing = SigningKey::new(key, &pair.secret, RsaBatch::Never).map_err(|_| Failed)?;
        Ok(Self { pkcs8: pair.secret, signing })
    }

    /// The key at work: for its own certificate, or for one below it.
    #[must_use]
    pub const fn signing_key(&self) -> &SigningKey {
        &self.signing
    }

    /// The key as PKCS#8 in DER, to be written to a file that its owner alone can read.
    #[must_use]
    pub fn into_pkcs8(self) -> Secret {
        self.pkcs8
    }
}
