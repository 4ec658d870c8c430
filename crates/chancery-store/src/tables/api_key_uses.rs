//! When the secrets of API keys were last used.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// The last use that was written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The key.
    pub key_id: Uuid,
    /// Which of its secrets.
    pub version: u32,
    /// When.
    pub used_at_ms: i64,
}

const NOTE: &str = "INSERT INTO api_key_uses (key_id, version, used_at_ms) \
    SELECT id, $2, $3 FROM api_keys WHERE id = $1 \
    ON CONFLICT (key_id, version) DO UPDATE SET used_at_ms = excluded.used_at_ms \
    WHERE api_key_uses.used_at_ms < excluded.used_at_ms";
const OF_IDENTITY: &str = "SELECT key_id, api_key_uses.version AS version, used_at_ms FROM api_key_uses \
    JOIN api_keys ON api_keys.id = api_key_uses.key_id WHERE identity_id = $1";
const FORGET_BEFORE: &str = "DELETE FROM api_key_uses WHERE key_id = $1 AND version < $2";

/// Writes a use down, if it is later than what is known and the key is still there.
pub async fn note(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    sql(NOTE).bind(row.key_id).bind(row.version).bind(row.used_at_ms).execute(tx).await?;
    Ok(())
}

/// What is known of the keys of an identity.
pub async fn of_identity(tx: &mut Tx, identity_id: Uuid) -> Result<Vec<Row>, StoreError> {
    sql(OF_IDENTITY).bind(identity_id).all(tx).await
}

/// Forgets the uses of older secrets of a key.
pub async fn forget_before(tx: &mut Tx, key_id: Uuid, version: u32) -> Result<(), StoreError> {
    sql(FORGET_BEFORE).bind(key_id).bind(version).execute(tx).await?;
    Ok(())
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            key_id: columns.get("key_id")?,
            version: columns.get("version")?,
            used_at_ms: columns.get("used_at_ms")?,
        })
    }
}
