//! Notices of which people's own mailboxes were not told yet.
//!
//! A row is added with its notice, and removed in the transaction in which the last mailbox was given it. So a notice that
//! is committed late is missed by nobody, and none is told twice.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// A notice, and how far it was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Its number.
    pub notice: i64,
    /// The identity up to which mailboxes were told, by their ids; none where nobody was.
    pub reached: Option<Uuid>,
}

const ADD: &str = "INSERT INTO fan_outs (notice) VALUES ($1)";
const FIRST: &str = "SELECT notice, reached FROM fan_outs ORDER BY notice LIMIT 1";
const REACH: &str = "UPDATE fan_outs SET reached = $2 WHERE notice = $1";
const DONE_FIRST: &str = "DELETE FROM fan_outs WHERE notice IN (SELECT notice FROM fan_outs ORDER BY notice LIMIT $1)";
const DONE: &str = "DELETE FROM fan_outs WHERE notice = $1";

/// Adds a notice.
pub async fn add(tx: &mut Tx, notice: i64) -> Result<(), StoreError> {
    sql(ADD).bind(notice).later(tx).await
}

/// The first of them.
pub async fn first(tx: &mut Tx) -> Result<Option<Row>, StoreError> {
    sql(FIRST).optional(tx).await
}

/// Notes how far a notice was told.
pub async fn reach(tx: &mut Tx, notice: i64, reached: Uuid) -> Result<(), StoreError> {
    sql(REACH).bind(notice).bind(reached).execute(tx).await?;
    Ok(())
}

/// Everybody was told.
pub async fn done(tx: &mut Tx, notice: i64) -> Result<(), StoreError> {
    sql(DONE).bind(notice).execute(tx).await?;
    Ok(())
}

/// The same of the first of them; how many there were.
pub async fn done_first(tx: &mut Tx, limit: u32) -> Result<u64, StoreError> {
    sql(DONE_FIRST).bind(limit).execute(tx).await
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { notice: columns.get("notice")?, reached: columns.optional("reached")? })
    }
}
