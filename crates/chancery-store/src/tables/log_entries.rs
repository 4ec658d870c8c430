//! Entries of the transparency log. They are added without a place in the tree, and get theirs after they are committed.

use std::ops::{Range, RangeInclusive};

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, generated_sql, sql};

/// An entry as it is added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRow {
    /// The signing request or certificate that it tells of.
    pub object_id: Uuid,
    /// Which of the request's signatures, from 0.
    pub item: u32,
    /// The leaf, as it is hashed.
    pub leaf: Vec<u8>,
    /// What opens an internal leaf.
    pub salt: Option<Vec<u8>>,
}

/// An entry as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Which of the object's signatures, from 0.
    pub item: u32,
    /// The leaf.
    pub leaf: Vec<u8>,
    /// What opens an internal leaf.
    pub salt: Option<Vec<u8>>,
    /// Its place in the tree, once it has one.
    pub index: Option<i64>,
}

/// An entry that waits for its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// Its number; of two entries the later one has a higher one, and some numbers are never given.
    pub seq: i64,
    /// The leaf.
    pub leaf: Vec<u8>,
}

/// A leaf and its place in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Its place.
    pub index: i64,
    /// The leaf.
    pub leaf: Vec<u8>,
}

/// Entries of one statement: far below the parameters that either database takes.
const TOGETHER: usize = 500;

const INSERT_ONE: &str = "INSERT INTO log_entries (object_id, item, leaf, salt) VALUES ($1, $2, $3, $4)";
const PENDING: &str = "SELECT seq, leaf FROM log_entries WHERE log_index IS NULL ORDER BY seq LIMIT $1";
const PLACE: &str =
    "UPDATE log_entries SET log_index = $1 + seq - $2 WHERE seq >= $2 AND seq <= $3 AND log_index IS NULL";
const OF_OBJECT: &str = "SELECT item, leaf, salt, log_index FROM log_entries \
    WHERE object_id = $1 AND item >= $2 AND item < $3 ORDER BY item";
const BETWEEN: &str =
    "SELECT log_index, leaf FROM log_entries WHERE log_index >= $1 AND log_index < $2 ORDER BY log_index";

/// Adds entries, without places. A second entry of the same object and item is a conflict.
pub async fn insert(tx: &mut Tx, rows: &[NewRow]) -> Result<(), StoreError> {
    for some in rows.chunks(TOGETHER) {
        let statement = if some.len() == 1 {
            sql(INSERT_ONE)
        } else {
            let places: Vec<_> = (0..some.len())
                .map(|row| format!("(${}, ${}, ${}, ${})", 4 * row + 1, 4 * row + 2, 4 * row + 3, 4 * row + 4))
                .collect();
            generated_sql(format!("INSERT INTO log_entries (object_id, item, leaf, salt) VALUES {}", places.join(", ")))
        };
        let bound = some.iter().fold(statement, |statement, row| {
            statement.bind(row.object_id).bind(row.item).bind(&row.leaf).bind(row.salt.as_ref())
        });
        bound.later(tx).await?;
    }
    Ok(())
}

/// The first entries that wait for their places, at most so many, in their order.
pub async fn pending(tx: &mut Tx, max: u32) -> Result<Vec<Pending>, StoreError> {
    sql(PENDING).bind(max).all(tx).await
}

/// Gives the entries of these numbers places, the first one `index`; how many that were. Whoever calls this must hold the
/// log's turn.
pub async fn place(tx: &mut Tx, seqs: RangeInclusive<i64>, index: i64) -> Result<i64, StoreError> {
    let placed = sql(PLACE).bind(index).bind(*seqs.start()).bind(*seqs.end()).execute(tx).await?;
    Ok(i64::try_from(placed).unwrap_or(i64::MAX))
}

/// The entries of an object about these of its signatures, in their order.
pub async fn of_object(tx: &mut Tx, object_id: Uuid, items: Range<u32>) -> Result<Vec<Row>, StoreError> {
    sql(OF_OBJECT).bind(object_id).bind(items.start).bind(items.end).all(tx).await
}

/// The entries from one place up to another, which is not among them.
pub async fn between(tx: &mut Tx, from: i64, until: i64) -> Result<Vec<Placed>, StoreError> {
    sql(BETWEEN).bind(from).bind(until).all(tx).await
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            item: columns.get("item")?,
            leaf: columns.get("leaf")?,
            salt: columns.optional("salt")?,
            index: columns.optional("log_index")?,
        })
    }
}

impl FromColumns for Pending {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { seq: columns.get("seq")?, leaf: columns.get("leaf")? })
    }
}

impl FromColumns for Placed {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { index: columns.get("log_index")?, leaf: columns.get("leaf")? })
    }
}
