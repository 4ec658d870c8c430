//! The inventory: certificates by name or by their end, page after page, each page at a bounded cost.
//!
//! A page begins after the last row of the one before, never at an offset: far into millions of certificates it costs what
//! the first one does. What no index answers (a part of the subject, a standing) is looked for in so many certificates at
//! most; a page may then be short, and the next one goes on where it stopped.

use uuid::Uuid;

use super::{Row, serials::select_by_serial};
use crate::{
    Columns, FromColumns, StoreError, Tx, generated_sql,
    value::{Bind, Value},
};

/// Which certificates are asked for; what is `None` does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// A pattern for the folded subject (see [`crate::pattern`]).
    pub pattern: Option<String>,
    /// The folded name begins like this.
    pub name_prefix: Option<String>,
    /// The issuer.
    pub issuer_id: Option<Uuid>,
    /// The serial number, given by the issuer, or by any that is trusted.
    pub serial: Option<String>,
    /// The standing: `Valid`, `Expired`, `Held` or `Revoked`.
    pub status: Option<String>,
    /// The kind of key begins like this.
    pub spec_prefix: Option<String>,
    /// The last second lies before this one.
    pub not_after_before_s: Option<i64>,
    /// The time at which the standing is asked for.
    pub now_s: i64,
}

/// Where a page begins: after this row. Its variant is the order of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Position {
    /// By name key and id.
    Name(String, Uuid),
    /// By last second and id.
    End(i64, Uuid),
}

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its certificates.
    pub rows: Vec<Row>,
    /// Where the next page begins, if there may be one.
    pub next: Option<Position>,
}

const STANDING: &str = "CASE WHEN revocation_reason = 'certificateHold' THEN 'Held' \
    WHEN revoked_at_s IS NOT NULL THEN 'Revoked' WHEN not_after_s < ? THEN 'Expired' ELSE 'Valid' END = ?";
const SERIAL: &str = concat!("id IN (", select_by_serial!("id", "?", " AND issuer_id = ?"), ")");
const SERIAL_OF_ANY: &str = concat!(
    "id IN (",
    select_by_serial!("id", "?", " AND issuer_id IN (SELECT id FROM certificates WHERE trusted = 1)"),
    ")"
);

/// The certificates that the filter lets through after a position: at most `limit` of them, among at most `scan_max`.
pub async fn list(
    tx: &mut Tx,
    filter: &Filter,
    after: Position,
    limit: u32,
    scan_max: u32,
) -> Result<Part, StoreError> {
    let after = filter.begin(after);
    let bound = if filter.scans() { bound(tx, &after, scan_max).await? } else { None };
    let mut query = Query::default();
    query.after(&after);
    if let Some(bound) = &bound {
        query.until(bound);
    }
    query.filter(filter);
    let text = format!(
        "SELECT {} FROM certificates WHERE {} ORDER BY {}, id LIMIT ${}",
        super::COLUMNS,
        query.conditions.join(" AND "),
        after.column(),
        query.values.len() + 1
    );
    let mut rows: Vec<Row> =
        generated_sql(text).bind_all(&query.values).bind(i64::from(limit) + 1).authentic(tx).await?;
    // One more than the page holds tells whether there is another.
    // Where some may have been left out, perhaps one that is empty.
    let more = rows.len() > limit as usize || (!rows.is_empty() && tx.authenticator().has_refused());
    rows.truncate(limit as usize);
    let next = if more { rows.last().map(|row| after.at(row)) } else { bound };
    Ok(Part { rows, next })
}

/// The last row that a page may look at; `None` where the end of the list comes before.
async fn bound(tx: &mut Tx, after: &Position, scan_max: u32) -> Result<Option<Position>, StoreError> {
    let mut query = Query::default();
    query.after(after);
    let column = after.column();
    let text = format!(
        "SELECT name_key, not_after_s, id FROM certificates WHERE {} ORDER BY {column}, id LIMIT 1 OFFSET ${}",
        query.conditions.join(" AND "),
        query.values.len() + 1
    );
    let row: Option<Key> =
        generated_sql(text).bind_all(&query.values).bind(i64::from(scan_max) - 1).optional(tx).await?;
    Ok(row.map(|row| match after {
        Position::Name(..) => Position::Name(row.name_key, row.id),
        Position::End(..) => Position::End(row.not_after_s, row.id),
    }))
}

