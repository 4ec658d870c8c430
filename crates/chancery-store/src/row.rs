//! The rows that come back.

use std::cell::Cell;

use rusqlite::types::ValueRef;
use sqlx::postgres::{PgRow, PgValueRef};
use sqlx::{Decode, Postgres, Row as _, TypeInfo, ValueRef as _};
use uuid::Uuid;

use crate::authority::{Authenticator, Message, Table};
use crate::{StoreError, Value};

/// One row of an answer.
pub struct Columns<'r> {
    row: Row<'r>,
    /// The column after the one that was read last: most rows are read in the order of their columns.
    next: Cell<usize>,
    /// What the names of the columns begin with, where rows of several tables stand side by side.
    prefix: &'static str,
    authenticator: &'r Authenticator,
}

#[derive(Clone, Copy)]
enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(&'r PgRow),
}

/// A value in a row, of one of the three portable types.
#[derive(Debug, Clone, Copy)]
pub enum Stored<'r> {
    /// A TEXT.
    Text(&'r str),
    /// A BIGINT.
    Number(i64),
    /// A BYTEA.
    Bytes(&'r [u8]),
}

impl<'r> Columns<'r> {
    pub(crate) const fn sqlite(row: &'r rusqlite::Row<'r>, authenticator: &'r Authenticator) -> Self {
        Self { row: Row::Sqlite(row), next: Cell::new(0), prefix: "", authenticator }
    }

    pub(crate) const fn postgres(row: &'r PgRow, authenticator: &'r Authenticator) -> Self {
        Self { row: Row::Postgres(row), next: Cell::new(0), prefix: "", authenticator }
    }

    /// Those whose names begin so, by the rest of their names.
    pub(crate) const fn under(&self, prefix: &'static str) -> Self {
        Self { row: self.row, next: Cell::new(0), prefix, authenticator: self.authenticator }
    }

    /// Looks at the MAC of a row; the version in it. Whoever changed the row outside of Chancery had no key to make
    /// another.
    pub(crate) fn verify(&self, table: &Table) -> Result<i64, StoreError> {
        let mut message = Message::of(table);
        let mut key = Vec::with_capacity(table.keys);
        let mut readable = true;
        for (number, name) in table.columns.iter().enumerate() {
            // What cannot be read, as a number with a point, was not written here.
            let value = self.stored(self.place(name)?)?.unwrap_or_else(|_| {
                readable = false;
                None
            });
            message.column(name, value);
            if number < table.keys {
                key.push(value);
            }
        }
        let mac = match self.stored(self.place("mac")?)? {
            Ok(Some(Stored::Bytes(mac))) => Some(mac),
            Ok(Some(Stored::Text(_) | Stored::Number(_)) | None) | Err(_) => None,
        };
        let version = self.authenticator.version(message, mac)?.filter(|_| readable);
        version.ok_or_else(|| self.authenticator.refuse(table, &key))
    }

    /// The columns from this place on, where all are MACs.
    pub(crate) fn macs(&self, from: usize) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        (from..self.count()).map(|place| self.at(place, "mac")).collect()
    }

    /// Every column by its place, and the place of the first that cannot be read; what cannot is told as a text.
    pub(crate) fn whatever(&self) -> Result<(Vec<Value>, Option<usize>), StoreError> {
        let (mut values, mut unreadable) = (Vec::with_capacity(self.count()), None);
        for place in 0..self.count() {
            values.push(self.stored(place)?.map_or_else(
                |why| {
                    unreadable.get_or_insert(place);
                    Value::Text(Some(format!("cannot be read: {why}")))
                },
                Value::of,
            ));
        }
        Ok((values, unreadable))
    }

    /// A column whose type says whether it may be NULL.
    pub(crate) fn field<T: Field>(&self, name: &str) -> Result<T, StoreError> {
        T::from_column(self, name)
    }

    /// A column that is never NULL.
    pub fn get<T: Column>(&self, name: &str) -> Result<T, StoreError> {
        self.optional(name)?.ok_or_else(|| undecodable(name, "NULL"))
    }

    /// A column that may be NULL.
    pub fn optional<T: Column>(&self, name: &str) -> Result<Option<T>, StoreError> {
        self.at(self.place(name)?, name)
    }

    fn first<T: Column>(&self) -> Result<T, StoreError> {
        self.at(0, "1")?.ok_or_else(|| undecodable("1", "NULL"))
    }

    fn at<T: Column>(&self, place: usize, name: &str) -> Result<Option<T>, StoreError> {
        let stored = self.stored(place)?;
        let decoded = stored.and_then(|stored| stored.map(|stored| T::from_stored(stored)).transpose());
        decoded.map_err(|why| undecodable(name, &why))
    }

    /// What is stored there, or why it is nothing that can be.
    fn stored(&self, place: usize) -> Result<Result<Option<Stored<'r>>, String>, StoreError> {
        Ok(match self.row {
            Row::Sqlite(row) => from_sqlite(row.get_ref(place)?),
            Row::Postgres(row) => from_postgres(row.try_get_raw(place)?),
        })
    }

    fn place(&self, name: &str) -> Result<usize, StoreError> {
        let (next, count) = (self.next.get(), self.count());
        let mut places = (next..count).chain(0..next.min(count));
        let place = places.find(|&place| self.name(place).and_then(|own| own.strip_prefix(self.prefix)) == Some(name));
        let place = place.ok_or_else(|| undecodable(name, "there is no such column"))?;
        self.next.set(place + 1);
        Ok(place)
    }

    fn count(&self) -> usize {
        match self.row {
            Row::Sqlite(row) => row.as_ref().column_count(),
            Row::Postgres(row) => row.len(),
        }
    }

    fn name(&self, place: usize) -> Option<&str> {
        match self.row {
            Row::Sqlite(row) => row.as_ref().column_name(place).ok(),
            Row::Postgres(row) => row.columns().get(place).map(sqlx::Column::name),
        }
    }
}

