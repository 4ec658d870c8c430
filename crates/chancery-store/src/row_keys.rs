//! The key of the rows' MACs: how it comes into being, and what is done once when it does.
//!
//! It is made when a database is opened that has none, in the transaction of the migrations. What a release without
//! MACs left there is authenticated then, and never again: a database whose key is missing is refused, unless its keys
//! for bearer tokens still have the seal of such a release. The same transaction seals them anew, so whoever takes the key
//! out later has none of those to show.

use std::sync::Arc;

use uuid::Uuid;

use crate::authority::{Authenticator, Message, RowMac, Table};
use crate::tables::audit::{self, Record};
use crate::tables::{AUTHORITY, bearer_keys};
use crate::value::Value;
use crate::{Columns, FromColumns, OpenError, Statement, StoreError, Tx, generated_sql, sql};

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

/// The tables whose rows are authenticated.
#[must_use]
pub fn authority_tables() -> &'static [Table] {
    AUTHORITY
}

/// Opens the key, which must be there.
pub(crate) async fn expect(tx: &mut Tx, keys: &dyn RowKeys) -> Result<Authenticator, OpenError> {
    let key = sql(READ).bind(VERSION).optional::<SealedRowKey>(tx).await?.ok_or(RowKeyError::Missing)?;
    Ok(Authenticator::new(keys.open(&key)?))
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
        let Some(end) = rows.last() else { return Ok(count) };
        last = end.key(table).to_vec();
        authenticate_rows(tx, table, &rows).await?;
        count += rows.len() as u64;
    }
}

/// The next rows of a table by its key.
pub(crate) fn page_after(table: &Table, last: &[Value]) -> Statement {
    let (select, key) = (select(table), table.columns[..table.keys].join(", "));
    let parameters: Vec<_> = (1..=last.len()).map(|number| format!("${number}")).collect();
    let after = if last.is_empty() { String::new() } else { format!("WHERE ({key}) > ({})", parameters.join(", ")) };
    generated_sql(format!("{select} {after} ORDER BY {key} LIMIT {PAGE}")).bind_all(last)
}

/// Rows of authority that others belong to: the table, that of the others, and which of those belong to a row. Whoever deletes
/// one of them leaves every MAC good.
const PARTS: [(&str, &str, &str); 4] = [
    ("submitter_sets", "submitter_set_members", "part.set_id = submitter_sets.id"),
    ("approvals", "approval_identities", "part.request_id = approvals.request_id AND part.version = approvals.version"),
    (
        "proposal_decisions",
        "proposal_identities",
        "part.proposal_id = proposal_decisions.proposal_id AND part.version = proposal_decisions.version",
    ),
    ("proposals", "proposal_decisions", "part.proposal_id = proposals.id AND part.decision = 'Submit'"),
];

/// The table of the rows that belong to one of this, and which they are.
pub(crate) fn parts_of(table: &Table) -> Option<(&'static str, &'static str)> {
    PARTS.iter().find(|(name, ..)| *name == table.name).map(|(_, parts, which)| (*parts, *which))
}

/// How a statement begins that reads rows of a table as [`Raw`].
pub(crate) fn select(table: &Table) -> String {
    let (columns, name) = (table.columns.join(", "), table.name);
    let parts = match parts_of(table) {
        Some((parts, which)) => format!("(SELECT COUNT(*) FROM {parts} AS part WHERE {which})"),
        None => "1".to_owned(),
    };
    format!("SELECT {columns}, mac, {parts} FROM {name}")
}

/// Gives these rows a MAC each, whatever they are.
pub(crate) async fn authenticate_rows(tx: &mut Tx, table: &Table, rows: &[Raw]) -> Result<(), StoreError> {
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
    for row in rows {
        values.extend_from_slice(row.key(table));
        values.push(Value::Bytes(Some(tx.seal(table, row.values(), row.next_version())?)));
    }
    generated_sql(text).bind_all(&values).execute(tx).await?;
    Ok(())
}

/// A row as the database has it, whatever that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raw {
    /// In the order of the MAC, and behind them the MAC.
    columns: Vec<Value>,
    /// The first of them that no release can have written: SQLite takes any type in any column.
    unreadable: Option<usize>,
    /// How many rows of another table belong to it; 1 where none do.
    pub(crate) parts: i64,
}

impl Raw {
    pub(crate) fn key(&self, table: &Table) -> &[Value] {
        &self.columns[..table.keys]
    }

    pub(crate) fn values(&self) -> &[Value] {
        self.columns.split_last().map_or(&[], |(_, values)| values)
    }

    fn mac(&self) -> Option<&[u8]> {
        match self.columns.last() {
            Some(Value::Bytes(mac)) => mac.as_deref(),
            Some(Value::Text(_) | Value::Number(_)) | None => None,
        }
    }

    /// The version after the one that its MAC says, good or not.
    pub(crate) fn next_version(&self) -> i64 {
        let stated = self.mac().and_then(|mac| mac.first_chunk()).map_or(0, |version| i64::from_be_bytes(*version));
        stated.max(0).checked_add(1).unwrap_or(1)
    }

    pub(crate) const fn is_readable(&self) -> bool {
        self.unreadable.is_none()
    }

    pub(crate) fn has_readable_key(&self, table: &Table) -> bool {
        self.unreadable.is_none_or(|column| column >= table.keys)
    }

    pub(crate) fn is_good(&self, table: &Table, authenticator: &Authenticator) -> Result<bool, StoreError> {
        let mut message = Message::of(table);
        for (name, value) in table.columns.iter().zip(self.values()) {
            message.column(name, value.stored());
        }
        Ok(self.unreadable.is_none() && authenticator.version(message, self.mac())?.is_some())
    }

    /// Whether the rows are there that belong to it: as many as it says, or any where it says nothing.
    pub(crate) fn is_whole(&self, table: &Table) -> bool {
        let members = table.columns.iter().position(|column| *column == "members");
        match members.and_then(|place| self.columns.get(place)) {
            Some(Value::Number(Some(members))) => self.parts == *members,
            Some(Value::Number(None) | Value::Text(_) | Value::Bytes(_)) | None => self.parts > 0,
        }
    }
}

impl FromColumns for Raw {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        let (mut columns, unreadable) = columns.whatever()?;
        let Some(Value::Number(Some(parts))) = columns.pop() else {
            return Err(StoreError::Internal("a count is no number".into()));
        };
        Ok(Self { columns, unreadable, parts })
    }
}

impl FromColumns for SealedRowKey {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { id: columns.get("id")?, sealed: columns.get("sealed")? })
    }
}
