//! The key of the rows' MACs: how it comes into being, and what is done once when it does.
//!
//! It is made when a database is opened that has none, in the transaction of the migrations. What a release without
//! MACs left there is authenticated then, and never again: a database whose key is missing is refused, unless its keys
//! for bearer tokens still have the seal of such a release. The same transaction seals them anew, so whoever takes the key
//! out later has none of those to show.

use std::sync::Arc;

use uuid::Uuid;

use crate::authority::{Authenticator, Message, RowMac, Table, Unauthentic};
use crate::tables::audit::{self, Record};
use crate::tables::{AUTHORITY, bearer_keys};
use crate::value::Value;
use crate::{Columns, FromColumns, OpenError, Statement, Store, StoreError, Tx, generated_sql, sql};

/// Rows of one page.
const PAGE: usize = 500;

/// There is one key.
const VERSION: i64 = 1;

const READ: &str = "SELECT id, sealed FROM row_keys WHERE version = $1";
const INSERT: &str = "INSERT INTO row_keys (version, id, sealed, created_at_ms) VALUES ($1, $2, $3, $4)";

/// A sealed key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedRowKey {
    /// Its id.
    pub id: Uuid,
    /// Its bytes.
    pub sealed: Vec<u8>,
}

/// What a key for rows begins with.
pub struct NewRowKey {
    /// The key.
    pub key: SealedRowKey,
    /// When it was made.
    pub created_at_ms: i64,
    /// The keys for bearer tokens, sealed as of a release with MACs.
    pub bearer_keys: Vec<bearer_keys::Row>,
}

