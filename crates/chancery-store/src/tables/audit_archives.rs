//! Audit records that are no longer at hand, as parts of the ledger.

use std::ops::RangeInclusive;

use crate::{Columns, FromColumns, List, Listed, Order, Page, StoreError, Tx, sql};

/// What an archive has, without its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Its first leaf of the ledger, by which it is named.
    pub first_leaf: i64,
    /// How many leaves it goes over.
    pub leaves: i64,
    /// Records in it: those of its leaves that did not stay at hand.
    pub records: i64,
    /// The time of the oldest of them.
    pub first_at_ms: i64,
    /// That of the newest.
    pub last_at_ms: i64,
    /// When it was made.
    pub made_at_ms: i64,
    /// Bytes of the lines.
    pub bytes: i64,
    /// Their SHA-256.
    pub sha256: Vec<u8>,
}

/// An archive with its compressed lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What it has.
    pub head: Head,
    /// The lines.
    pub lines: Vec<u8>,
}

const INSERT: &str = "INSERT INTO audit_archives \
    (first_leaf, leaves, records, first_at_ms, last_at_ms, made_at_ms, bytes, sha256, lines) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
const NEWEST: &str = "SELECT first_leaf, leaves, records, first_at_ms, last_at_ms, made_at_ms, bytes, sha256 \
    FROM audit_archives ORDER BY first_leaf DESC LIMIT 1";
const OLDEST: &str = "SELECT first_leaf, leaves, records, first_at_ms, last_at_ms, made_at_ms, bytes, sha256 \
    FROM audit_archives ORDER BY first_leaf LIMIT 1";
const BEHIND: &str = "SELECT first_leaf, leaves, records, first_at_ms, last_at_ms, made_at_ms, bytes, sha256, lines \
    FROM audit_archives WHERE first_leaf > $1 ORDER BY first_leaf LIMIT 1";
const BEFORE: &str = "SELECT first_leaf, leaves, records, first_at_ms, last_at_ms, made_at_ms, bytes, sha256, lines \
    FROM audit_archives WHERE first_leaf < $1 ORDER BY first_leaf DESC LIMIT 1";
const OF_LEAF: &str = "SELECT first_leaf, leaves, records, first_at_ms, last_at_ms, made_at_ms, bytes, sha256, lines \
    FROM audit_archives WHERE first_leaf <= $1 AND first_leaf + leaves > $1 ORDER BY first_leaf LIMIT 1";
const REMOVE: &str = "DELETE FROM audit_archives WHERE first_leaf = $1";
const FORGET_RECORDS: &str = "DELETE FROM audit WHERE seq >= $1 AND seq <= $2";
const FORGET_LEAVES: &str = "DELETE FROM audit_leaves WHERE number >= $1 AND number <= $2";

/// Adds an archive.
pub async fn add(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    let Row { head, lines } = row;
    let statement = sql(INSERT).bind(head.first_leaf).bind(head.leaves).bind(head.records);
    let statement = statement.bind(head.first_at_ms).bind(head.last_at_ms).bind(head.made_at_ms);
    statement.bind(head.bytes).bind(&head.sha256).bind(lines).execute(tx).await?;
    Ok(())
}

/// The archives without their lines, the oldest first.
pub async fn list(tx: &mut Tx, page: &Page) -> Result<Listed<Head>, StoreError> {
    list_of().page(tx, page).await
}

pub(crate) fn list_of() -> List {
    let columns = "first_leaf, leaves, records, first_at_ms, last_at_ms, made_at_ms, bytes, sha256";
    List::new(columns, "audit_archives", Order::Number("first_leaf"))
}

/// The newest archive.
pub async fn newest(tx: &mut Tx) -> Result<Option<Head>, StoreError> {
    sql(NEWEST).optional(tx).await
}

/// The oldest archive.
pub async fn oldest(tx: &mut Tx) -> Result<Option<Head>, StoreError> {
    sql(OLDEST).optional(tx).await
}

/// The first archive that begins behind this leaf.
pub async fn behind(tx: &mut Tx, leaf: i64) -> Result<Option<Row>, StoreError> {
    sql(BEHIND).bind(leaf).optional(tx).await
}

/// The last archive that begins before this leaf.
pub async fn before(tx: &mut Tx, leaf: i64) -> Result<Option<Row>, StoreError> {
    sql(BEFORE).bind(leaf).optional(tx).await
}

/// The archive that begins with this leaf.
pub async fn by_first_leaf(tx: &mut Tx, leaf: i64) -> Result<Option<Row>, StoreError> {
    Ok(behind(tx, leaf.saturating_sub(1)).await?.filter(|row| row.head.first_leaf == leaf))
}

/// The archive that goes over this leaf.
pub async fn of_leaf(tx: &mut Tx, leaf: i64) -> Result<Option<Row>, StoreError> {
    sql(OF_LEAF).bind(leaf).optional(tx).await
}

/// Removes the archive that begins with this leaf; false where there is none.
pub async fn remove(tx: &mut Tx, leaf: i64) -> Result<bool, StoreError> {
    Ok(sql(REMOVE).bind(leaf).execute(tx).await? == 1)
}

/// Takes the records of these numbers, which an archive has, out of those at hand; how many that were.
pub async fn forget_records(tx: &mut Tx, numbers: RangeInclusive<i64>) -> Result<u64, StoreError> {
    sql(FORGET_LEAVES).bind(*numbers.start()).bind(*numbers.end()).execute(tx).await?;
    sql(FORGET_RECORDS).bind(*numbers.start()).bind(*numbers.end()).execute(tx).await
}

impl FromColumns for Head {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            first_leaf: columns.get("first_leaf")?,
            leaves: columns.get("leaves")?,
            records: columns.get("records")?,
            first_at_ms: columns.get("first_at_ms")?,
            last_at_ms: columns.get("last_at_ms")?,
            made_at_ms: columns.get("made_at_ms")?,
            bytes: columns.get("bytes")?,
            sha256: columns.get("sha256")?,
        })
    }
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { head: Head::from_columns(columns)?, lines: columns.get("lines")? })
    }
}
