//! What changed: nodes poll it and look again at what it names.
//!
//! Nobody who changes something waits for anybody else who does. So on PostgreSQL a change may become visible long after
//! others with higher numbers, where its transaction took its time or its node stood still. A follower therefore does not
//! count numbers: it remembers which transactions it has seen the changes of, and asks for those of all others.

use std::time::Duration;

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Row {
    /// What kind of object, as `token_profile`.
    pub kind: String,
    /// Which one; none for all of the kind.
    pub object: Option<Uuid>,
}

/// Everything that was committed when somebody looked, and nothing else. Only the database can read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position(String);

/// What somebody finds who looks again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where to go on from.
    pub position: Position,
    /// What was changed since. None where that cannot be told one by one: some of it was pruned, it is more than
    /// [`FOUND_MAX`], or the database is an older one than before. Then everything has to be looked at again.
    pub changes: Option<Vec<Row>>,
}

const INSERT: &str = "INSERT INTO changes (kind, object) VALUES ($1, $2)";

/// Changes that are told one by one: beyond them it is cheaper to look at everything.
pub const FOUND_MAX: usize = 10_000;

/// Records a change.
pub async fn append(tx: &mut Tx, kind: &str, object: Option<Uuid>) -> Result<(), StoreError> {
    sql(INSERT).bind(kind).bind(object).execute(tx).await?;
    Ok(())
}

/// Where the database is now.
pub async fn position(tx: &mut Tx) -> Result<Position, StoreError> {
    Ok(Position(sql(tx.backend().changes().position).one(tx).await?))
}

/// What was committed since. To be called in a work that reads, which sees one state of the database throughout.
pub async fn since(tx: &mut Tx, position: &Position) -> Result<Found, StoreError> {
    let texts = tx.backend().changes();
    let next: Next = sql(texts.next).bind(&position.0).one(tx).await?;
    let unchanged = next.position == *position;
    if next.is_lost || unchanged {
        return Ok(Found { position: next.position, changes: unchanged.then(Vec::new) });
    }
    let limit = FOUND_MAX as i64 + 1;
    let rows: Vec<Row> = sql(texts.since).bind(&position.0).bind(limit).all(tx).await?;
    let changes = (rows.len() <= FOUND_MAX).then_some(rows);
    Ok(Found { position: next.position, changes })
}

/// Whether this transaction sees no change that was not seen at this position. Its own changes count.
pub async fn is_newest(tx: &mut Tx, position: &Position) -> Result<bool, StoreError> {
    Ok(sql(tx.backend().changes().unseen).bind(&position.0).one::<i64>(tx).await? == 0)
}

/// Removes what is older than this, if nobody can still have to wait for it, and notes that it is gone.
pub async fn prune(tx: &mut Tx, age: Duration) -> Result<u64, StoreError> {
    let (texts, age_ms) = (tx.backend().changes(), i64::try_from(age.as_millis()).unwrap_or(i64::MAX));
    sql(texts.note_pruned).bind(age_ms).execute(tx).await?;
    sql(texts.prune).bind(age_ms).execute(tx).await
}

/// Removes what a database that was restored elsewhere brought along, and what it says of transactions that have yet to
/// come here.
pub(crate) async fn forget_foreign(tx: &mut Tx) -> Result<(), StoreError> {
    for text in tx.backend().changes().forget_foreign {
        sql(text).execute(tx).await?;
    }
    Ok(())
}

struct Next {
    position: Position,
    is_lost: bool,
}

impl FromColumns for Next {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Next { position: Position(columns.get("position")?), is_lost: columns.get::<i64>("lost")? != 0 })
    }
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Row { kind: columns.get("kind")?, object: columns.optional("object")? })
    }
}
