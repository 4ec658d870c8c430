//! Certificate profiles that people made.

use uuid::Uuid;

use crate::authority::{self, amend, authority};
use crate::value::Bind;
use crate::{StoreError, Tx, sql};

/// A certificate profile as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// Its name in one letter case.
    pub name_key: String,
    /// The profile, in JSON.
    pub profile: String,
    /// Whether a certificate was ever stored under it.
    pub used: bool,
    /// Counts the changes.
    pub version: i64,
    /// When it was made.
    pub created_at_ms: i64,
}

macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT id, name, name_key, profile, used, version, created_at_ms, mac FROM cert_profiles ", $rest)
    };
}

const DELETE: &str = "DELETE FROM cert_profiles WHERE id = $1 AND used = 0";
const BY_ID: &str = select!("WHERE id = $1");
const ALL: &str = select!("ORDER BY name_key, id");
const COUNT: &str = "SELECT COUNT(*) FROM cert_profiles";

/// Adds a profile; [`StoreError::Conflict`] when the name is taken.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::insert(tx, row).await
}

/// Writes name and profile, if the version is still that of `row`; whether it was. [`StoreError::Conflict`] when the
/// name is taken.
pub async fn update(tx: &mut Tx, row: &Row) -> Result<bool, StoreError> {
    let new = row.clone();
    amend(tx, vec![row.id.into_value()], |old: &mut Row| {
        if old.version != new.version {
            return false;
        }
        *old = Row { used: old.used, version: old.version + 1, created_at_ms: old.created_at_ms, ..new };
        true
    })
    .await
}

/// Notes that a certificate was stored under this version of a profile; whether it is still the version.
pub async fn mark_used(tx: &mut Tx, id: Uuid, version: i64) -> Result<bool, StoreError> {
    let mut is_current = false;
    let changed = amend(tx, vec![id.into_value()], |row: &mut Row| {
        is_current = row.version == version;
        // Nearly always it was used before.
        let is_first = is_current && !row.used;
        row.used = true;
        is_first
    });
    changed.await?;
    Ok(is_current)
}

/// Removes a profile that was never used; whether there was one.
pub async fn delete(tx: &mut Tx, id: Uuid) -> Result<bool, StoreError> {
    Ok(sql(DELETE).bind(id).execute(tx).await? == 1)
}

/// The profile with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// Every profile, by name.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).authentic(tx).await
}

/// How many there are.
pub async fn count(tx: &mut Tx) -> Result<i64, StoreError> {
    sql(COUNT).one(tx).await
}

authority!(Row, "cert_profiles", keys 1, { id, name, name_key, profile, used, version, created_at_ms });
