//! Who did what, or was refused.

use uuid::Uuid;

use crate::{Columns, FromColumns, List, Listed, Page, StoreError, Tx, pattern, sql};

/// What is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// When, in milliseconds since the epoch.
    pub at_ms: i64,
    /// The request's id.
    pub request_id: String,
    /// The address that it came from.
    pub source: String,
    /// Who, as JSON.
    pub identities: String,
    /// What was asked for.
    pub action: String,
    /// On which object.
    pub object: Option<Uuid>,
    /// How it ended.
    pub outcome: String,
    /// More, as JSON; never a secret.
    pub detail: String,
    /// How often; more than 1 where many calls are told as one.
    pub count: i64,
}

/// A record as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its number, which is never given twice. On PostgreSQL it counts up with the start of the works, not with their
    /// commits, and may have gaps.
    pub seq: i64,
    /// What was recorded.
    pub record: Record,
}

/// Which records; `None` is all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Not before this time.
    pub from_ms: Option<i64>,
    /// Before this time.
    pub to_ms: Option<i64>,
    /// Of this action.
    pub action: Option<String>,
    /// In which this identity took part.
    pub identity: Option<Uuid>,
    /// On this object.
    pub object: Option<Uuid>,
    /// That ended so.
    pub outcome: Option<String>,
}

const COLUMNS: &str = "seq, at_ms, request_id, source, identities, action, object, outcome, detail, count";
const APPEND: &str = "INSERT INTO audit \
    (at_ms, request_id, source, identities, action, object, outcome, detail, count) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

/// Appends a record.
pub async fn append(tx: &mut Tx, record: Record) -> Result<(), StoreError> {
    sql(APPEND)
        .bind(record.at_ms)
        .bind(record.request_id)
        .bind(record.source)
        .bind(record.identities)
        .bind(record.action)
        .bind(record.object)
        .bind(record.outcome)
        .bind(record.detail)
        .bind(record.count)
        .later(tx)
        .await
}

/// The newest records first.
pub async fn list(tx: &mut Tx, filter: &Filter, page: Page) -> Result<Listed<Row>, StoreError> {
    List::new(COLUMNS, "audit", "seq DESC")
        .filter("at_ms >= ?", filter.from_ms)
        .filter("at_ms < ?", filter.to_ms)
        .filter("action = ?", filter.action.as_deref())
        .filter("object = ?", filter.object)
        .filter("outcome = ?", filter.outcome.as_deref())
        .filter("identities LIKE ? ESCAPE '\\'", filter.identity.map(|id| pattern(&id.to_string())))
        .page(tx, page)
        .await
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        let record = Record {
            at_ms: columns.get("at_ms")?,
            request_id: columns.get("request_id")?,
            source: columns.get("source")?,
            identities: columns.get("identities")?,
            action: columns.get("action")?,
            object: columns.optional("object")?,
            outcome: columns.get("outcome")?,
            detail: columns.get("detail")?,
            count: columns.get("count")?,
        };
        Ok(Row { seq: columns.get("seq")?, record })
    }
}
