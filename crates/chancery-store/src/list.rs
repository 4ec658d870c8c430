//! Lists with optional filters and pages, each at a bounded cost.
//!
//! A list has an order, and each of its *arms* an index in that order: `service_id = ?` one on `(service_id, name_key, id)`.
//! The database merges the arms, so a page costs its own rows wherever it begins. What no index answers is looked for in so
//! many rows at most; such a page may be short, and its `next` says where to go on. Rows that match are counted up to a
//! bound. How many there are on all is exact: of tables that grow with every call the database keeps the number.

mod position;
#[cfg(test)]
mod tests;

use uuid::Uuid;

use self::position::{Keyed, NamePosition, NewestPosition, NumberPosition};
pub use self::position::{Order, Position};

use crate::backend::Backend;
use crate::statement::parameters;
use crate::value::{Bind, Value};
use crate::{FromColumns, Statement, StoreError, Tx, generated_sql, pattern, sql};

/// Arms of one list: SQLite takes 500 parts of one statement.
pub(crate) const ARMS_MAX: usize = 400;

/// Tables whose rows are counted as they come and go, by triggers of migration 0080. Whoever builds one of them anew
/// makes its triggers anew.
const KEPT: [&str; 4] = ["audit", "keys", "proposals", "signing_requests"];

const KEPT_COUNT: &str = "SELECT CAST(COALESCE(SUM(counted), 0) AS BIGINT) FROM row_counts WHERE table_name = $1";

/// Where a page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// After so many rows, which are counted through.
    Offset(i64),
    /// After the row at this position, wherever that is.
    After(Position),
}

/// Which part of a list, and what it may cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Rows at most.
    pub limit: u32,
    /// Where it begins.
    pub start: Start,
    /// Matching rows that are counted, where the list does not hold the whole table.
    pub count_max: u32,
    /// Rows that are looked at where no index helps.
    pub scan_max: u32,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed<R> {
    /// The page's rows.
    pub rows: Vec<R>,
    /// Rows that the filters match on all pages.
    pub total: i64,
    /// Whether there may be more than `total`, which was not counted to the end.
    pub total_is_at_least: bool,
    /// After what the next page begins, if there may be one.
    pub next: Option<Position>,
}

/// A list to ask for. Its texts are the program's own; values are bound.
///
/// ```no_run
/// # use chancery_store::{List, Listed, Order, Page, StoreError, Tx};
/// # async fn names(tx: &mut Tx, term: Option<&str>, kind: Option<&str>, page: &Page)
/// # -> Result<Listed<String>, StoreError> {
/// let list = List::new("name", "identities", Order::Name("name_key", "id"));
/// list.search("name_key", term).filter("kind = ?", kind).page(tx, page).await
/// # }
/// ```
#[must_use]
pub struct List {
    columns: &'static str,
    table: &'static str,
    order: Order,
    /// One of them holds for each row, and no two for the same; without any, all rows are one arm.
    arms: Option<Vec<String>>,
    /// Whether each row of the table is in one of its arms.
    has_every_row: bool,
    /// What holds for each row besides.
    conditions: Vec<String>,
    values: Vec<Value>,
}

impl List {
    /// `SELECT columns FROM table` in this order, which the table has an index for.
    pub fn new(columns: &'static str, table: &'static str, order: Order) -> Self {
        let (conditions, values) = (Vec::new(), Vec::new());
        List { columns, table, order, arms: None, has_every_row: true, conditions, values }
    }

    /// Also the rows for which this condition holds, which has an index in the order of the list. Each `?` is one of the
    /// values.
    pub(crate) fn arm(mut self, condition: &str, values: impl IntoIterator<Item = Value>) -> Self {
        let condition = self.bound(condition, values);
        self.arms.get_or_insert_default().push(condition);
        self.has_every_row = false;
        self
    }

    /// One such arm for each of the values; no rows without values.
    pub(crate) fn arms(mut self, condition: &'static str, values: Vec<Uuid>) -> Self {
        self.arms.get_or_insert_default();
        self.has_every_row = false;
        values.into_iter().fold(self, |list, value| list.arm(condition, [value.into_value()]))
    }

    /// All rows, in an arm for each of the values, which are all that there are.
    pub(crate) fn arms_of_all(self, condition: &'static str, values: Vec<Uuid>) -> Self {
        Self { has_every_row: true, ..self.arms(condition, values) }
    }

