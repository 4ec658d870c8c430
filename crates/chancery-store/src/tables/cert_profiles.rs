//! Certificate profiles that people made.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

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
        concat!("SELECT id, name, name_key, profile, used, version, created_at_ms FROM cert_profiles ", $rest)
    };
}

const INSERT: &str = "INSERT INTO cert_profiles (id, name, name_key, profile, used, version, created_at_ms) \
    VALUES ($1, $2, $3, $4, $5, $6, $7)";
const UPDATE: &str = "UPDATE cert_profiles SET name = $3, name_key = $4, profile = $5, version = version + 1 \
    WHERE id = $1 AND version = $2";
const MARK_USED: &str = "UPDATE cert_profiles SET used = 1 WHERE id = $1 AND version = $2";
const DELETE: &str = "DELETE FROM cert_profiles WHERE id = $1 AND used = 0";
const BY_ID: &str = select!("WHERE id = $1");
const ALL: &str = select!("ORDER BY name_key, id");
const COUNT: &str = "SELECT COUNT(*) FROM cert_profiles";

/// Adds a profile; [`StoreError::Conflict`] when the name is taken.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    sql(INSERT)
        .bind(row.id)
        .bind(&row.name)
        .bind(&row.name_key)
        .bind(&row.profile)
        .bind(row.used)
        .bind(row.version)
        .bind(row.created_at_ms)
        .execute(tx)
        .await?;
    Ok(())
}

/// Writes name and profile, if the version is still that of `row`; whether it was. [`StoreError::Conflict`] when the
/// name is taken.
pub async fn update(tx: &mut Tx, row: &Row) -> Result<bool, StoreError> {
    let statement = sql(UPDATE).bind(row.id).bind(row.version).bind(&row.name).bind(&row.name_key).bind(&row.profile);
    Ok(statement.execute(tx).await? == 1)
}

/// Notes that a certificate was stored under this version of a profile; whether it is still the version.
pub async fn mark_used(tx: &mut Tx, id: Uuid, version: i64) -> Result<bool, StoreError> {
    Ok(sql(MARK_USED).bind(id).bind(version).execute(tx).await? == 1)
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
    sql(ALL).all(tx).await
}

/// How many there are.
pub async fn count(tx: &mut Tx) -> Result<i64, StoreError> {
    sql(COUNT).one(tx).await
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            id: columns.get("id")?,
            name: columns.get("name")?,
            name_key: columns.get("name_key")?,
            profile: columns.get("profile")?,
            used: columns.get("used")?,
            version: columns.get("version")?,
            created_at_ms: columns.get("created_at_ms")?,
        })
    }
}
