//! New keys: made outside the transaction, stored inside.

use chancery_keys::{Backend, ForeignKey, KeySpec};
use chancery_store::{Tx, name_key, tables};
use chancery_types::{KeyId, KeyState, KeyUsage, Origin};

use super::key_type;
use crate::{Keys, Result, custody::KeyMaterial};

/// A new key, not stored yet.
pub(crate) struct NewKey {
    pub(crate) version: KeyMaterial,
    pub(crate) origin: Origin,
}

impl NewKey {
    pub(crate) const fn id(&self) -> KeyId {
        self.version.handle.key.id
    }

    /// Stores the key under a name; false when it is a data key and its name is taken.
    pub(crate) async fn insert(self, tx: &mut Tx, name: &str, usages: &[KeyUsage], now_ms: i64) -> Result<bool> {
        let reference = self.version.handle.key;
        let row = tables::keys::Row {
            id: reference.id.into(),
            name: name.to_owned(),
            name_key: name_key(name),
            key_type_id: key_type::id(reference.spec).into(),
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
        tables::key_versions::insert(tx, &version_row(self.version, now_ms)).await?;
        Ok(true)
    }
}

impl Keys {
    /// A key of this kind.
    pub(crate) async fn new_key(&self, spec: KeySpec) -> Result<NewKey> {
        let version = self.context.custody.new_key(key_type::purpose(spec), spec).await?;
        Ok(NewKey { version, origin: Origin::Generated })
    }

    /// Seals a key that was made elsewhere.
    pub(crate) async fn sealed_foreign_key(&self, key: ForeignKey) -> Result<NewKey> {
        Ok(NewKey { version: self.context.custody.seal_foreign(key).await?, origin: Origin::Imported })
    }
}

/// A version as it is stored.
pub(super) fn version_row(version: KeyMaterial, now_ms: i64) -> tables::key_versions::Row {
    let KeyMaterial { handle, sealed, public_key } = version;
    tables::key_versions::Row {
        key_id: handle.key.id.into(),
        version: handle.key.version,
        sealed,
        public_key,
        created_at_ms: now_ms,
        backend: match handle.backend {
            Backend::Database => None,
            Backend::Outside(name) => Some(name.to_string()),
        },
    }
}

/// Usages as they are stored.
pub(super) fn usages_text(usages: &[KeyUsage]) -> String {
    let spellings: Vec<_> = usages.iter().map(|usage| usage.as_str()).collect();
    serde_json::Value::from(spellings).to_string()
}
