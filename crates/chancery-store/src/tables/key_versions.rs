//! The versions of keys: sealed bytes, and public halves.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// A version as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The key.
    pub key_id: Uuid,
    /// Its version, from 1.
    pub version: u32,
    /// The sealed key.
    pub sealed: Vec<u8>,
    /// SubjectPublicKeyInfo in DER, for keys that have a public half.
    pub public_key: Option<Vec<u8>>,
    /// When it was made, in milliseconds since the epoch.
    pub created_at_ms: i64,
}

const INSERT: &str =
    "INSERT INTO key_versions (key_id, version, sealed, public_key, created_at_ms) VALUES ($1, $2, $3, $4, $5)";
const OF_KEY: &str = "SELECT key_id, version, sealed, public_key, created_at_ms FROM key_versions \
    WHERE key_id = $1 ORDER BY version";
const ONE: &str = "SELECT key_id, version, sealed, public_key, created_at_ms FROM key_versions \
    WHERE key_id = $1 AND version = $2";

/// Adds a version.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    sql(INSERT)
        .bind(row.key_id)
        .bind(row.version)
        .bind(&row.sealed)
        .bind(row.public_key.as_deref())
        .bind(row.created_at_ms)
        .execute(tx)
        .await?;
    Ok(())
}

/// All versions of a key, the oldest first.
pub async fn of_key(tx: &mut Tx, key_id: Uuid) -> Result<Vec<Row>, StoreError> {
    sql(OF_KEY).bind(key_id).all(tx).await
}

/// One version of a key.
pub async fn one(tx: &mut Tx, key_id: Uuid, version: u32) -> Result<Option<Row>, StoreError> {
    sql(ONE).bind(key_id).bind(version).optional(tx).await
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            key_id: columns.get("key_id")?,
            version: columns.get("version")?,
            sealed: columns.get("sealed")?,
            public_key: columns.optional("public_key")?,
            created_at_ms: columns.get("created_at_ms")?,
        })
    }
}
