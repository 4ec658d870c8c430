//! The versions of keys: sealed bytes or where they are kept, and public halves.

use uuid::Uuid;

use crate::authority::{self, authority};
use crate::{StoreError, Tx, sql};

/// A version as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The key.
    pub key_id: Uuid,
    /// Its version, from 1.
    pub version: u32,
    /// The sealed key, where it is kept here.
    pub sealed: Option<Vec<u8>>,
    /// SubjectPublicKeyInfo in DER, for keys that have a public half.
    pub public_key: Option<Vec<u8>>,
    /// When it was made, in milliseconds since the epoch.
    pub created_at_ms: i64,
    /// What keeps it, where it is not kept here.
    pub backend: Option<String>,
}

const OF_KEY: &str = "SELECT key_id, version, sealed, public_key, created_at_ms, backend, mac FROM key_versions \
    WHERE key_id = $1 ORDER BY version";
const ONE: &str = "SELECT key_id, version, sealed, public_key, created_at_ms, backend, mac FROM key_versions \
    WHERE key_id = $1 AND version = $2";

/// Adds a version.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::insert(tx, row).await
}

/// All versions of a key, the oldest first.
pub async fn of_key(tx: &mut Tx, key_id: Uuid) -> Result<Vec<Row>, StoreError> {
    sql(OF_KEY).bind(key_id).all(tx).await
}

/// One version of a key.
pub async fn one(tx: &mut Tx, key_id: Uuid, version: u32) -> Result<Option<Row>, StoreError> {
    sql(ONE).bind(key_id).bind(version).optional(tx).await
}

authority!(Row, "key_versions", keys 2, { key_id, version, public_key, created_at_ms, backend } apart { sealed });
