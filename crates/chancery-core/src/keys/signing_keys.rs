//! Open signing keys. Opening one parses and checks it, which for RSA costs as much as a signature, so those in use stay
//! open.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use chancery_keys::{Input, SealedKey, SignatureScheme, SigningKey};
use chancery_store::tables;
use chancery_types::{KeyAlgorithm, KeyId, KeyUsage};

use super::stored::StoredKey;
use crate::{Chancery, Error, Result};

/// Keys that stay open: more than installations have authorities and services.
const OPEN_MAX: usize = 1_024;

/// Messages up to this are hashed where they are: a thread hop costs more.
const INLINE_MAX: usize = 64 * 1024;

/// The signing keys that are open, by key and version.
#[derive(Default)]
pub(crate) struct SigningKeys(Mutex<HashMap<(KeyId, u32), Arc<SigningKey>>>);

impl SigningKeys {
    fn find(&self, key: (KeyId, u32)) -> Option<Arc<SigningKey>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).map(Arc::clone)
    }

    fn keep(&self, key: (KeyId, u32), open: &Arc<SigningKey>) {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= OPEN_MAX {
            keys.clear();
        }
        keys.insert(key, Arc::clone(open));
    }

    /// Closes a key of which something changed; the next use looks at the store in any case.
    pub(crate) fn close(&self, id: Option<KeyId>) {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.retain(|(open, _), _| id.is_some_and(|id| id != *open));
    }
}

impl Chancery {
    /// Opens the newest version of a signing key, if its state and usages allow that it signs. State and usages are read
    /// from the store each time: no signature is made with a key that was disabled before.
    pub(crate) async fn signing_key(&self, id: KeyId) -> Result<Arc<SigningKey>> {
        let (key, version) = self
            .store
            .read(move |tx| {
                Box::pin(async move {
                    let row = tables::keys::by_id(tx, id.into()).await?.ok_or_else(|| Error::not_found("key"))?;
                    let version = tables::key_versions::one(tx, id.into(), row.current_version).await?;
                    let version = version.ok_or_else(|| Error::internal("a stored key has no current version"))?;
                    Ok::<_, Error>((StoredKey::from_row(&row)?, version))
                })
            })
            .await?;
        key.check_use(KeyUsage::Sign)?;
        let name = (id, version.version);
        if let Some(open) = self.signing_keys.find(name) {
            return Ok(open);
        }
        let open = self.open_signing_key(key.sealed(&version)).await?;
        self.signing_keys.keep(name, &open);
        Ok(open)
    }

    /// Opens a sealed signing key that need not stay open.
    pub(crate) async fn open_signing_key(&self, sealed: SealedKey) -> Result<Arc<SigningKey>> {
        let custodian = Arc::clone(&self.custodian);
        Ok(Arc::new(self.pool.run(move || custodian.open_signing_key(&sealed)).await??))
    }

    /// Signs a message: where it is with a quick key, on the bounded pool with RSA, or where much is to be hashed.
    pub(crate) async fn sign(
        &self,
        key: &Arc<SigningKey>,
        scheme: SignatureScheme,
        message: Vec<u8>,
    ) -> Result<Vec<u8>> {
        if key.key().spec.algorithm() != KeyAlgorithm::Rsa && message.len() <= INLINE_MAX {
            return Ok(key.sign(scheme, Input::Message(&message))?);
        }
        let key = Arc::clone(key);
        Ok(self.pool.run(move || key.sign(scheme, Input::Message(&message))).await??)
    }
}
