//! How much each server has done of each kind, by the hour.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// How much was done of one kind in one hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// When the hour begins, in milliseconds since the epoch.
    pub hour_ms: i64,
    /// What was done.
    pub kind: String,
    /// How often.
    pub count: i64,
}

const REACHED: &str = "INSERT INTO activity (hour_ms, node, kind, count) VALUES ($1, $2, $3, $4) \
    ON CONFLICT (hour_ms, node, kind) DO UPDATE SET count = excluded.count WHERE activity.count < excluded.count";
const OF_OTHERS: &str = "SELECT hour_ms, kind, CAST(SUM(count) AS BIGINT) AS count FROM activity \
    WHERE hour_ms >= $1 AND node <> $2 GROUP BY hour_ms, kind";
const FORGET: &str = "DELETE FROM activity WHERE hour_ms < $1";

/// Notes how far a server's count of an hour has come. It may be noted again, also late: a count never falls.
pub async fn reached(tx: &mut Tx, node: Uuid, row: &Row) -> Result<(), StoreError> {
    sql(REACHED).bind(row.hour_ms).bind(node).bind(&row.kind).bind(row.count).execute(tx).await?;
    Ok(())
}

/// What all other servers together have done in the hours since this one.
pub async fn of_others(tx: &mut Tx, node: Uuid, since_ms: i64) -> Result<Vec<Row>, StoreError> {
    sql(OF_OTHERS).bind(since_ms).bind(node).all(tx).await
}

/// Forgets hours before this one.
pub async fn forget(tx: &mut Tx, before_ms: i64) -> Result<(), StoreError> {
    sql(FORGET).bind(before_ms).execute(tx).await?;
    Ok(())
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { hour_ms: columns.get("hour_ms")?, kind: columns.get("kind")?, count: columns.get("count")? })
    }
}
