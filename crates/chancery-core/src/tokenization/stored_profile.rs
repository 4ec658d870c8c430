//! Token profiles as they are stored.

use chancery_store::{
    name_key,
    tables::token_profiles::{Row, StubRow},
};
use chancery_types::{
    Durability, TokenProfileId,
    wire::{
        ObjInfo,
        token_profiles::{TokenFormat, TokenProfileStub},
    },
};

use super::spec::ProfileSpec;
use crate::{Error, Result};

impl ProfileSpec {
    /// Parses a row. What does not parse was not written by us: InternalError.
    pub(crate) fn from_row(row: &Row) -> Result<Self> {
        Ok(Self {
            name: row.name.clone(),
            algorithm: row.algorithm.parse().map_err(Error::internal)?,
            key: row.key_id.into(),
            key_version: row.key_version,
            min_decrypt_version: row.min_decrypt_version,
            tweak_domain: row.tweak_domain.map(TokenProfileId::from),
            format: serde_json::from_str(&row.format).map_err(Error::internal)?,
            use_iv: row.use_iv,
            deterministic: row.deterministic,
            time_to_live: row.time_to_live.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?,
            durability: match &row.durability {
                None => Durability::Written,
                Some(durability) => durability.parse().map_err(Error::internal)?,
            },
            control_rules: serde_json::from_str(&row.control_rules).map_err(Error::internal)?,
        })
    }

    /// The row of a new profile.
    pub(crate) fn new_row(&self, id: TokenProfileId, now_ms: i64) -> Result<Row> {
        Ok(Row {
            id: id.into(),
            name: self.name.clone(),
            name_key: name_key(&self.name),
            algorithm: self.algorithm.as_str().to_owned(),
            key_id: self.key.into(),
            key_version: self.key_version,
            min_decrypt_version: self.min_decrypt_version,
            first_key_version: None,
            last_key_version: None,
            moves: None,
            tweak_domain: self.tweak_domain.map(Into::into),
            format: serde_json::to_string(&self.format).map_err(Error::internal)?,
            use_iv: self.use_iv,
            deterministic: self.deterministic,
            time_to_live: self.time_to_live.as_ref().map(serde_json::to_string).transpose().map_err(Error::internal)?,
            control_rules: serde_json::to_string(&self.control_rules).map_err(Error::internal)?,
            used: false,
            version: 1,
            created_at_ms: now_ms,
            durability: match self.durability {
                Durability::Written => None,
                Durability::Durable => Some(self.durability.as_str().to_owned()),
            },
        })
    }

    /// The row of a profile that is changed from `old`, which says what the change was decided on.
    pub(crate) fn changed_row(&self, old: &Row) -> Result<Row> {
        let new = self.new_row(old.id.into(), old.created_at_ms)?;
        let (first_key_version, last_key_version) = (old.first_key_version, old.last_key_version);
        Ok(Row { used: old.used, first_key_version, last_key_version, version: old.version, ..new })
    }
}

/// As lists show it.
pub(crate) fn stub(row: StubRow) -> Result<TokenProfileStub> {
    let format: TokenFormat = serde_json::from_str(&row.format).map_err(Error::internal)?;
    Ok(TokenProfileStub {
        obj_info: ObjInfo { name: row.name, uuid: row.id.into() },
        algorithm: row.algorithm.parse().map_err(Error::internal)?,
        alphabet: format.alphabet,
        use_iv: row.use_iv,
        key_version: row.key_version,
        min_decrypt_version: row.min_decrypt_version,
        system: false,
    })
}
