//! Calls that their senders may repeat, and how they were answered.

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// A call that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// SHA-256 over who called, the path and the key.
    pub id: Vec<u8>,
    /// SHA-256 of its body, if it was read.
    pub body: Option<Vec<u8>>,
    /// The id of the request that made it.
    pub request_id: String,
    /// The body of its answer, once that is known; empty where it is not kept.
    pub answer: Option<Vec<u8>>,
    /// When it was made.
    pub made_at_ms: i64,
}

const CLAIM: &str = "INSERT INTO idempotency_keys (id, body, request_id, made_at_ms) VALUES ($1, $2, $3, $4) \
    ON CONFLICT (id) DO UPDATE SET body = excluded.body WHERE idempotency_keys.request_id = excluded.request_id";
const ANSWERED: &str = "UPDATE idempotency_keys SET answer = $2 WHERE id = $1";
const BY_ID: &str = "SELECT id, body, request_id, answer, made_at_ms FROM idempotency_keys WHERE id = $1";
const FORGET_ONE: &str = "DELETE FROM idempotency_keys WHERE id = $1 AND made_at_ms < $2";
const FORGET: &str = "DELETE FROM idempotency_keys WHERE made_at_ms < $1";

/// Notes that a call is made, in the transaction that makes it; whether no other request has made it before. One that was made before
/// `forgotten_ms` is forgotten.
pub async fn claim(tx: &mut Tx, row: &Row, forgotten_ms: i64) -> Result<bool, StoreError> {
    sql(FORGET_ONE).bind(&row.id).bind(forgotten_ms).execute(tx).await?;
    let claim = sql(CLAIM).bind(&row.id).bind(row.body.as_deref()).bind(&row.request_id).bind(row.made_at_ms);
    Ok(claim.execute(tx).await? > 0)
}

/// Keeps how a call was answered.
pub async fn answered(tx: &mut Tx, id: &[u8], answer: &[u8]) -> Result<(), StoreError> {
    sql(ANSWERED).bind(id).bind(answer).execute(tx).await?;
    Ok(())
}

/// The call, if it was made.
pub async fn by_id(tx: &mut Tx, id: &[u8]) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// Forgets calls that were made before.
pub async fn forget(tx: &mut Tx, before_ms: i64) -> Result<(), StoreError> {
    sql(FORGET).bind(before_ms).execute(tx).await?;
    Ok(())
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            id: columns.get("id")?,
            body: columns.optional("body")?,
            request_id: columns.get("request_id")?,
            answer: columns.optional("answer")?,
            made_at_ms: columns.get("made_at_ms")?,
        })
    }
}
