//! SQL text and the values bound to it.

use sqlx::{Executor, SqlSafeStr, SqlStr};

use crate::value::{Bind, Value, arguments};
use crate::{Columns, FromColumns, StoreError, Tx};

/// One statement with the values bound so far.
#[must_use]
pub struct Statement {
    text: SqlStr,
    values: Vec<Value>,
}

/// A statement. Parameters are `$1`, `$2` …, bound in this order.
pub fn sql(text: &'static str) -> Statement {
    Statement { text: text.into_sql_str(), values: Vec::new() }
}

/// A statement whose text was put together by the program, as for many rows at once. Never put a value into the text:
/// bind it.
pub fn generated_sql(text: String) -> Statement {
    Statement { text: sqlx::AssertSqlSafe(text).into_sql_str(), values: Vec::new() }
}

impl Statement {
    /// Binds the next parameter.
    pub fn bind(mut self, value: impl Bind) -> Self {
        self.values.push(value.into_value());
        self
    }

    /// Binds these next.
    pub(crate) fn bind_all(mut self, values: &[Value]) -> Self {
        self.values.extend_from_slice(values);
        self
    }

    /// Runs it and answers how many rows were changed.
    pub async fn execute(self, tx: &mut Tx) -> Result<u64, StoreError> {
        tx.run(|connection| {
            Box::pin(async move {
                let arguments = arguments(self.values)?;
                let done = connection.execute(sqlx::query_with(self.text, arguments)).await?;
                Ok(done.rows_affected())
            })
        })
        .await
    }

    /// The first row, if any.
    pub async fn optional<R: FromColumns>(self, tx: &mut Tx) -> Result<Option<R>, StoreError> {
        let row = tx
            .run(|connection| {
                Box::pin(async move {
                    let arguments = arguments(self.values)?;
                    Ok(connection.fetch_optional(sqlx::query_with(self.text, arguments)).await?)
                })
            })
            .await?;
        row.map(|row| R::from_columns(&Columns(row))).transpose()
    }

    /// The row of a statement that always has one, such as a count.
    pub async fn one<R: FromColumns>(self, tx: &mut Tx) -> Result<R, StoreError> {
        self.optional(tx)
            .await?
            .ok_or_else(|| StoreError::Internal("a statement that always has a row had none".into()))
    }

    /// All rows.
    pub async fn all<R: FromColumns>(self, tx: &mut Tx) -> Result<Vec<R>, StoreError> {
        let rows = tx
            .run(|connection| {
                Box::pin(async move {
                    let arguments = arguments(self.values)?;
                    Ok(connection.fetch_all(sqlx::query_with(self.text, arguments)).await?)
                })
            })
            .await?;
        rows.into_iter().map(|row| R::from_columns(&Columns(row))).collect()
    }
}
