//! What changed, in the order of commits: other nodes poll it and look again at what it names.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its number: 1, 2, 3 … without gaps, in the order of commits.
    pub seq: i64,
    /// What kind of object, as `token_profile`.
    pub kind: String,
    /// Which one; none for all of the kind.
    pub object: Option<Uuid>,
}

// The row's lock is held until the commit: nobody can see a number before all lower ones.
const NEXT: &str = "UPDATE counters SET value = value + 1 WHERE name = 'changes' RETURNING value";
const INSERT: &str = "INSERT INTO changes (seq, kind, object) VALUES ($1, $2, $3)";
const LATEST: &str = "SELECT value FROM counters WHERE name = 'changes'";
const SINCE: &str = "SELECT seq, kind, object FROM changes WHERE seq > $1 ORDER BY seq LIMIT $2";

/// Rows that [`since`] answers at most.
pub const SINCE_MAX: i64 = 10_000;

/// Records a change and answers its number. On PostgreSQL all works that do this wait for each other's commit, so it
/// belongs to rare changes, as late in the work as possible.
pub async fn append(tx: &mut Tx, kind: &str, object: Option<Uuid>) -> Result<i64, StoreError> {
    let seq: i64 = sql(NEXT).one(tx).await?;
    sql(INSERT).bind(seq).bind(kind).bind(object).execute(tx).await?;
    Ok(seq)
}

/// The number of the last change, 0 before the first.
pub async fn latest(tx: &mut Tx) -> Result<i64, StoreError> {
    sql(LATEST).one(tx).await
}

/// The changes after this one, oldest first, at most [`SINCE_MAX`].
pub async fn since(tx: &mut Tx, seq: i64) -> Result<Vec<Row>, StoreError> {
    sql(SINCE).bind(seq).bind(SINCE_MAX).all(tx).await
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Row { seq: columns.get("seq")?, kind: columns.get("kind")?, object: columns.optional("object")? })
    }
}
