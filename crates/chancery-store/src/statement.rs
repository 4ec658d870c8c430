//! SQL text and the values bound to it.

use std::borrow::Cow;

use crate::authority::Authority;
use crate::tx::Connection;
use crate::value::{Bind, Value, check};
use crate::{FromColumns, StoreError, Tx};

/// Bytes of values that a statement may keep in memory until later.
const LATER_MAX: usize = 64 * 1024;

/// Ids in one `IN (…)`: far below the parameters that either database takes.
pub(crate) const IDS_MAX: usize = 1_000;

/// Which rows of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    First,
    All,
    /// All but those that are not what they say.
    Authentic,
}

/// One statement with the values bound so far.
#[must_use]
pub struct Statement {
    text: Cow<'static, str>,
    values: Vec<Value>,
    pub(crate) changes_one: bool,
}

/// A statement. Parameters are `$1`, `$2` …, bound in this order.
pub fn sql(text: &'static str) -> Statement {
    Statement { text: Cow::Borrowed(text), values: Vec::new(), changes_one: false }
}

/// A statement whose text was put together by the program, as for many rows at once. Never put a value into the text:
/// bind it.
pub fn generated_sql(text: String) -> Statement {
    Statement { text: Cow::Owned(text), values: Vec::new(), changes_one: false }
}

/// Whether so many changed rows are as they must be.
pub(crate) fn expect_changed(is_one: bool, rows: u64) -> Result<(), StoreError> {
    if is_one && rows != 1 {
        return Err(StoreError::Internal(
            "a row that must be written was not; does the database have other triggers?".into(),
        ));
    }
    Ok(())
}

/// So many parameters from this number on, for `IN (…)`: `$4, $5`.
pub(crate) fn parameters(first: usize, count: usize) -> String {
    (first..first + count).map(|number| format!("${number}")).collect::<Vec<_>>().join(", ")
}

impl Statement {
    /// Binds the next parameter.
    pub fn bind(mut self, value: impl Bind) -> Self {
        self.values.push(value.into_value());
        self
    }

    /// Binds a row of authority, its columns in their order, and then its MAC.
    pub(crate) fn bind_row<A: Authority>(self, tx: &Tx, row: &A, version: i64) -> Result<Self, StoreError> {
        let mut statement = self;
        let values = row.values();
        let mac = tx.seal(&A::TABLE, &values, version)?;
        statement.values.extend(values);
        statement.values.push(Value::Bytes(Some(mac)));
        Ok(statement)
    }

    /// Binds these next.
    pub(crate) fn bind_all(mut self, values: &[Value]) -> Self {
        self.values.extend_from_slice(values);
        self
    }

    /// It fails where it does not change one row, whatever triggers somebody has put there: for what no work may go on
    /// without.
    pub const fn changing_one(mut self) -> Self {
        self.changes_one = true;
        self
    }

    /// Runs it when the work has ended well, or before its next statement that is not for later: for a change whose
    /// outcome the work does not look at. A work on SQLite that changes nothing otherwise needs no savepoint of its own.
    /// PostgreSQL runs it at once.
    pub async fn later(self, tx: &mut Tx) -> Result<(), StoreError> {
        let connection = tx.statement()?;
        check(&self.values)?;
        match connection {
            Connection::Sqlite(connection) if self.values.iter().map(Value::size).sum::<usize>() <= LATER_MAX => {
                connection.later(self);
            }
            connection @ (Connection::Sqlite(_) | Connection::Postgres(_)) => drop(self.run(connection).await?),
        }
        tx.succeeded();
        Ok(())
    }

    /// Runs it and answers how many rows were changed.
    pub async fn execute(self, tx: &mut Tx) -> Result<u64, StoreError> {
        let connection = tx.statement()?;
        check(&self.values)?;
        let changed = self.run(connection).await?;
        tx.succeeded();
        Ok(changed)
    }

    async fn run(self, connection: &mut Connection) -> Result<u64, StoreError> {
        match connection {
            Connection::Sqlite(connection) => connection.execute(&self),
            Connection::Postgres(connection) => {
                let rows = connection.execute(self.text, self.values).await?;
                expect_changed(self.changes_one, rows).map(|()| rows)
            }
        }
    }

    /// The first row, if any.
    pub async fn optional<R: FromColumns>(self, tx: &mut Tx) -> Result<Option<R>, StoreError> {
        Ok(self.rows(tx, Wanted::First).await?.pop())
    }

    /// The row of a statement that always has one, such as a count.
    pub async fn one<R: FromColumns>(self, tx: &mut Tx) -> Result<R, StoreError> {
        self.optional(tx)
            .await?
            .ok_or_else(|| StoreError::Internal("a statement that always has a row had none".into()))
    }

    /// All rows; [`StoreError::Unauthentic`] where one of them carries authority and is not what it says. For rows that
    /// belong together.
    pub async fn all<R: FromColumns>(self, tx: &mut Tx) -> Result<Vec<R>, StoreError> {
        self.rows(tx, Wanted::All).await
    }

    /// All rows but those that carry authority and are not what they say: of rows that stand for themselves, where a bad
    /// one must not stop the others.
    pub async fn authentic<R: FromColumns>(self, tx: &mut Tx) -> Result<Vec<R>, StoreError> {
        self.rows(tx, Wanted::Authentic).await
    }

    /// Its text, and the values of `$1`, `$2` ….
    pub(crate) fn parts(&self) -> (&Cow<'static, str>, &[Value]) {
        (&self.text, &self.values)
    }

    async fn rows<R: FromColumns>(self, tx: &mut Tx, wanted: Wanted) -> Result<Vec<R>, StoreError> {
        let authenticator = tx.authenticator().clone();
        let connection = tx.statement()?;
        check(&self.values)?;
        let rows = match connection {
            Connection::Sqlite(connection) => connection.rows(&self, wanted, &authenticator),
            Connection::Postgres(connection) => connection.rows(self.text, self.values, wanted, &authenticator).await,
        };
        // The database did what it was asked for, also where a row of its answer is refused: a work may go on without it.
        if matches!(rows, Ok(_) | Err(StoreError::Unauthentic(_))) {
            tx.succeeded();
        }
        rows
    }
}
