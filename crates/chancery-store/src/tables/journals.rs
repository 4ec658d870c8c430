//! How far the journals of the data plane go.

use uuid::Uuid;

use crate::authority::{self, authority};
use crate::{StoreError, Tx, sql};

/// A journal as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// The host of its server.
    pub host: String,
    /// The folder there.
    pub folder: String,
    /// When it began, in milliseconds since the epoch.
    pub began_at_ms: i64,
    /// The first segment that was not removed for its age.
    pub first_segment: i64,
    /// The segment of the newest record.
    pub segment: i64,
    /// The number of the newest record.
    pub record: i64,
    /// The hash of all records up to it.
    pub hash: Vec<u8>,
    /// When that was written.
    pub written_at_ms: i64,
    /// When it was found that the folder has it no more.
    pub missed_at_ms: Option<i64>,
}

const ALL: &str = "SELECT id, host, folder, began_at_ms, first_segment, segment, record, hash, written_at_ms, missed_at_ms, \
    mac FROM journals ORDER BY began_at_ms, id";

/// All of them.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).authentic(tx).await
}

/// Writes where a journal is and how far it goes, whether it was known or not.
pub async fn put(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::put(tx, row).await
}

authority!(Row, "journals", keys 1, {
    id, host, folder, began_at_ms, first_segment, segment, record, hash, written_at_ms, missed_at_ms,
});
