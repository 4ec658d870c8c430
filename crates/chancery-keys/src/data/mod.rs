//! What data keys do: each operation is prepared once and then used for many values.

mod hmac;
mod siv;
mod vault;
mod xaes;

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use chancery_ff1::{Alphabet, Ff1, Ff1Text};
use thiserror::Error;

use crate::{
    AesSize, Failed, KeyRef, KeySpec, OpenError, Secret,
    generate::{HMAC_KEY_LEN, aes_key_len},
};

pub use hmac::HmacSha256;
pub use siv::Aes256Siv;
pub use vault::{VAULT_HASH_LEN, VaultIndex, VaultSeal};
pub use xaes::{NotAuthentic, XAES_NONCE_LEN, Xaes256Gcm};

/// An open key for tokens: without Debug, Clone and serialisation, so that it stays where it is used.
pub struct DataKey {
    key: KeyRef,
    secret: Secret,
    /// What was prepared, by radix: what does not depend on a tweak's prefix is in memory once.
    ff1: Mutex<BTreeMap<u32, Ff1>>,
}

/// Why a data key does not prepare an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DataError {
    /// Keys of this kind do something else.
    #[error("keys of kind {spec} do not do {operation}")]
    NotOffered {
        /// The kind of key.
        spec: KeySpec,
        /// What was asked for.
        operation: &'static str,
    },
    /// FF1 does not know this radix or alphabet, or the kernel that the environment asks for.
    #[error("FF1: {0}")]
    Ff1(chancery_ff1::Error),
    /// The library failed.
    #[error(transparent)]
    Failed(#[from] Failed),
}

impl DataKey {
    pub(crate) fn new(key: KeyRef, secret: Secret) -> Result<Self, OpenError> {
        let len = match key.spec {
            KeySpec::Aes(size) => aes_key_len(size),
            KeySpec::Hmac256 => HMAC_KEY_LEN,
            KeySpec::Rsa(_) | KeySpec::Ec(_) | KeySpec::Ed25519 | KeySpec::MlDsa(_) => return Err(OpenError::Unusable),
        };
        if secret.expose().len() == len {
            Ok(Self { key, secret, ff1: Mutex::default() })
        } else {
            Err(OpenError::Unusable)
        }
    }

    /// Which key it is.
    #[must_use]
    pub const fn key(&self) -> &KeyRef {
        &self.key
    }

    /// FF1 over digits of a radix, 2 to 65,536. For AES keys. All that are asked for share what is prepared.
    pub fn ff1(&self, radix: u32) -> Result<Ff1, DataError> {
        let mut prepared = self.ff1.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ff1) = prepared.get(&radix) {
            return Ok(ff1.clone());
        }
        let ff1 = Ff1::new(&self.ff1_key()?, radix).map_err(DataError::Ff1)?;
        prepared.insert(radix, ff1.clone());
        Ok(ff1)
    }

    /// FF1 over ASCII text. For AES keys.
    pub fn ff1_text(&self, alphabet: &Alphabet) -> Result<Ff1Text, DataError> {
        Ok(Ff1Text::new(&self.ff1_key()?, alphabet))
    }

    fn ff1_key(&self) -> Result<chancery_ff1::Key, DataError> {
        self.demand(matches!(self.key.spec, KeySpec::Aes(_)), "FF1")?;
        chancery_ff1::Key::new(self.secret.expose()).map_err(DataError::Ff1)
    }

    /// XAES-256-GCM. For AES-256 keys.
    pub fn xaes_256_gcm(&self) -> Result<Xaes256Gcm, DataError> {
        self.demand(self.key.spec == KeySpec::Aes(AesSize::Bits256), "XAES-256-GCM")?;
        Xaes256Gcm::new(self.secret.expose()).map_err(DataError::Failed)
    }

    /// AES-256-SIV under a key derived from this one. For AES keys.
    pub fn aes_256_siv(&self) -> Result<Aes256Siv, DataError> {
        self.demand(matches!(self.key.spec, KeySpec::Aes(_)), "AES-256-SIV")?;
        Aes256Siv::derive(self.secret.expose()).map_err(DataError::Failed)
    }

    /// The seal of the rows of a vault, under a key derived from this one. For AES keys.
    pub fn vault_seal(&self, vault: &[u8; 16]) -> Result<VaultSeal, DataError> {
        self.demand(matches!(self.key.spec, KeySpec::Aes(_)), "seals of vaults")?;
        VaultSeal::derive(self.secret.expose(), &self.key, vault).map_err(DataError::Failed)
    }

    /// HMAC-SHA-256. For HMAC keys.
    pub fn hmac_sha_256(&self) -> Result<HmacSha256, DataError> {
        self.demand(self.key.spec == KeySpec::Hmac256, "HMAC-SHA-256")?;
        Ok(HmacSha256::new(self.secret.expose()))
    }

    const fn demand(&self, offered: bool, operation: &'static str) -> Result<(), DataError> {
        if offered { Ok(()) } else { Err(DataError::NotOffered { spec: self.key.spec, operation }) }
    }
}
