//! SQL text, the values bound to it, and the rows that come back.

use sqlx::any::{AnyArguments, AnyRow};
use sqlx::{Arguments, Executor, Row, SqlSafeStr, SqlStr};
use uuid::Uuid;

use crate::{StoreError, Tx};

/// One statement with the values bound so far.
#[must_use]
pub struct Statement {
    text: SqlStr,
    bound: Bound,
}

/// A statement. Parameters are `$1`, `$2` …, bound in this order.
pub fn sql(text: &'static str) -> Statement {
    Statement { text: text.into_sql_str(), bound: Bound::default() }
}

/// A statement whose text was put together by the program, as for many rows at once. Never put a value into the text: bind it.
pub fn generated_sql(text: String) -> Statement {
    Statement { text: sqlx::AssertSqlSafe(text).into_sql_str(), bound: Bound::default() }
}

impl Statement {
    /// Binds the next parameter.
    pub fn bind(mut self, value: impl Bind) -> Self {
        value.bind(&mut self.bound);
        self
    }

    /// Runs it and answers how many rows were changed.
    pub async fn execute(self, tx: &mut Tx) -> Result<u64, StoreError> {
        tx.run(|connection| {
            Box::pin(async move {
                let arguments = self.bound.finish()?;
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
                    let arguments = self.bound.finish()?;
                    Ok(connection.fetch_optional(sqlx::query_with(self.text, arguments)).await?)
                })
            })
            .await?;
        row.map(|row| R::from_columns(&Columns(row))).transpose()
    }

    /// The one row of a statement that always has one, as a count.
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
                    let arguments = self.bound.finish()?;
                    Ok(connection.fetch_all(sqlx::query_with(self.text, arguments)).await?)
                })
            })
            .await?;
        rows.into_iter().map(|row| R::from_columns(&Columns(row))).collect()
    }
}

/// The values bound to a statement.
#[derive(Default)]
pub struct Bound {
    arguments: AnyArguments,
    refusal: Option<StoreError>,
}

impl Bound {
    fn add<'v>(&mut self, value: impl sqlx::Encode<'v, sqlx::Any> + sqlx::Type<sqlx::Any>) {
        if let Err(cause) = self.arguments.add(value) {
            self.refusal = Some(StoreError::Internal(cause.to_string()));
        }
    }

    fn add_text(&mut self, text: &str) {
        if text.contains('\0') {
            self.refusal = Some(StoreError::Text);
        }
        self.add(text);
    }

    fn finish(self) -> Result<AnyArguments, StoreError> {
        match self.refusal {
            Some(refusal) => Err(refusal),
            None => Ok(self.arguments),
        }
    }
}

/// A value that can be bound: texts, `i64`, `u32`, `bool` (as 0 or 1), bytes, `Uuid` (as lower-case text), and `Option` of these.
pub trait Bind {
    /// Appends the value.
    fn bind(self, to: &mut Bound);
    /// Appends NULL, typed as this value's column: PostgreSQL wants to know.
    fn bind_null(to: &mut Bound);
}

impl Bind for &str {
    fn bind(self, to: &mut Bound) {
        to.add_text(self);
    }
    fn bind_null(to: &mut Bound) {
        to.add(None::<String>);
    }
}

impl Bind for &String {
    fn bind(self, to: &mut Bound) {
        to.add_text(self);
    }
    fn bind_null(to: &mut Bound) {
        to.add(None::<String>);
    }
}

impl Bind for i64 {
    fn bind(self, to: &mut Bound) {
        to.add(self);
    }
    fn bind_null(to: &mut Bound) {
        to.add(None::<i64>);
    }
}

impl Bind for u32 {
    fn bind(self, to: &mut Bound) {
        to.add(i64::from(self));
    }
    fn bind_null(to: &mut Bound) {
        to.add(None::<i64>);
    }
}

impl Bind for bool {
    fn bind(self, to: &mut Bound) {
        to.add(i64::from(self));
    }
    fn bind_null(to: &mut Bound) {
        to.add(None::<i64>);
    }
}

impl Bind for &[u8] {
    fn bind(self, to: &mut Bound) {
        to.add(self);
    }
    fn bind_null(to: &mut Bound) {
        to.add(None::<Vec<u8>>);
    }
}

impl Bind for &Vec<u8> {
    fn bind(self, to: &mut Bound) {
        to.add(self.as_slice());
    }
    fn bind_null(to: &mut Bound) {
        to.add(None::<Vec<u8>>);
    }
}

impl Bind for Uuid {
    fn bind(self, to: &mut Bound) {
        to.add(self.hyphenated().encode_lower(&mut Uuid::encode_buffer()) as &str);
    }
    fn bind_null(to: &mut Bound) {
        to.add(None::<String>);
    }
}

impl<T: Bind> Bind for Option<T> {
    fn bind(self, to: &mut Bound) {
        match self {
            Some(value) => value.bind(to),
            None => T::bind_null(to),
        }
    }
    fn bind_null(to: &mut Bound) {
        T::bind_null(to);
    }
}

/// One row of an answer.
pub struct Columns(AnyRow);

impl Columns {
    /// A column that is never NULL.
    pub fn get<T: Column>(&self, name: &str) -> Result<T, StoreError> {
        let stored = self.0.try_get::<T::Stored, _>(name)?;
        T::from_stored(stored).map_err(|why| undecodable(name, &why))
    }

    /// A column that may be NULL.
    pub fn optional<T: Column>(&self, name: &str) -> Result<Option<T>, StoreError> {
        let stored = self.0.try_get::<Option<T::Stored>, _>(name)?;
        stored.map(T::from_stored).transpose().map_err(|why| undecodable(name, &why))
    }
}

fn undecodable(name: &str, why: &str) -> StoreError {
    StoreError::Internal(format!("column {name}: {why}"))
}

/// What reads a row.
pub trait FromColumns: Sized {
    /// Reads each column by its name.
    fn from_columns(columns: &Columns) -> Result<Self, StoreError>;
}

/// The first column, as of a count.
impl FromColumns for i64 {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(columns.0.try_get(0)?)
    }
}

/// The first column.
impl FromColumns for String {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(columns.0.try_get(0)?)
    }
}

/// A type that a column decodes to.
pub trait Column: Sized {
    /// What the database gives.
    type Stored: for<'r> sqlx::Decode<'r, sqlx::Any> + sqlx::Type<sqlx::Any>;
    /// Turns it into the type, or says what is wrong.
    fn from_stored(stored: Self::Stored) -> Result<Self, String>;
}

impl Column for String {
    type Stored = String;
    fn from_stored(stored: String) -> Result<Self, String> {
        Ok(stored)
    }
}

impl Column for i64 {
    type Stored = i64;
    fn from_stored(stored: i64) -> Result<Self, String> {
        Ok(stored)
    }
}

impl Column for u32 {
    type Stored = i64;
    fn from_stored(stored: i64) -> Result<Self, String> {
        u32::try_from(stored).map_err(|_| "not an unsigned number of 32 bits".into())
    }
}

impl Column for bool {
    type Stored = i64;
    fn from_stored(stored: i64) -> Result<Self, String> {
        match stored {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err("neither 0 nor 1".into()),
        }
    }
}

impl Column for Vec<u8> {
    type Stored = Vec<u8>;
    fn from_stored(stored: Vec<u8>) -> Result<Self, String> {
        Ok(stored)
    }
}

impl Column for Uuid {
    type Stored = String;
    fn from_stored(stored: String) -> Result<Self, String> {
        stored.parse().map_err(|_| "not a uuid".into())
    }
}
