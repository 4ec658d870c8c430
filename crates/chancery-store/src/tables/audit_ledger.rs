//! The ledger of the audit records: which leaf of its tree each record is, and the signed checkpoints.

use std::ops::RangeInclusive;

use uuid::Uuid;

use super::audit::{self, COLUMNS};
use crate::{Columns, FromColumns, StoreError, Tx, generated_sql, sql};

/// The ledger's name and key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The first line of every checkpoint.
    pub origin: String,
    /// The id of its key.
    pub key_id: Uuid,
    /// Its sealed key.
    pub sealed: Vec<u8>,
    /// The public half, 32 bytes.
    pub public_key: Vec<u8>,
}

/// A record, and which leaf it is once it has become one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The record.
    pub row: audit::Row,
    /// Its leaf.
    pub leaf: Option<i64>,
}

/// A checkpoint as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Which one, from 0.
    pub number: i64,
    /// The signed note.
    pub note: String,
}

/// There is one ledger.
const ID: i64 = 1;

const INSERT_IF_ABSENT: &str = "INSERT INTO audit_ledgers (id, origin, key_id, sealed, public_key) \
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING";
const READ: &str = "SELECT origin, key_id, sealed, public_key FROM audit_ledgers WHERE id = $1";
const PLACE: &str =
    "UPDATE audit_leaves SET leaf = $1 + number - $2 WHERE number >= $2 AND number <= $3 AND leaf IS NULL";
const TAKE_BACK: &str = "UPDATE audit_leaves SET leaf = NULL WHERE leaf IS NOT NULL AND (leaf >= $1 OR leaf < 0)";
// A number is less than a text or a blob, which SQLite would keep here. A leaf whose record is gone is told by the leaf.
const MISPLACED: &str = "SELECT l.number FROM audit_leaves AS l LEFT JOIN audit ON audit.seq = l.number \
    WHERE (audit.seq IS NULL AND l.leaf IS NULL) OR l.leaf >= $1 OR l.leaf < 0 OR l.leaf <> CAST(l.leaf AS BIGINT) ORDER BY l.number LIMIT $2";
const NO_NOTES: &str = "SELECT number FROM audit_checkpoints WHERE number < 0 OR checkpoint <> CAST(checkpoint AS TEXT) ORDER BY number LIMIT $1";
const NEWEST: &str = "SELECT number, checkpoint FROM audit_checkpoints ORDER BY number DESC LIMIT 1";
const FROM: &str = "SELECT number, checkpoint FROM audit_checkpoints WHERE number >= $1 AND number <= $2 \
    ORDER BY number LIMIT $3";
const ADD: &str = "INSERT INTO audit_checkpoints (number, checkpoint) VALUES ($1, $2) ON CONFLICT (number) DO NOTHING";

/// Begins the ledger, unless it was begun: of two nodes that start at once, one is first. True for that one.
pub async fn insert_if_absent(tx: &mut Tx, row: &Row) -> Result<bool, StoreError> {
    let statement = sql(INSERT_IF_ABSENT).bind(ID).bind(&row.origin).bind(row.key_id).bind(&row.sealed);
    Ok(statement.bind(&row.public_key).execute(tx).await? == 1)
}

/// The ledger, once it was begun.
pub async fn read(tx: &mut Tx) -> Result<Option<Row>, StoreError> {
    sql(READ).bind(ID).optional(tx).await
}

/// The first committed records that are no leaves yet, at most so many, by their numbers. What commits late has a lower
/// number and is among them all the same.
pub async fn pending(tx: &mut Tx, max: u32) -> Result<Vec<audit::Row>, StoreError> {
    let text = format!(
        "SELECT {COLUMNS} FROM audit_leaves AS l JOIN audit ON audit.seq = l.number \
         WHERE l.leaf IS NULL ORDER BY l.number LIMIT $1"
    );
    generated_sql(text).bind(max).all(tx).await
}

/// Makes the records of these numbers leaves, the first one `leaf`; how many that were. Whoever calls this must hold the
/// ledger's turn.
pub async fn place(tx: &mut Tx, numbers: RangeInclusive<i64>, leaf: i64) -> Result<i64, StoreError> {
    let placed = sql(PLACE).bind(leaf).bind(*numbers.start()).bind(*numbers.end()).execute(tx).await?;
    Ok(i64::try_from(placed).unwrap_or(i64::MAX))
}

