//! The root key: the one secret that is not in the store. Everything stored is sealed under keys derived from it.

mod file;

use std::path::PathBuf;

use aws_lc_rs::{
    aead::{self, UnboundKey},
    hkdf, hmac,
};

use crate::{Failed, Secret};

pub use file::RootKeyFileError;

/// Length of a root key in bytes.
const ROOT_KEY_LEN: usize = 32;

/// The salt of every derivation. It is part of the stored format.
const SALT: &[u8] = b"Chancery root key, version 1";

/// Where the root key comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RootKeySource {
    /// A file of 32 bytes that only its owner may read.
    File(PathBuf),
}

impl RootKeySource {
    /// Fetches the root key.
    pub fn load(&self) -> Result<RootKey, RootKeyFileError> {
        match self {
            Self::File(path) => RootKey::from_file(path),
        }
    }
}

/// A root key in clear. It is needed only to make a [`Custodian`](crate::Custodian), and wiped then.
pub struct RootKey(Secret);

impl RootKey {
    /// The extraction step of HKDF-SHA-256 (RFC 5869).
    pub(crate) fn derivation(&self) -> Derivation {
        Derivation(hkdf::Salt::new(hkdf::HKDF_SHA256, SALT).extract(self.0.expose()))
    }
}

/// Tells root keys apart without telling anything about them: 8 bytes derived from the root key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RootKeyId([u8; 8]);

impl RootKeyId {
    /// An id as read from the store.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(bytes)
    }

    /// The id as it is stored.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 8] {
        &self.0
    }
}

/// Derives keys from the root key: HKDF-SHA-256, one label for each use. The labels are part of the stored format.
pub(crate) struct Derivation(hkdf::Prk);

impl Derivation {
    pub(crate) fn root_key_id(&self) -> Result<RootKeyId, Failed> {
        let mut id = [0; 8];
        self.0.expand(&[b"root key id"], Bytes(id.len()))?.fill(&mut id)?;
        Ok(RootKeyId(id))
    }

    pub(crate) fn aes_256_gcm(&self, label: &[&[u8]]) -> Result<UnboundKey, Failed> {
        Ok(self.0.expand(label, &aead::AES_256_GCM)?.into())
    }

    pub(crate) fn hmac_sha_256(&self, label: &[&[u8]]) -> Result<hmac::Key, Failed> {
        Ok(self.0.expand(label, hmac::HMAC_SHA256)?.into())
    }
}

/// A length of output for HKDF.
pub(crate) struct Bytes(pub(crate) usize);

impl hkdf::KeyType for Bytes {
    fn len(&self) -> usize {
        self.0
    }
}
