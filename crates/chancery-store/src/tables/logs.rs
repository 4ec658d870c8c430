//! The transparency log itself: its name, its key, and the newest checkpoint.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// The log as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its name, the first line of every checkpoint.
    pub origin: String,
    /// The id of its key.
    pub key_id: Uuid,
    /// Its sealed key.
    pub sealed: Vec<u8>,
    /// The public half, 32 bytes.
    pub public_key: Vec<u8>,
    /// Entries of the newest checkpoint.
    pub size: i64,
    /// The newest checkpoint, signed.
    pub checkpoint: String,
}

/// There is one log.
const ID: i64 = 1;

const INSERT_IF_ABSENT: &str = "INSERT INTO logs (id, origin, key_id, sealed, public_key, size, checkpoint) \
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING";
const READ: &str = "SELECT origin, key_id, sealed, public_key, size, checkpoint FROM logs WHERE id = $1";
const RENAME: &str = "UPDATE logs SET origin = $2, checkpoint = $3 WHERE id = $1 AND size = 0";
const ADVANCE: &str = "UPDATE logs SET size = $3, checkpoint = $4 WHERE id = $1 AND size = $2";

/// Begins the log, unless it was begun: of two nodes that start at once, one is first.
pub async fn insert_if_absent(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    sql(INSERT_IF_ABSENT)
        .bind(ID)
        .bind(&row.origin)
        .bind(row.key_id)
        .bind(&row.sealed)
        .bind(&row.public_key)
        .bind(row.size)
        .bind(&row.checkpoint)
        .execute(tx)
        .await?;
    Ok(())
}

/// The log, once it was begun.
pub async fn read(tx: &mut Tx) -> Result<Option<Row>, StoreError> {
    sql(READ).bind(ID).optional(tx).await
}

/// Gives a log without entries another name; false where it has some.
pub async fn rename(tx: &mut Tx, origin: &str, checkpoint: &str) -> Result<bool, StoreError> {
    Ok(sql(RENAME).bind(ID).bind(origin).bind(checkpoint).execute(tx).await? == 1)
}

/// Stores the next checkpoint; false where the log no longer has the size that it rests on.
pub async fn advance(tx: &mut Tx, from: i64, size: i64, checkpoint: &str) -> Result<bool, StoreError> {
    Ok(sql(ADVANCE).bind(ID).bind(from).bind(size).bind(checkpoint).execute(tx).await? == 1)
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            origin: columns.get("origin")?,
            key_id: columns.get("key_id")?,
            sealed: columns.get("sealed")?,
            public_key: columns.get("public_key")?,
            size: columns.get("size")?,
            checkpoint: columns.get("checkpoint")?,
        })
    }
}
