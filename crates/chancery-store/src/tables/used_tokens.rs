//! Tokens of identity providers that were exchanged, until they end.

use crate::{StoreError, Tx, sql};

const USE: &str = "INSERT INTO used_tokens (hash, until_ms) VALUES ($1, $2) ON CONFLICT DO NOTHING";
const IS_USED: &str = "SELECT COUNT(*) FROM used_tokens WHERE hash = $1";
const FORGET: &str = "DELETE FROM used_tokens WHERE until_ms <= $1";

/// Notes that a token was taken; false where it was before. Of two works that take one, on whatever nodes, one is told so.
pub async fn take(tx: &mut Tx, hash: &[u8], until_ms: i64) -> Result<bool, StoreError> {
    Ok(sql(USE).bind(hash).bind(until_ms).execute(tx).await? > 0)
}

/// Forgets those that have ended by now.
pub async fn forget_ended(tx: &mut Tx, now_ms: i64) -> Result<(), StoreError> {
    sql(FORGET).bind(now_ms).execute(tx).await?;
    Ok(())
}

/// Whether it is known that a token was taken.
pub async fn is_used(tx: &mut Tx, hash: &[u8]) -> Result<bool, StoreError> {
    let found: i64 = sql(IS_USED).bind(hash).one(tx).await?;
    Ok(found > 0)
}