fn from_sqlite(value: ValueRef<'_>) -> Result<Option<Stored<'_>>, String> {
    match value {
        ValueRef::Null => Ok(None),
        ValueRef::Integer(number) => Ok(Some(Stored::Number(number))),
        ValueRef::Text(text) => Ok(Some(Stored::Text(std::str::from_utf8(text).map_err(|error| error.to_string())?))),
        ValueRef::Blob(bytes) => Ok(Some(Stored::Bytes(bytes))),
        ValueRef::Real(_) => Err("a REAL".into()),
    }
}

fn from_postgres(value: PgValueRef<'_>) -> Result<Option<Stored<'_>>, String> {
    fn decoded<'r, T: Decode<'r, Postgres>>(value: PgValueRef<'r>) -> Result<T, String> {
        T::decode(value).map_err(|error| error.to_string())
    }
    if value.is_null() {
        return Ok(None);
    }
    let kind = value.type_info().into_owned();
    let stored = match kind.name() {
        "TEXT" | "VARCHAR" | "NAME" | "UNKNOWN" => Stored::Text(decoded(value)?),
        "INT8" => Stored::Number(decoded(value)?),
        "INT4" => Stored::Number(decoded::<i32>(value)?.into()),
        "BYTEA" => Stored::Bytes(decoded(value)?),
        other => return Err(format!("of type {other}")),
    };
    Ok(Some(stored))
}

fn undecodable(name: &str, why: &str) -> StoreError {
    StoreError::Internal(format!("column {name}: {why}"))
}

/// What reads a row.
pub trait FromColumns: Sized + Send {
    /// Reads each column by its name.
    fn from_columns(columns: &Columns) -> Result<Self, StoreError>;
}

/// The first column, as of a count.
impl FromColumns for i64 {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        columns.first()
    }
}

/// The first column.
impl FromColumns for String {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        columns.first()
    }
}

/// The first column.
impl FromColumns for Uuid {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        columns.first()
    }
}

/// The first column.
impl FromColumns for Vec<u8> {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        columns.first()
    }
}

/// A type that says whether its column may be NULL.
pub(crate) trait Field: Sized {
    /// Reads the column of this name.
    fn from_column(columns: &Columns, name: &str) -> Result<Self, StoreError>;
}

impl<T: Column> Field for T {
    fn from_column(columns: &Columns, name: &str) -> Result<Self, StoreError> {
        columns.get(name)
    }
}

impl<T: Column> Field for Option<T> {
    fn from_column(columns: &Columns, name: &str) -> Result<Self, StoreError> {
        columns.optional(name)
    }
}

/// A type that a column decodes to.
pub trait Column: Sized {
    /// Turns what is stored into the type, or says what is wrong.
    fn from_stored(stored: Stored<'_>) -> Result<Self, String>;
}

impl Column for String {
    fn from_stored(stored: Stored<'_>) -> Result<Self, String> {
        match stored {
            Stored::Text(text) => Ok(text.to_owned()),
            Stored::Number(_) | Stored::Bytes(_) => Err("not a TEXT".into()),
        }
    }
}

impl Column for i64 {
    fn from_stored(stored: Stored<'_>) -> Result<Self, String> {
        match stored {
            Stored::Number(number) => Ok(number),
            Stored::Text(_) | Stored::Bytes(_) => Err("not a BIGINT".into()),
        }
    }
}

impl Column for Vec<u8> {
    fn from_stored(stored: Stored<'_>) -> Result<Self, String> {
        match stored {
            Stored::Bytes(bytes) => Ok(bytes.to_vec()),
            Stored::Text(_) | Stored::Number(_) => Err("not a BYTEA".into()),
        }
    }
}

impl Column for u32 {
    fn from_stored(stored: Stored<'_>) -> Result<Self, String> {
        u32::try_from(i64::from_stored(stored)?).map_err(|_| "not an unsigned number of 32 bits".into())
    }
}

impl Column for bool {
    fn from_stored(stored: Stored<'_>) -> Result<Self, String> {
        match i64::from_stored(stored)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err("neither 0 nor 1".into()),
        }
    }
}

impl Column for Uuid {
    fn from_stored(stored: Stored<'_>) -> Result<Self, String> {
        match stored {
            Stored::Text(text) => {
                let uuid: Uuid = text.parse().map_err(|_| "not a uuid")?;
                // Written in another way it is not found by what it is looked for.
                let is_as_written = uuid.hyphenated().encode_lower(&mut Uuid::encode_buffer()) == text;
                if is_as_written { Ok(uuid) } else { Err("not a uuid as they are written here".into()) }
            }
            Stored::Number(_) | Stored::Bytes(_) => Err("not a TEXT".into()),
        }
    }
}
