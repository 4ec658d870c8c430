//! Open signing keys. Opening one parses and checks it, which for RSA costs as much as a signature, so those in use stay
//! open.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use chancery_keys::{Input, OpenError, RsaBatch, SIGNED_TOGETHER, SealedKey, SignatureScheme, SigningKey, ToSign};
use chancery_store::tables;
use chancery_types::{KeyAlgorithm, KeyId, KeyUsage};

use super::stored::StoredKey;
use crate::{
    Chancery, Error, Result,
    pool::{Signing, Signs},
};

/// Keys that stay open: more than installations have authorities and services.
const OPEN_MAX: usize = 1_024;

/// Messages up to this are hashed where they are: a thread hop costs more.
const INLINE_MAX: usize = 64 * 1024;

/// Why a key can never be used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum KeyGone {
    /// Its sealed form is not there.
    #[error("a stored key has no current version")]
    Destroyed,
    /// Its sealed form does not open.
    #[error("a stored key does not open: {0}")]
    Sealed(OpenError),
}

/// Which key, and for what it is open: whoever opens an authority's key must not find one for batches.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Opened {
    id: KeyId,
    version: u32,
    batch: RsaBatch,
}

/// The signing keys that are open.
#[derive(Default)]
pub(crate) struct SigningKeys(Mutex<HashMap<Opened, Arc<SigningKey>>>);

impl SigningKeys {
    fn find(&self, key: Opened) -> Option<Arc<SigningKey>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).map(Arc::clone)
    }

    fn keep(&self, key: Opened, open: &Arc<SigningKey>) {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= OPEN_MAX {
            keys.clear();
        }
        keys.insert(key, Arc::clone(open));
    }

    /// Closes a key of which something changed; the next use looks at the store in any case.
    pub(crate) fn close(&self, id: Option<KeyId>) {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.retain(|open, _| id.is_some_and(|id| id != open.id));
    }
}

impl Chancery {
    /// Opens the newest version of a signing key, if its state and usages allow that it signs. State and usages are read
    /// from the store each time: no signature is made with a key that was disabled before.
    pub(crate) async fn signing_key(&self, id: KeyId) -> Result<Arc<SigningKey>> {
        self.living_signing_key(id, RsaBatch::Never).await?.map_err(Error::internal)
    }

    /// Whether keys that sign content may do so in batches (docs/decisions/0011-rsa-in-groups.md).
    pub(crate) fn content_batch(&self) -> RsaBatch {
        let is_off = self.hardened || self.limits.rsa_group_max < *SIGNED_TOGETHER.start();
        if is_off { RsaBatch::Never } else { RsaBatch::Allowed }
    }

    /// The same, where a key that is gone for good is no fault of the call. What is out of reach for now is an error.
    pub(crate) async fn living_signing_key(
        &self,
        id: KeyId,
        batch: RsaBatch,
    ) -> Result<std::result::Result<Arc<SigningKey>, KeyGone>> {
        let (key, version) = self
            .store
            .read(move |tx| {
                Box::pin(async move {
                    let row = tables::keys::by_id(tx, id.into()).await?.ok_or_else(|| Error::not_found("key"))?;
                    let version = tables::key_versions::one(tx, id.into(), row.current_version).await?;
                    Ok::<_, Error>((StoredKey::from_row(&row)?, version))
                })
            })
            .await?;
        key.check_use(KeyUsage::Sign)?;
        let Some(version) = version else { return Ok(Err(KeyGone::Destroyed)) };
        let name = Opened { id, version: version.version, batch };
        if let Some(open) = self.signing_keys.find(name) {
            return Ok(Ok(open));
        }
        let (custodian, sealed) = (Arc::clone(&self.custodian), key.sealed(&version));
        let opened = self.pool.run(move || custodian.open_signing_key(&sealed, batch)).await?;
        Ok(opened.map_err(KeyGone::Sealed).map(|open| {
            let open = Arc::new(open);
            self.signing_keys.keep(name, &open);
            open
        }))
    }

    /// Opens a sealed signing key that need not stay open.
    pub(crate) async fn open_signing_key(&self, sealed: SealedKey) -> Result<Arc<SigningKey>> {
        let custodian = Arc::clone(&self.custodian);
        Ok(Arc::new(self.pool.run(move || custodian.open_signing_key(&sealed, RsaBatch::Never)).await??))
    }

    /// Signs a message: where it is with a quick key, on the bounded pool with RSA, or where much is to be hashed.
    pub(crate) async fn sign(
        &self,
        key: &Arc<SigningKey>,
        scheme: SignatureScheme,
        message: Vec<u8>,
    ) -> Result<Vec<u8>> {
        let is_small = message.len() <= INLINE_MAX;
        if key.key().spec.algorithm() != KeyAlgorithm::Rsa && is_small {
            return Ok(key.sign(scheme, Input::Message(&message))?);
        }
        let job = Signing { of: Message { key: Arc::clone(key), scheme, message }, then: |_, signature| signature };
        Ok(if is_small { self.pool.run_brief(job).await?? } else { self.pool.run(job).await?? })
    }
}

/// A message that is to be signed.
struct Message {
    key: Arc<SigningKey>,
    scheme: SignatureScheme,
    message: Vec<u8>,
}

impl Signs for Message {
    fn to_sign(&self) -> ToSign<'_> {
        ToSign { key: &self.key, scheme: self.scheme, input: Input::Message(&self.message) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, keys::key_type::KeyType, testing::Installation};

    /// A new RSA key for signatures.
    async fn rsa_key(chancery: &Chancery) -> KeyId {
        let key_type = KeyType::by_spec(chancery_keys::KeySpec::Rsa(chancery_keys::RsaSize::Bits2048)).unwrap();
        let (key, now_ms) = (chancery.new_key(key_type).await.unwrap(), chancery.clock.now_ms());
        let id = key.id;
        let stored = chancery
            .store
            .write(move |tx| Box::pin(async move { key.insert(tx, "key", key_type.usages, now_ms).await }));
        assert!(stored.await.unwrap());
        id
    }

    #[tokio::test]
    async fn only_content_is_signed_in_batches() {
        let installation = Installation::new().await;
        let (chancery, id) = (&installation.chancery, rsa_key(&installation.chancery).await);
        assert_eq!(chancery.content_batch(), RsaBatch::Allowed);
        let allowed = chancery.living_signing_key(id, RsaBatch::Allowed).await.unwrap().unwrap();
        // Authorities, revocation, OCSP and time stamps ask so, also for a key that is open for content.
        let never = chancery.signing_key(id).await.unwrap();
        assert_eq!(never.group(), None);
        assert!(!Arc::ptr_eq(&allowed, &never));
        chancery.signing_keys.close(Some(id));
        for batch in [RsaBatch::Allowed, RsaBatch::Never] {
            assert!(chancery.signing_keys.find(Opened { id, version: 1, batch }).is_none(), "{batch:?}");
        }
    }

    #[tokio::test]
    async fn nothing_is_signed_in_batches_in_hardened_mode_or_where_they_are_turned_off() {
        let hardened = Installation::new().await.hardened_node().await;
        assert_eq!(hardened.content_batch(), RsaBatch::Never);
        for (rsa_group_max, expected) in [(1, RsaBatch::Never), (2, RsaBatch::Never), (3, RsaBatch::Allowed)] {
            let limits = Limits { rsa_group_max, ..Limits::default() };
            assert_eq!(Installation::with_limits(limits).await.chancery.content_batch(), expected, "{rsa_group_max}");
        }
    }
}