/// Why the key for rows is not there.
#[derive(Debug, thiserror::Error)]
pub enum RowKeyError {
    /// It was there.
    #[error(
        "the key that authenticates the database's rows is missing: somebody removed it, or the database is a mixture of \
         several; restore a backup"
    )]
    Missing,
    /// It does not open, or cannot be made.
    #[error("the key that authenticates the database's rows: {0}")]
    Custody(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Custody of the key for rows.
pub trait RowKeys: Send + Sync {
    /// A new key for a database without one, which has these keys for bearer tokens; [`RowKeyError::Missing`] where one of
    /// them has not the seal of a release without MACs.
    fn make(&self, bearer_keys: &[bearer_keys::Row]) -> Result<NewRowKey, RowKeyError>;

    /// Opens it.
    fn open(&self, key: &SealedRowKey) -> Result<Arc<dyn RowMac>, RowKeyError>;

    /// What is to be told of the rows that were authenticated: how many, by table.
    fn record(&self, counts: &[(&'static str, u64)]) -> Result<Record, RowKeyError>;
}

/// The tables whose rows are authenticated, the columns that their MACs are over, and those that have none over them.
pub fn authority_tables() -> impl Iterator<Item = (&'static str, &'static [&'static str], &'static [&'static str])> {
    AUTHORITY.iter().map(|table| (table.name, table.columns, table.apart))
}

/// Opens the key, or makes it and authenticates what is there. In the transaction of the migrations.
pub(crate) async fn prepare(tx: &mut Tx, keys: &dyn RowKeys) -> Result<Authenticator, OpenError> {
    if let Some(key) = sql(READ).bind(VERSION).optional::<SealedRowKey>(tx).await? {
        return Ok(Authenticator::new(keys.open(&key)?));
    }
    let bearer_keys = bearer_keys::all(tx).await?;
    if bearer_keys.is_empty() && any_row(tx).await? {
        return Err(RowKeyError::Missing.into());
    }
    let NewRowKey { key, created_at_ms, bearer_keys } = keys.make(&bearer_keys)?;
    for row in &bearer_keys {
        bearer_keys::reseal(tx, row).await?;
    }
    sql(INSERT).bind(VERSION).bind(key.id).bind(&key.sealed).bind(created_at_ms).execute(tx).await?;
    let authenticator = Authenticator::new(keys.open(&key)?);
    tx.authenticate_by(authenticator.clone());
    let mut counts = Vec::new();
    for table in AUTHORITY {
        counts.push((table.name, authenticate_table(tx, table).await?));
    }
    counts.retain(|(_, count)| *count > 0);
    if !counts.is_empty() {
        audit::append(tx, keys.record(&counts)?).await?;
        tx.end_work()?;
    }
    Ok(authenticator)
}

/// Whether there is any row that carries authority.
async fn any_row(tx: &mut Tx) -> Result<bool, StoreError> {
    for table in AUTHORITY {
        let text = format!("SELECT COUNT(*) FROM (SELECT 1 FROM {} LIMIT 1) AS found", table.name);
        if generated_sql(text).one::<i64>(tx).await? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Gives every row of a table a MAC, whatever it is; how many there were.
async fn authenticate_table(tx: &mut Tx, table: &Table) -> Result<u64, StoreError> {
    let (mut count, mut last) = (0, Vec::new());
    loop {
        let rows: Vec<Raw> = page_after(table, &last).all(tx).await?;
        let Some(Raw(end)) = rows.last() else { return Ok(count) };
        last = end[..table.keys].to_vec();
        authenticate_rows(tx, table, &rows).await?;
        count += rows.len() as u64;
    }
}

fn page_after(table: &Table, last: &[Value]) -> Statement {
    let (columns, name, key) = (table.columns.join(", "), table.name, table.columns[..table.keys].join(", "));
    let parameters: Vec<_> = (1..=last.len()).map(|number| format!("${number}")).collect();
    let after = if last.is_empty() { String::new() } else { format!("WHERE ({key}) > ({})", parameters.join(", ")) };
    generated_sql(format!("SELECT {columns} FROM {name} {after} ORDER BY {key} LIMIT {PAGE}")).bind_all(last)
}

async fn authenticate_rows(tx: &mut Tx, table: &Table, rows: &[Raw]) -> Result<(), StoreError> {
    let (width, name) = (table.keys + 1, table.name);
    let tuple = |row: usize| {
        let parameters: Vec<_> = (1..=width).map(|column| format!("${}", row * width + column)).collect();
        format!("({})", parameters.join(", "))
    };
    let tuples: Vec<_> = (0..rows.len()).map(tuple).collect();
    let is = |(number, column): (usize, &&str)| format!("{name}.{column} = macs.column{}", number + 1);
    let found: Vec<_> = table.columns[..table.keys].iter().enumerate().map(is).collect();
    let text = format!(
        "UPDATE {name} SET mac = macs.column{width} FROM (VALUES {}) AS macs WHERE {}",
        tuples.join(", "),
        found.join(" AND ")
    );
    let mut values = Vec::with_capacity(rows.len() * width);
    for Raw(row) in rows {
        values.extend_from_slice(&row[..table.keys]);
        values.push(Value::Bytes(Some(tx.seal(table, row, 1)?)));
    }
    generated_sql(text).bind_all(&values).execute(tx).await?;
    Ok(())
}

fn is_key(table: &Table) -> String {
    let is = |(number, column): (usize, &&str)| format!("{column} = ${}", number + 1);
    table.columns[..table.keys].iter().enumerate().map(is).collect::<Vec<_>>().join(" AND ")
}

/// A row's values, whatever they are.
struct Raw(Vec<Value>);

impl FromColumns for Raw {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        columns.values().map(Self)
    }
}

/// Whether a row's MAC is good.
struct Verdict(bool);

impl Verdict {
    async fn of(tx: &mut Tx, table: &Table, key: &[Value]) -> Result<Option<Self>, StoreError> {
        let (columns, name) = (table.columns.join(", "), table.name);
        let text = format!("SELECT {columns}, mac FROM {name} WHERE {}", is_key(table));
        let found: Option<Raw> = generated_sql(text).bind_all(key).optional(tx).await?;
        let Some(Raw(values)) = found else { return Ok(None) };
        let Some((Value::Bytes(mac), values)) = values.split_last() else { return Ok(Some(Self(false))) };
        let mut message = Message::of(table);
        for (name, value) in table.columns.iter().zip(values) {
            message.column(name, value.stored());
        }
        Ok(Some(Self(tx.authenticator().version(message, mac.as_deref())?.is_some())))
    }
}

fn table_of(row: &Unauthentic) -> Option<&'static Table> {
    AUTHORITY.iter().find(|table| table.name == row.table)
}

impl Store {
    /// Rows that were refused since the store was opened and are not known to be mended.
    pub fn unauthentic(&self) -> Vec<Unauthentic> {
        self.authenticator().refused().into_iter().map(|(row, _)| row).collect()
    }

    /// Those of them that this has not answered before.
    pub fn newly_unauthentic(&self) -> Vec<Unauthentic> {
        self.authenticator().untold()
    }

    /// How often a row was refused.
    pub fn refusals(&self) -> u64 {
        self.authenticator().refusals()
    }

    /// Looks again at the rows that were refused, and forgets those that are as they were written, or gone; how many that
    /// were.
    pub async fn look_at_refused(&self) -> Result<usize, StoreError> {
        let refused = self.authenticator().refused();
        if refused.is_empty() {
            return Ok(0);
        }
        let authenticator = self.authenticator().clone();
        self.read(move |tx| {
            Box::pin(async move {
                let mut mended = 0;
                for (row, key) in refused {
                    let Some(table) = table_of(&row) else { continue };
                    if Verdict::of(tx, table, &key).await?.is_none_or(|verdict| verdict.0) {
                        authenticator.forgive(&row);
                        mended += 1;
                    }
                }
                Ok(mended)
            })
        })
        .await
    }
}

impl FromColumns for SealedRowKey {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { id: columns.get("id")?, sealed: columns.get("sealed")? })
    }
}