    /// Only rows for which the condition holds, its one `?` being the value; no condition without a value.
    pub fn filter(mut self, condition: &'static str, value: Option<impl Bind>) -> Self {
        if let Some(value) = value {
            let condition = self.bound(condition, [value.into_value()]);
            self.conditions.push(condition);
        }
        self
    }

    /// Only rows for which the condition holds, each `?` of which is one of the values.
    pub(crate) fn filter_each(mut self, condition: &str, values: impl IntoIterator<Item = Value>) -> Self {
        let condition = self.bound(condition, values);
        self.conditions.push(condition);
        self
    }

    /// Only rows for which the condition holds, its one `?` inside `IN (?)` being all of the values; no condition
    /// without values, no rows with none of them.
    pub fn filter_in<V: Bind>(mut self, condition: &'static str, values: Option<Vec<V>>) -> Self {
        if let Some(values) = values {
            let first = self.values.len() + 1;
            self.values.extend(values.into_iter().map(Bind::into_value));
            let numbers = parameters(first, self.values.len() + 1 - first);
            let numbers = if numbers.is_empty() { "NULL" } else { &numbers };
            self.conditions.push(condition.replace('?', numbers));
        }
        self
    }

    /// Only rows whose column, which holds [`crate::name_key`]s, contains the term.
    pub fn search(mut self, column: &'static str, term: Option<&str>) -> Self {
        if let Some(term) = term.filter(|term| !term.is_empty()) {
            let condition = self.bound(" LIKE ? ESCAPE '\\'", [pattern(term).into_value()]);
            self.conditions.push(format!("{column}{condition}"));
        }
        self
    }

    fn bound(&mut self, condition: &str, values: impl IntoIterator<Item = Value>) -> String {
        let mut text = condition.to_owned();
        for value in values {
            self.values.push(value);
            text = text.replacen('?', &format!("${}", self.values.len()), 1);
        }
        text
    }

    /// One page and the number of rows on all.
    pub async fn page<R: FromColumns>(self, tx: &mut Tx, page: &Page) -> Result<Listed<R>, StoreError> {
        match self.order {
            Order::Name(..) => self.keyed_page::<R, NamePosition>(tx, page).await,
            Order::Number(_) => self.keyed_page::<R, NumberPosition>(tx, page).await,
            Order::Newest(..) => self.keyed_page::<R, NewestPosition>(tx, page).await,
        }
    }

    async fn keyed_page<R: FromColumns, P: FromColumns + Into<Position>>(
        self,
        tx: &mut Tx,
        page: &Page,
    ) -> Result<Listed<R>, StoreError> {
        // What the list may look at from its beginning.
        let mut end = self.scan_end::<P>(tx, None, page).await?;
        let (total, total_is_at_least) = self.total(tx, end.as_ref(), page.count_max).await?;
        let after = match &page.start {
            Start::Offset(0) => None,
            Start::Offset(offset) => {
                let Some(last) = self.position::<P>(tx, &Part::until(end.as_ref()), offset - 1).await? else {
                    return Ok(Listed { rows: Vec::new(), total, total_is_at_least, next: end });
                };
                Some(last)
            }
            Start::After(position) => {
                end = self.scan_end::<P>(tx, Some(position), page).await?;
                Some(position.clone())
            }
        };
        let part = Part { after: after.as_ref(), until: end.as_ref(), is_filtered: true };
        // One more than the page holds tells whether there is another.
        let select = format!("{}, {}", self.columns, self.order.aliases());
        let mut rows: Vec<Keyed<R, P>> =
            self.select(tx.backend(), &select, &part, i64::from(page.limit) + 1, 0).all(tx).await?;
        let more = rows.len() > page.limit as usize;
        rows.truncate(page.limit as usize);
        let next = if more { rows.last().map(|row| row.position.clone()) } else { end };
        Ok(Listed { rows: rows.into_iter().filter_map(|row| row.row).collect(), total, total_is_at_least, next })
    }

    /// The last row that may be looked at after a position; none where the list ends before, or nothing is looked for.
    async fn scan_end<P: FromColumns + Into<Position>>(
        &self,
        tx: &mut Tx,
        after: Option<&Position>,
        page: &Page,
    ) -> Result<Option<Position>, StoreError> {
        if self.conditions.is_empty() {
            return Ok(None);
        }
        let part = Part { after, until: None, is_filtered: false };
        self.position::<P>(tx, &part, i64::from(page.scan_max) - 1).await
    }

