//! Who did what, or was refused.

use std::ops::RangeInclusive;

use uuid::Uuid;

use crate::value::Bind;
use crate::{Columns, FromColumns, List, Listed, Order, Page, StoreError, Tx, sql};

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
    /// Why it is not what Chancery wrote, where a column cannot be read: somebody else wrote there. That one row is no
    /// reason to show none of the others.
    pub unreadable: Option<String>,
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
    /// That this node wrote.
    pub node: Option<Uuid>,
    /// Of one of these actions.
    pub actions: Option<Vec<String>>,
}

macro_rules! columns {
    ($seq:literal) => {
        concat!(
            $seq,
            " AS seq, audit.at_ms AS at_ms, request_id, source, identities, action, object, outcome, detail, count, \
             node, account"
        )
    };
}

pub(super) const COLUMNS: &str = columns!("audit.seq");
/// With the number that was looked for: where there is no such record, that is one that cannot be read.
const COLUMNS_OF_IDENTITIES: &str = columns!("named.seq");

/// The records of an identity. The join is an outer one so that the databases leave it out where only places are asked for.
const OF_IDENTITIES: &str = "audit_identities AS named LEFT JOIN audit ON audit.seq = named.seq";
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
        .changing_one()
        .later(tx)
        .await
}

const OF_IDENTITY: &str = "SELECT seq, at_ms FROM audit_identities WHERE identity = $1 AND at_ms >= $2 AND at_ms <= $3";

/// The numbers and times of an identity's records of a time, as a search by it finds them.
pub async fn of_identity(
    tx: &mut Tx,
    identity: Uuid,
    times: RangeInclusive<i64>,
) -> Result<Vec<(i64, i64)>, StoreError> {
    let found = sql(OF_IDENTITY).bind(identity).bind(*times.start()).bind(*times.end()).all(tx).await?;
    Ok(found.into_iter().map(|Place(seq, at_ms)| (seq, at_ms)).collect())
}

const NAMED: &str = "SELECT named.identity AS identity, named.at_ms AS at_ms, named.seq AS seq, audit.identities AS of_record \
    FROM audit_identities AS named LEFT JOIN audit ON audit.seq = named.seq AND audit.at_ms = named.at_ms \
    WHERE (named.identity, named.at_ms, named.seq) > ($1, $2, $3) \
    ORDER BY named.identity, named.at_ms, named.seq LIMIT $4";

/// What a search for an identity finds: a row beside the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The identity's uuid as text, the record's time and its number.
    pub place: (String, i64, i64),
    /// Who took part in that record, as JSON; none where there is no such record.
    pub of_record: Option<String>,
}

/// What searches for identities find, behind this place, at most so many in the order of their places. Of one that cannot be
/// read there is nothing.
pub async fn named(
    tx: &mut Tx,
    (identity, at_ms, seq): (String, i64, i64),
    max: u32,
) -> Result<Vec<Option<Named>>, StoreError> {
    let found = sql(NAMED).bind(identity).bind(at_ms).bind(seq).bind(max).all(tx).await?;
    Ok(found.into_iter().map(|Readable(named)| named).collect())
}

const FIRST: &str = "SELECT at_ms FROM audit ORDER BY seq LIMIT 1";

/// When the first record was written.
pub async fn first_at_ms(tx: &mut Tx) -> Result<Option<i64>, StoreError> {
    sql(FIRST).optional(tx).await
}

const NEWEST: &str = "SELECT at_ms FROM audit ORDER BY seq DESC LIMIT 1";

/// When the newest record was made, by the clock of whoever made it.
pub async fn newest_at_ms(tx: &mut Tx) -> Result<Option<i64>, StoreError> {
    sql(NEWEST).optional(tx).await
}

/// The newest records first.
pub async fn list(tx: &mut Tx, filter: Filter, page: &Page) -> Result<Listed<Row>, StoreError> {
    list_of(filter).page(tx, page).await
}

