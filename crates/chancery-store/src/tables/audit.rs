//! Who did what, or was refused.

use uuid::Uuid;

use crate::value::Bind;
use crate::{Columns, FromColumns, List, Listed, Order, Page, StoreError, Tx, pattern, sql};

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
    /// The server that wrote it; none in records of an older release.
    pub node: Option<Uuid>,
    /// The account of the operating system, as JSON, of what was done on the host.
    pub account: Option<String>,
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

const COLUMNS: &str =
    "seq, at_ms, request_id, source, identities, action, object, outcome, detail, count, node, account";
const APPEND: &str = "INSERT INTO audit \
    (at_ms, request_id, source, identities, action, object, outcome, detail, count, node, account) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

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
        .bind(record.node)
        .bind(record.account)
        .later(tx)
        .await
}

/// The newest records first.
pub async fn list(tx: &mut Tx, filter: Filter, page: &Page) -> Result<Listed<Row>, StoreError> {
    list_of(filter).page(tx, page).await
}

pub(crate) fn list_of(filter: Filter) -> List {
    let Filter { from_ms, to_ms, action, identity, object, outcome } = filter;
    // No records before the first, or after the last moment.
    let (from_ms, to_ms) = (from_ms.unwrap_or(i64::MIN), to_ms.unwrap_or(i64::MAX));
    let list = List::new(COLUMNS, "audit", Order::Newest("at_ms", "seq"));
    let list = match object {
        None if (from_ms, to_ms) == (i64::MIN, i64::MAX) => list,
        None => list.arm("at_ms >= ? AND at_ms < ?", [from_ms.into_value(), to_ms.into_value()]),
        Some(object) => list.arm(
            "object = ? AND at_ms >= ? AND at_ms < ?",
            [object.into_value(), from_ms.into_value(), to_ms.into_value()],
        ),
    };
    let list = list.filter("action = ?", action).filter("outcome = ?", outcome);
    let Some(identity) = identity else { return list };
    // Roles stand in the same text, as {"uuid":"…","name":…}: they are not meant. Nobody writes quotes into a name, since
    // JSON escapes them.
    let forms = [format!("\"uuid\":\"{identity}\",\"login\""), format!("\"uuid\":\"{identity}\"}}")];
    list.filter_each(
        "(identities LIKE ? ESCAPE '\\' OR identities LIKE ? ESCAPE '\\')",
        forms.map(|form| pattern(&form).into_value()),
    )
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
            node: columns.optional("node")?,
            account: columns.optional("account")?,
        };
        Ok(Row { seq: columns.get("seq")?, record })
    }
}
