//! The orders that a list can have, and where a row stands in one.

use uuid::Uuid;

use crate::value::{Bind, Value};
use crate::{Columns, FromColumns, StoreError};

/// In which order a list is: by these columns, which tell any two rows apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By a folded name, then an id.
    Name(&'static str, &'static str),
    /// By a number.
    Number(&'static str),
    /// The newest first: by a moment, then a number.
    Newest(&'static str, &'static str),
}

/// A row's place in the order of its list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Position {
    /// The folded name, and the id.
    Name(String, Uuid),
    /// The number.
    Number(i64),
    /// The moment, and the number.
    Newest(i64, i64),
}

impl Order {
    pub(super) fn columns(self) -> String {
        match self {
            Self::Name(one, two) | Self::Newest(one, two) => format!("{one}, {two}"),
            Self::Number(one) => one.to_owned(),
        }
    }

    /// The columns under the names that a position is read by.
    pub(super) fn aliases(self) -> String {
        match self {
            Self::Name(name, id) => format!("{name} AS position_name, {id} AS position_id"),
            Self::Number(number) => format!("{number} AS position_number"),
            Self::Newest(moment, number) => format!("{moment} AS position_moment, {number} AS position_number"),
        }
    }

    pub(super) const fn sorting(self) -> &'static str {
        match self {
            Self::Name(..) => "position_name, position_id",
            Self::Number(_) => "position_number",
            Self::Newest(..) => "position_moment DESC, position_number DESC",
        }
    }

    pub(super) const fn later(self) -> &'static str {
        match self {
            Self::Name(..) | Self::Number(_) => ">",
            Self::Newest(..) => "<",
        }
    }

    pub(super) const fn not_later(self) -> &'static str {
        match self {
            Self::Name(..) | Self::Number(_) => "<=",
            Self::Newest(..) => ">=",
        }
    }
}

impl Position {
    pub(super) fn values(&self) -> Vec<Value> {
        match self {
            Self::Name(name, id) => vec![name.into_value(), (*id).into_value()],
            Self::Number(number) => vec![(*number).into_value()],
            Self::Newest(moment, number) => vec![(*moment).into_value(), (*number).into_value()],
        }
    }
}

/// A row, and where it is.
pub(super) struct Keyed<R, P> {
    /// None where it carries authority and is not what it says: the others go on.
    pub(super) row: Option<R>,
    pub(super) position: Position,
    _read_as: std::marker::PhantomData<P>,
}

impl<R: FromColumns, P: FromColumns + Into<Position>> FromColumns for Keyed<R, P> {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        let position = P::from_columns(columns)?.into();
        let row = match R::from_columns(columns) {
            Err(StoreError::Unauthentic(_)) => None,
            row => Some(row?),
        };
        Ok(Self { row, position, _read_as: std::marker::PhantomData })
    }
}

pub(super) struct NamePosition(String, Uuid);
pub(super) struct NumberPosition(i64);
pub(super) struct NewestPosition(i64, i64);

impl FromColumns for NamePosition {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self(columns.get("position_name")?, columns.get("position_id")?))
    }
}

impl FromColumns for NumberPosition {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self(columns.get("position_number")?))
    }
}

impl FromColumns for NewestPosition {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        // What is no number at all stands before all numbers there, and the list goes on behind it.
        let moment = columns.get("position_moment").unwrap_or(i64::MAX);
        Ok(Self(moment, columns.get("position_number")?))
    }
}

impl From<NamePosition> for Position {
    fn from(NamePosition(name, id): NamePosition) -> Self {
        Self::Name(name, id)
    }
}

impl From<NumberPosition> for Position {
    fn from(NumberPosition(number): NumberPosition) -> Self {
        Self::Number(number)
    }
}

impl From<NewestPosition> for Position {
    fn from(NewestPosition(moment, number): NewestPosition) -> Self {
        Self::Newest(moment, number)
    }
}