    /// Where the row is that comes after so many others.
    async fn position<P: FromColumns + Into<Position>>(
        &self,
        tx: &mut Tx,
        part: &Part<'_>,
        offset: i64,
    ) -> Result<Option<Position>, StoreError> {
        let found: Option<P> = self.select(tx.backend(), &self.order.aliases(), part, 1, offset).optional(tx).await?;
        Ok(found.map(Into::into))
    }

    /// How many rows there are, and whether there may be more.
    async fn total(&self, tx: &mut Tx, end: Option<&Position>, max: u32) -> Result<(i64, bool), StoreError> {
        if self.is_whole() {
            return Ok((self.whole().one(tx).await?, false));
        }
        let mut values = self.values.clone();
        let text = self.union("1 AS one", &Part::until(end), &mut values, "");
        let text = format!("SELECT COUNT(*) FROM ({text} LIMIT ${}) AS counted", values.len() + 1);
        let counted: i64 = generated_sql(text).bind_all(&values).bind(i64::from(max) + 1).one(tx).await?;
        Ok((counted.min(max.into()), counted > max.into() || end.is_some()))
    }

    /// Whether it has every row of its table.
    fn is_whole(&self) -> bool {
        self.conditions.is_empty() && self.has_every_row
    }

    /// How many rows its table has. What people make one by one is counted when it is asked for.
    fn whole(&self) -> Statement {
        if KEPT.contains(&self.table) {
            return sql(KEPT_COUNT).bind(self.table);
        }
        generated_sql(format!("SELECT COUNT(*) FROM {}", self.table))
    }

    /// SQLite merges the arms by itself. PostgreSQL would read them whole and sort them, so each is cut first.
    fn select(&self, backend: Backend, columns: &str, part: &Part<'_>, limit: i64, offset: i64) -> Statement {
        let order = self.order.sorting();
        let mut values = self.values.clone();
        values.extend([limit.into_value(), offset.into_value()]);
        let (limit, offset) = (values.len() - 1, values.len());
        let cut = match backend {
            Backend::Sqlite => String::new(),
            Backend::Postgres => format!(" ORDER BY {order} LIMIT ${limit} + ${offset}"),
        };
        let union = self.union(columns, part, &mut values, &cut);
        generated_sql(format!("{union} ORDER BY {order} LIMIT ${limit} OFFSET ${offset}")).bind_all(&values)
    }

    /// The arms' rows, without an order; of several arms each with this at its end.
    fn union(&self, columns: &str, part: &Part<'_>, values: &mut Vec<Value>, cut: &str) -> String {
        let mut conditions: Vec<_> = if part.is_filtered { self.conditions.clone() } else { Vec::new() };
        let bounds = [(part.after, self.order.later()), (part.until, self.order.not_later())];
        for (position, comparison) in bounds {
            let Some(position) = position else { continue };
            let first = values.len() + 1;
            values.extend(position.values());
            let numbers = parameters(first, values.len() + 1 - first);
            conditions.push(format!("({}) {comparison} ({numbers})", self.order.columns()));
        }
        let arm = |arm: Option<&String>| {
            let all: Vec<&str> = arm.into_iter().chain(&conditions).map(String::as_str).collect();
            let place = if all.is_empty() { String::new() } else { format!(" WHERE {}", all.join(" AND ")) };
            format!("SELECT {columns} FROM {}{place}", self.table)
        };
        match &self.arms {
            None => arm(None),
            Some(arms) if arms.is_empty() => arm(Some(&"1 = 0".to_owned())),
            Some(arms) if arms.len() == 1 || cut.is_empty() => {
                arms.iter().map(|one| arm(Some(one))).collect::<Vec<_>>().join(" UNION ALL ")
            }
            Some(arms) => {
                arms.iter().map(|one| format!("({}{cut})", arm(Some(one)))).collect::<Vec<_>>().join(" UNION ALL ")
            }
        }
    }
}

/// A stretch of a list.
struct Part<'a> {
    after: Option<&'a Position>,
    until: Option<&'a Position>,
    /// Whether the list's conditions hold.
    is_filtered: bool,
}

impl<'a> Part<'a> {
    const fn until(until: Option<&'a Position>) -> Self {
        Self { after: None, until, is_filtered: true }
    }
}
