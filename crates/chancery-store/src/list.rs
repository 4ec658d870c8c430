//! Lists with optional filters and pages.

use crate::statement::parameters;
use crate::value::{Bind, Value};
use crate::{FromColumns, StoreError, Tx, generated_sql, pattern};

/// Which part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Rows at most.
    pub limit: u32,
    /// Rows before it.
    pub offset: i64,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed<R> {
    /// The page's rows.
    pub rows: Vec<R>,
    /// Rows that the filters match on all pages.
    pub total: i64,
}

/// A list to ask for. Its texts are the program's own; values are bound.
///
/// ```no_run
/// # use chancery_store::{List, Listed, Page, StoreError, Tx};
/// # async fn names(tx: &mut Tx, term: Option<&str>, kind: Option<&str>, page: Page)
/// # -> Result<Listed<String>, StoreError> {
/// let list = List::new("name, id", "identities", "name_key, id");
/// list.search("name_key", term).filter("kind = ?", kind).page(tx, page).await
/// # }
/// ```
#[must_use]
pub struct List {
    columns: &'static str,
    table: &'static str,
    order: &'static str,
    conditions: String,
    values: Vec<Value>,
}

impl List {
    /// `SELECT columns FROM table ORDER BY order`; the order must tell any two rows apart, or pages overlap.
    pub fn new(columns: &'static str, table: &'static str, order: &'static str) -> Self {
        List { columns, table, order, conditions: String::new(), values: Vec::new() }
    }

    /// Only rows for which the condition holds, its one `?` being the value; no condition without a value.
    pub fn filter(mut self, condition: &'static str, value: Option<impl Bind>) -> Self {
        if let Some(value) = value {
            self.add(condition, value.into_value());
        }
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
            self.and(&condition.replace('?', numbers));
        }
        self
    }

    /// Only rows whose column, which holds [`crate::name_key`]s, contains the term.
    pub fn search(mut self, column: &'static str, term: Option<&str>) -> Self {
        if let Some(term) = term {
            self.add(&format!("{column} LIKE ? ESCAPE '\\'"), pattern(term).into_value());
        }
        self
    }

    fn add(&mut self, condition: &str, value: Value) {
        self.values.push(value);
        self.and(&condition.replace('?', &format!("${}", self.values.len())));
    }

    fn and(&mut self, condition: &str) {
        self.conditions.push_str(if self.conditions.is_empty() { " WHERE " } else { " AND " });
        self.conditions.push_str(condition);
    }

    /// One page and the number of rows on all.
    pub async fn page<R: FromColumns>(self, tx: &mut Tx, page: Page) -> Result<Listed<R>, StoreError> {
        let List { columns, table, order, conditions, values } = self;
        let count = format!("SELECT COUNT(*) FROM {table}{conditions}");
        let total = generated_sql(count).bind_all(&values).one(tx).await?;
        let (limit, offset) = (values.len() + 1, values.len() + 2);
        let select =
            format!("SELECT {columns} FROM {table}{conditions} ORDER BY {order} LIMIT ${limit} OFFSET ${offset}");
        let rows = generated_sql(select).bind_all(&values).bind(page.limit).bind(page.offset).all(tx).await?;
        Ok(Listed { rows, total })
    }
}