/// Along the index of the filter that leaves least, as far as that can be told beforehand; the others are looked for along
/// it.
pub(crate) fn list_of(filter: Filter) -> List {
    let Filter { from_ms, to_ms, mut action, mut identity, object, mut outcome, mut node, mut actions } = filter;
    let is_refusal = outcome.as_ref().is_some_and(|outcome| outcome != "Success");
    // What the arm demands beside the time.
    let (arm, value) = if let Some(object) = object {
        ("object = ? AND ", Some(object.into_value()))
    } else if is_refusal {
        // As the index says it: neither database knows that the value is no success.
        ("outcome <> 'Success' AND outcome = ? AND ", outcome.take().map(Bind::into_value))
    } else if identity.is_some() {
        ("named.identity = ? AND ", identity.map(Bind::into_value))
    } else if action.is_some() {
        ("action = ? AND ", action.take().map(Bind::into_value))
    } else {
        ("node = ? AND ", node.take().map(Bind::into_value))
    };
    let is_by_identity = arm.starts_with("named");
    let (list, time) = if is_by_identity {
        identity = None;
        let order = Order::Newest("named.at_ms", "named.seq");
        (List::new(COLUMNS_OF_IDENTITIES, OF_IDENTITIES, order), "named.at_ms >= ? AND named.at_ms < ?")
    } else {
        (List::new(COLUMNS, "audit", Order::Newest("at_ms", "seq")), "at_ms >= ? AND at_ms < ?")
    };
    // No records before the first, or after the last moment.
    let times = [from_ms.unwrap_or(i64::MIN).into_value(), to_ms.unwrap_or(i64::MAX).into_value()];
    let is_by_actions = value.is_none() && actions.is_some();
    let list = match value {
        None if is_by_actions => actions.take().into_iter().flatten().fold(list, |list, action| {
            let [from, to] = times.clone();
            list.arm("action = ? AND at_ms >= ? AND at_ms < ?", [action.into_value(), from, to])
        }),
        None if from_ms.is_none() && to_ms.is_none() => list,
        None => list.arm(time, times),
        Some(value) => list.arm(&format!("{arm}{time}"), [value].into_iter().chain(times)),
    };
    let list = list.filter("action = ?", action).filter("outcome = ?", outcome).filter("node = ?", node);
    let list = list.filter_in("action IN (?)", actions);
    let Some(identity) = identity else { return list };
    let condition = "EXISTS (SELECT 1 FROM audit_identities AS named \
        WHERE named.identity = ? AND named.at_ms = audit.at_ms AND named.seq = audit.seq)";
    list.filter(condition, Some(identity))
}

struct Place(i64, i64);

impl FromColumns for Place {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self(columns.get("seq")?, columns.get("at_ms")?))
    }
}

struct Readable(Option<Named>);

impl FromColumns for Readable {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        let read = || {
            let place = (columns.get("identity")?, columns.get("at_ms")?, columns.get("seq")?);
            Ok::<_, StoreError>(Named { place, of_record: columns.optional("of_record")? })
        };
        Ok(Self(read().ok()))
    }
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        let mut unreadable = None;
        let why = &mut unreadable;
        let record = Record {
            at_ms: readable(columns.get("at_ms"), why),
            request_id: readable(columns.get("request_id"), why),
            source: readable(columns.get("source"), why),
            identities: readable(columns.get("identities"), why),
            action: readable(columns.get("action"), why),
            object: readable(columns.optional("object"), why),
            outcome: readable(columns.get("outcome"), why),
            detail: readable(columns.get("detail"), why),
            count: readable(columns.get("count"), why),
            node: readable(columns.optional("node"), why),
            account: readable(columns.optional("account"), why),
        };
        Ok(Row { seq: columns.get("seq")?, record, unreadable })
    }
}

/// What a column has; nothing, and why, where that cannot be read.
fn readable<T: Default>(read: Result<T, StoreError>, unreadable: &mut Option<String>) -> T {
    read.unwrap_or_else(|error| {
        unreadable.get_or_insert_with(|| error.to_string());
        T::default()
    })
}