/// Records from this number on, at most so many, by their numbers, whether they are leaves or not.
pub async fn from(tx: &mut Tx, number: i64, max: u32) -> Result<Vec<Placed>, StoreError> {
    let text = format!(
        "SELECT {COLUMNS}, l.leaf AS leaf FROM audit LEFT JOIN audit_leaves AS l ON l.number = audit.seq \
         WHERE audit.seq >= $1 ORDER BY audit.seq LIMIT $2"
    );
    generated_sql(text).bind(number).bind(max).all(tx).await
}

/// Leaves from this one on, at most so many, in their order.
pub async fn leaves_from(tx: &mut Tx, leaf: i64, max: u32) -> Result<Vec<Placed>, StoreError> {
    let text = format!(
        "SELECT {COLUMNS}, l.leaf AS leaf FROM audit_leaves AS l JOIN audit ON audit.seq = l.number \
         WHERE l.leaf IS NOT NULL AND l.leaf >= $1 ORDER BY l.leaf LIMIT $2"
    );
    generated_sql(text).bind(leaf).bind(max).all(tx).await
}

/// How many leaves the newest checkpoint is over, by the second line of its note. The table of places does not tell: whoever can write it
/// adds to it.
pub async fn leaves(tx: &mut Tx) -> Result<i64, StoreError> {
    let newest = newest(tx).await?;
    let size = newest.and_then(|newest| newest.note.lines().nth(1)?.parse().ok());
    Ok(size.unwrap_or(0))
}

/// How many leaves, the first ones, may have no records any more, by the newest checkpoint's note.
pub async fn removed(tx: &mut Tx) -> Result<i64, StoreError> {
    let newest = newest(tx).await?;
    let told = newest.and_then(|newest| {
        let line = newest.note.lines().find_map(|line| line.strip_prefix("removed "))?.to_owned();
        line.split(' ').next()?.parse().ok()
    });
    Ok(told.unwrap_or(0))
}

/// Takes back the places that no checkpoint covers: those from this leaf on. Whoever makes leaves makes a checkpoint over them in the same
/// transaction, so somebody else wrote them. How many there were. Whoever calls this must hold the ledger's turn.
pub async fn take_back(tx: &mut Tx, leaves: i64) -> Result<u64, StoreError> {
    sql(TAKE_BACK).bind(leaves).execute(tx).await
}

/// The numbers that have a place and no record, or a place that no checkpoint over so many leaves covers.
pub async fn misplaced(tx: &mut Tx, leaves: i64, max: u32) -> Result<Vec<i64>, StoreError> {
    sql(MISPLACED).bind(leaves).bind(max).all(tx).await
}

/// The numbers of checkpoints that are no text, or have a number that none has.
pub async fn no_notes(tx: &mut Tx, max: u32) -> Result<Vec<i64>, StoreError> {
    sql(NO_NOTES).bind(max).all(tx).await
}

/// The newest checkpoint, once there is one.
pub async fn newest(tx: &mut Tx) -> Result<Option<Checkpoint>, StoreError> {
    sql(NEWEST).optional(tx).await
}

/// The checkpoints with these numbers, at most so many, in their order.
pub async fn checkpoints(tx: &mut Tx, numbers: RangeInclusive<i64>, max: u32) -> Result<Vec<Checkpoint>, StoreError> {
    sql(FROM).bind(*numbers.start()).bind(*numbers.end()).bind(max).all(tx).await
}

/// Adds a checkpoint; false where there is one of this number.
pub async fn add(tx: &mut Tx, checkpoint: &Checkpoint) -> Result<bool, StoreError> {
    Ok(sql(ADD).bind(checkpoint.number).bind(&checkpoint.note).execute(tx).await? == 1)
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            origin: columns.get("origin")?,
            key_id: columns.get("key_id")?,
            sealed: columns.get("sealed")?,
            public_key: columns.get("public_key")?,
        })
    }
}

impl FromColumns for Placed {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { row: audit::Row::from_columns(columns)?, leaf: columns.optional("leaf")? })
    }
}

impl FromColumns for Checkpoint {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { number: columns.get("number")?, note: columns.get("checkpoint")? })
    }
}
