//! New keys: made and sealed outside the transaction, stored inside.

use std::sync::Arc;

use chancery_keys::{ForeignKey, Generated, KeyRef, KeySpec, SealedKey, random};
use chancery_store::{Tx, name_key, tables};
use chancery_types::{Curve, KeyId, KeyState, KeyUsage, Origin};

use super::key_type::KeyType;
use crate::{Chancery, Error, Result};

/// A new key, not stored yet.
pub(crate) struct NewKey {
    pub(crate) id: KeyId,
    pub(crate) key_type: &'static KeyType,
    pub(crate) sealed: SealedKey,
    /// SubjectPublicKeyInfo, for keys that have a public half.
    pub(crate) public_key: Option<Vec<u8>>,
    pub(crate) origin: Origin,
}

impl NewKey {
    fn of(key_type: &'static KeyType, Generated { sealed, public_key }: Generated) -> Self {
        Self { id: sealed.key().id, key_type, sealed, public_key, origin: Origin::Generated }
    }

    /// Stores the key under a name; false when it is a data key and its name is taken.
    pub(crate) async fn insert(self, tx: &mut Tx, name: &str, usages: &[KeyUsage], now_ms: i64) -> Result<bool> {
        let reference = *self.sealed.key();
        let row = tables::keys::Row {
            id: self.id.into(),
            name: name.to_owned(),
            name_key: name_key(name),
            key_type_id: self.key_type.id.into(),
            spec: reference.spec.as_str().to_owned(),
            purpose: reference.purpose.as_str().to_owned(),
            usages: usages_text(usages),
            state: KeyState::Enabled.as_str().to_owned(),
            bound_algorithm: None,
            current_version: reference.version,
            created_at_ms: now_ms,
            origin: self.origin.as_str().to_owned(),
        };
        if !tables::keys::insert(tx, &row).await? {
            return Ok(false);
        }
        tables::key_versions::insert(tx, &version_row(&self.sealed, self.public_key, now_ms)).await?;
        Ok(true)
    }
}

impl Chancery {
    /// A key of this type: one that was made ahead, or one that is made now.
    pub(crate) async fn new_key(&self, key_type: &'static KeyType) -> Result<NewKey> {
        if let Some(ready) = self.rsa_pool.take(key_type) {
            return Ok(ready);
        }
        let reference = first_version(self.new_key_id(), key_type);
        Ok(NewKey::of(key_type, self.generate_key(reference).await?))
    }

    /// Seals a key that was made elsewhere.
    pub(crate) async fn sealed_foreign_key(&self, key: ForeignKey) -> Result<NewKey> {
        let id = self.new_key_id();
        let key_type = KeyType::by_spec(key.spec()).ok_or_else(|| Error::internal("a kind of key has no type"))?;
        let custodian = Arc::clone(&self.custodian);
        let sealed = self.pool.run(move || custodian.seal_foreign_key(id, key)).await??;
        Ok(NewKey { origin: Origin::Imported, ..NewKey::of(key_type, sealed) })
    }

    /// Makes a key that nobody waits for.
    pub(super) async fn key_made_aside(&self, key_type: &'static KeyType) -> Result<NewKey> {
        let (custodian, reference) = (Arc::clone(&self.custodian), first_version(self.new_key_id(), key_type));
        Ok(NewKey::of(key_type, self.pool.run_aside(move || custodian.generate(reference)).await??))
    }

    /// In time, since the keys of certificates are as many as certificates.
    fn new_key_id(&self) -> KeyId {
        KeyId::in_time(self.clock.now_ms(), random())
    }

    /// Makes the key that the reference names, a first version or a later one: on the bounded pool, unless it is quick.
    pub(super) async fn generate_key(&self, reference: KeyRef) -> Result<Generated> {
        if is_quick(reference.spec) {
            return Ok(self.custodian.generate(reference)?);
        }
        let custodian = Arc::clone(&self.custodian);
        Ok(self.pool.run(move || custodian.generate(reference)).await??)
    }
}

/// Whether making a key takes no longer than the way to the pool and back.
const fn is_quick(spec: KeySpec) -> bool {
    match spec {
        KeySpec::Ec(Curve::P256) | KeySpec::Ed25519 | KeySpec::Aes(_) | KeySpec::Hmac256 => true,
        KeySpec::Rsa(_) | KeySpec::Ec(Curve::P384 | Curve::P521) | KeySpec::MlDsa(_) => false,
    }
}

/// The first version of a key that does not exist yet.
const fn first_version(id: KeyId, key_type: &KeyType) -> KeyRef {
    KeyRef { id, version: 1, purpose: key_type.purpose, spec: key_type.spec }
}

/// A version as it is stored.
pub(super) fn version_row(sealed: &SealedKey, public_key: Option<Vec<u8>>, now_ms: i64) -> tables::key_versions::Row {
    tables::key_versions::Row {
        key_id: sealed.key().id.into(),
        version: sealed.key().version,
        sealed: sealed.as_bytes().to_vec(),
        public_key,
        created_at_ms: now_ms,
    }
}

/// Usages as they are stored.
pub(super) fn usages_text(usages: &[KeyUsage]) -> String {
    let spellings: Vec<_> = usages.iter().map(|usage| usage.as_str()).collect();
    serde_json::Value::from(spellings).to_string()
}
