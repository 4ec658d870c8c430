//! The rows that come back.

use sqlx::Row;
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::StoreError;

/// One row of an answer.
pub struct Columns(pub(crate) AnyRow);

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

/// The first column.
impl FromColumns for Vec<u8> {
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
