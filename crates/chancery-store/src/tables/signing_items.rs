//! The items of manifests, and their signatures.

use uuid::Uuid;

use crate::value::{Bind, Value};
use crate::{Columns, FromColumns, List, Listed, Order, Page, StoreError, Tx, generated_sql, sql};

/// A named digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its name, unique in the manifest.
    pub name: String,
    /// Its digest.
    pub digest: Vec<u8>,
}

/// An item, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Its digest.
    pub digest: Vec<u8>,
    /// Its signature, once it is there.
    pub signature: Option<Vec<u8>>,
}

/// Rows added by one statement: far below the parameters that either database takes.
const ROWS_MAX: usize = 1_000;

const OF_REQUEST: &str = "SELECT name, digest FROM signing_items WHERE request_id = $1 ORDER BY number";
const SIGNED: &str = "SELECT COUNT(*) FROM signing_item_results WHERE request_id = $1 AND signature IS NOT NULL";
const SIGNED_NUMBERS: &str =
    "SELECT number FROM signing_item_results WHERE request_id = $1 AND signature IS NOT NULL ORDER BY number";

/// Adds a manifest's items, in this order.
pub async fn insert(tx: &mut Tx, request_id: Uuid, items: &[Item]) -> Result<(), StoreError> {
    for (chunk, items) in items.chunks(ROWS_MAX).enumerate() {
        let values = items.iter().enumerate().flat_map(|(index, item)| {
            [number(chunk, index).into_value(), (&item.name).into_value(), (&item.digest).into_value()]
        });
        insert_rows(tx, "signing_items (request_id, number, name, digest)", request_id, 3, values.collect()).await?;
    }
    Ok(())
}

/// Adds what became of all items, in their order: a signature, or none where it could not be made.
pub async fn insert_results(tx: &mut Tx, request_id: Uuid, signatures: &[Option<Vec<u8>>]) -> Result<(), StoreError> {
    for (chunk, signatures) in signatures.chunks(ROWS_MAX).enumerate() {
        let values = signatures
            .iter()
            .enumerate()
            .flat_map(|(index, signature)| [number(chunk, index).into_value(), signature.clone().into_value()]);
        insert_rows(tx, "signing_item_results (request_id, number, signature)", request_id, 2, values.collect())
            .await?;
    }
    Ok(())
}

/// The place of an item in the manifest, from 1.
fn number(chunk: usize, index: usize) -> i64 {
    i64::try_from(chunk * ROWS_MAX + index + 1).unwrap_or(i64::MAX)
}

/// Rows of so many values each, besides the request's id, which they share.
async fn insert_rows(
    tx: &mut Tx,
    into: &str,
    request_id: Uuid,
    width: usize,
    values: Vec<Value>,
) -> Result<(), StoreError> {
    let row = |index: usize| {
        let parameters: Vec<_> = (0..width).map(|column| format!("${}", index * width + column + 2)).collect();
        format!("($1, {})", parameters.join(", "))
    };
    let rows: Vec<_> = (0..values.len() / width).map(row).collect();
    let text = format!("INSERT INTO {into} VALUES {}", rows.join(", "));
    generated_sql(text).bind(request_id).bind_all(&values).execute(tx).await?;
    Ok(())
}

/// A manifest's items, in their order.
pub async fn of_request(tx: &mut Tx, request_id: Uuid) -> Result<Vec<Item>, StoreError> {
    sql(OF_REQUEST).bind(request_id).all(tx).await
}

/// How many of them are signed.
pub async fn signed(tx: &mut Tx, request_id: Uuid) -> Result<i64, StoreError> {
    sql(SIGNED).bind(request_id).one(tx).await
}

/// Which of them are signed, by their numbers, from 1.
pub async fn signed_numbers(tx: &mut Tx, request_id: Uuid) -> Result<Vec<i64>, StoreError> {
    sql(SIGNED_NUMBERS).bind(request_id).all(tx).await
}

/// Some of them, in their order, with what became of them.
pub async fn list(tx: &mut Tx, request_id: Uuid, page: &Page) -> Result<Listed<Row>, StoreError> {
    let both = "signing_items i LEFT JOIN signing_item_results r \
        ON r.request_id = i.request_id AND r.number = i.number";
    List::new("i.name AS name, i.digest AS digest, r.signature AS signature", both, Order::Number("i.number"))
        .arm("i.request_id = ?", [request_id.into_value()])
        .page(tx, page)
        .await
}

impl FromColumns for Item {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { name: columns.get("name")?, digest: columns.get("digest")? })
    }
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            name: columns.get("name")?,
            digest: columns.get("digest")?,
            signature: columns.optional("signature")?,
        })
    }
}
