//! Who did what, or was refused.

use uuid::Uuid;

use crate::{StoreError, Tx, sql};

/// A record to append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// When, in milliseconds since the epoch.
    pub at_ms: i64,
    /// The request's id.
    pub request_id: String,
    /// The address that it came from.
    pub source: String,
    /// Who, as JSON.
    pub identities: String,
    /// What was asked for.
    pub action: String,
    /// On which object.
    pub object: Option<Uuid>,
    /// How it ended.
    pub outcome: String,
    /// More, as JSON; never a secret.
    pub detail: String,
    /// How often; more than 1 where many calls are told as one.
    pub count: i64,
}

const APPEND: &str = "INSERT INTO audit (at_ms, request_id, source, identities, action, object, outcome, detail, count) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

/// Appends a record.
pub async fn append(tx: &mut Tx, record: &Record) -> Result<(), StoreError> {
    sql(APPEND)
        .bind(record.at_ms)
        .bind(&record.request_id)
        .bind(&record.source)
        .bind(&record.identities)
        .bind(&record.action)
        .bind(record.object)
        .bind(&record.outcome)
        .bind(&record.detail)
        .bind(record.count)
        .execute(tx)
        .await?;
    Ok(())
}