struct Key {
    name_key: String,
    not_after_s: i64,
    id: Uuid,
}

impl FromColumns for Key {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            name_key: columns.get("name_key")?,
            not_after_s: columns.get("not_after_s")?,
            id: columns.get("id")?,
        })
    }
}

impl Filter {
    /// Whether certificates must be looked at one by one.
    const fn scans(&self) -> bool {
        let Self { pattern, issuer_id, serial, status, spec_prefix, .. } = self;
        serial.is_none() && (pattern.is_some() || issuer_id.is_some() || status.is_some() || spec_prefix.is_some())
    }

    /// A list by name begins not before the prefix.
    fn begin(&self, after: Position) -> Position {
        match (after, &self.name_prefix) {
            (Position::Name(key, _), Some(prefix)) if key < *prefix => Position::Name(prefix.clone(), Uuid::nil()),
            (after, _) => after,
        }
    }
}

impl Position {
    const fn column(&self) -> &'static str {
        match self {
            Self::Name(..) => "name_key",
            Self::End(..) => "not_after_s",
        }
    }

    fn at(&self, row: &Row) -> Self {
        match self {
            Self::Name(..) => Self::Name(row.name_key.clone(), row.id),
            Self::End(..) => Self::End(row.not_after_s, row.id),
        }
    }

    fn values(&self) -> [Value; 2] {
        match self {
            Self::Name(key, id) => [key.as_str().into_value(), (*id).into_value()],
            Self::End(second, id) => [(*second).into_value(), (*id).into_value()],
        }
    }
}

#[derive(Default)]
struct Query {
    conditions: Vec<String>,
    values: Vec<Value>,
}

impl Query {
    /// Adds a condition, each `?` of which is one of the values.
    fn add(&mut self, condition: &str, values: impl IntoIterator<Item = Value>) {
        let mut text = condition.to_owned();
        for value in values {
            self.values.push(value);
            text = text.replacen('?', &format!("${}", self.values.len()), 1);
        }
        self.conditions.push(text);
    }

    fn after(&mut self, position: &Position) {
        self.add(&format!("({}, id) > (?, ?)", position.column()), position.values());
    }

    fn until(&mut self, position: &Position) {
        self.add(&format!("({}, id) <= (?, ?)", position.column()), position.values());
    }

    fn filter(&mut self, filter: &Filter) {
        let Filter { pattern, name_prefix, issuer_id, serial, status, spec_prefix, not_after_before_s, now_s } = filter;
        if let Some(pattern) = pattern {
            self.add("subject_key LIKE ? ESCAPE '\\'", [pattern.as_str().into_value()]);
        }
        if let Some(prefix) = name_prefix {
            // Names are compared byte by byte, and no character has higher bytes than the last one.
            let end = format!("{prefix}{}", char::MAX);
            self.add("name_key >= ? AND name_key < ?", [prefix.as_str().into_value(), end.as_str().into_value()]);
        }
        match (serial, issuer_id) {
            (Some(serial), Some(issuer)) => self.add(SERIAL, [serial.as_str().into_value(), (*issuer).into_value()]),
            (Some(serial), None) => self.add(SERIAL_OF_ANY, [serial.as_str().into_value()]),
            (None, Some(issuer)) => self.add("issuer_id = ?", [(*issuer).into_value()]),
            (None, None) => {}
        }
        if let Some(status) = status {
            self.add(STANDING, [(*now_s).into_value(), status.as_str().into_value()]);
        }
        if let Some(spec) = spec_prefix {
            self.add("spec LIKE ?", [format!("{spec}%").as_str().into_value()]);
        }
        if let Some(before) = not_after_before_s {
            self.add("not_after_s < ?", [(*before).into_value()]);
        }
    }
}
