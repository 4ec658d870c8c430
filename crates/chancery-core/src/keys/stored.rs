//! Keys as they come out of the store.

use chancery_keys::{Backend, KeyHandle, KeyRef, KeySpec, Purpose, SealedKey};
use chancery_store::tables;
use chancery_types::{
    Base64, KeyId, KeyState, KeyUsage, Origin, TokenAlgorithm,
    wire::{
        ObjInfo,
        keys::{Key, KeyStub, KeyVersion},
    },
};

use super::key_type::{self, parameters};
use crate::{Error, Result, custody::KeyMaterial, time::rfc3339};

/// A key's row, parsed.
#[derive(Clone, Debug)]
pub(crate) struct StoredKey {
    pub(crate) id: KeyId,
    pub(crate) name: String,
    pub(crate) spec: KeySpec,
    pub(crate) purpose: Purpose,
    pub(crate) usages: Vec<KeyUsage>,
    pub(crate) state: KeyState,
    pub(crate) bound_algorithm: Option<TokenAlgorithm>,
    pub(crate) current_version: u32,
    pub(crate) origin: Origin,
}

impl StoredKey {
    /// Parses a row. What does not parse was not written by us: InternalError.
    pub(crate) fn from_row(row: &tables::keys::Row) -> Result<Self> {
        Ok(Self {
            id: row.id.into(),
            name: row.name.clone(),
            spec: row.spec.parse().map_err(Error::internal)?,
            purpose: row.purpose.parse().map_err(Error::internal)?,
            usages: serde_json::from_str(&row.usages).map_err(Error::internal)?,
            state: row.state.parse().map_err(Error::internal)?,
            bound_algorithm: row.bound_algorithm.as_deref().map(str::parse).transpose().map_err(Error::internal)?,
            current_version: row.current_version,
            origin: row.origin.parse().map_err(Error::internal)?,
        })
    }

    /// Refuses a use that the key's state or usages do not allow.
    pub(crate) fn check_use(&self, usage: KeyUsage) -> Result<()> {
        check_use(self.state, &self.usages, usage)
    }

    /// A version's sealed key, as the custodian opens it. Only keys for signatures can be elsewhere.
    pub(crate) fn sealed(&self, version: &tables::key_versions::Row) -> Result<SealedKey> {
        let sealed = version.sealed.clone().ok_or_else(|| Error::internal("a data key is not in the database"))?;
        Ok(SealedKey::from_parts(self.reference(version.version), sealed))
    }

    /// A version, as custody knows it.
    pub(crate) fn version(&self, row: tables::key_versions::Row) -> KeyMaterial {
        let tables::key_versions::Row { version, sealed, public_key, backend, .. } = row;
        let backend = backend.map_or(Backend::Database, |name| Backend::Outside(name.into()));
        KeyMaterial { handle: KeyHandle { key: self.reference(version), backend }, sealed, public_key }
    }

    const fn reference(&self, version: u32) -> KeyRef {
        KeyRef { id: self.id, version, purpose: self.purpose, spec: self.spec }
    }

    /// As lists show it.
    pub(crate) fn stub(&self) -> KeyStub {
        KeyStub {
            obj_info: ObjInfo { name: self.name.clone(), uuid: self.id },
            key_type_uuid: key_type::id(self.spec),
            parameters: parameters(self.spec),
            usages: self.usages.clone(),
            state: self.state,
        }
    }

    /// In full.
    pub(crate) fn detail(&self, versions: &[tables::key_versions::Row]) -> Key {
        let stub = self.stub();
        let version = |row: &tables::key_versions::Row| KeyVersion {
            version: row.version,
            created_at: rfc3339(row.created_at_ms.div_euclid(1_000)),
            public_key: row.public_key.clone().map(Base64),
        };
        Key {
            uuid: self.id,
            obj_info: stub.obj_info,
            key_type_uuid: stub.key_type_uuid,
            parameters: stub.parameters,
            usages: stub.usages,
            state: stub.state,
            origin: self.origin,
            bound_algorithm: self.bound_algorithm,
            current_version: self.current_version,
            versions: versions.iter().map(version).collect(),
            warnings: Vec::new(),
        }
    }
}

/// Refuses a use that a key's state or usages do not allow.
pub(crate) fn check_use(state: KeyState, usages: &[KeyUsage], usage: KeyUsage) -> Result<()> {
    if state == KeyState::Disabled {
        return Err(Error::state("The key is disabled."));
    }
    if !usages.contains(&usage) {
        return Err(Error::forbidden(format!("The key's usages do not contain {usage}.")));
    }
    Ok(())
}
