//! The keys that bearer tokens are signed with.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// A key as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its number: 1 for the installation's first.
    pub version: i64,
    /// Its id.
    pub id: Uuid,
    /// The sealed key.
    pub sealed: Vec<u8>,
    /// When it was made.
    pub created_at_ms: i64,
}

const INSERT_IF_ABSENT: &str = "INSERT INTO bearer_keys (version, id, sealed, created_at_ms) \
    VALUES ($1, $2, $3, $4) ON CONFLICT (version) DO NOTHING";
const RESEAL: &str = "UPDATE bearer_keys SET sealed = $2 WHERE version = $1";
const ALL: &str = "SELECT version, id, sealed, created_at_ms FROM bearer_keys ORDER BY version DESC";

/// Adds a key, unless there is one of this number: of two nodes that start at once, one is first.
pub async fn insert_if_absent(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    sql(INSERT_IF_ABSENT).bind(row.version).bind(row.id).bind(&row.sealed).bind(row.created_at_ms).execute(tx).await?;
    Ok(())
}

/// Puts another seal in the place of a key's.
pub(crate) async fn reseal(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    sql(RESEAL).bind(row.version).bind(&row.sealed).execute(tx).await?;
    Ok(())
}

/// Every key, the newest first.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).all(tx).await
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Row {
            version: columns.get("version")?,
            id: columns.get("id")?,
            sealed: columns.get("sealed")?,
            created_at_ms: columns.get("created_at_ms")?,
        })
    }
}
