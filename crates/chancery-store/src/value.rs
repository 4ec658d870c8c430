//! The values that can be bound to a statement.

use uuid::Uuid;

use crate::{StoreError, Stored};

/// A value of one of the three portable types; a NULL has a type too, because PostgreSQL wants to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A TEXT.
    Text(Option<String>),
    /// A BIGINT.
    Number(Option<i64>),
    /// A BYTEA.
    Bytes(Option<Vec<u8>>),
}

impl Value {
    /// As it comes back from a row. The type of a NULL is not known any more.
    pub(crate) fn of(stored: Option<Stored<'_>>) -> Self {
        match stored {
            None => Value::Text(None),
            Some(Stored::Text(text)) => Value::Text(Some(text.to_owned())),
            Some(Stored::Number(number)) => Value::Number(Some(number)),
            Some(Stored::Bytes(bytes)) => Value::Bytes(Some(bytes.to_vec())),
        }
    }

    /// As a row would hold it.
    pub(crate) fn stored(&self) -> Option<Stored<'_>> {
        match self {
            Value::Text(text) => text.as_deref().map(Stored::Text),
            Value::Number(number) => number.map(Stored::Number),
            Value::Bytes(bytes) => bytes.as_deref().map(Stored::Bytes),
        }
    }

    /// For a person's eyes; none for NULL.
    pub(crate) fn shown(&self) -> Option<String> {
        match self {
            Value::Text(text) => text.clone(),
            Value::Number(number) => number.map(|number| number.to_string()),
            Value::Bytes(bytes) => bytes.as_ref().map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        }
    }

    /// Bytes of what may be long.
    pub(crate) fn size(&self) -> usize {
        match self {
            Value::Text(text) => text.as_ref().map_or(0, String::len),
            Value::Bytes(bytes) => bytes.as_ref().map_or(0, Vec::len),
            Value::Number(_) => 0,
        }
    }
}

/// What can be bound: texts, `i64`, `u32`, `bool` (as 0 or 1), bytes, `Uuid` (as lower-case text), and `Option` of
/// these.
pub trait Bind {
    /// The value as it is stored.
    fn into_value(self) -> Value;
    /// NULL in a column for such values.
    fn null() -> Value;
}

macro_rules! bind {
    ($type:ty, $variant:ident, $value:ident => $stored:expr) => {
        impl Bind for $type {
            fn into_value(self) -> Value {
                let $value = self;
                Value::$variant(Some($stored))
            }
            fn null() -> Value {
                Value::$variant(None)
            }
        }
    };
}

bind!(&str, Text, text => text.to_owned());
bind!(&String, Text, text => text.clone());
bind!(String, Text, text => text);
bind!(Uuid, Text, uuid => uuid.hyphenated().to_string());
bind!(i64, Number, number => number);
bind!(u32, Number, number => number.into());
bind!(bool, Number, flag => flag.into());
bind!(&[u8], Bytes, bytes => bytes.to_vec());
bind!(&Vec<u8>, Bytes, bytes => bytes.clone());
bind!(Vec<u8>, Bytes, bytes => bytes);

impl<T: Bind> Bind for Option<T> {
    fn into_value(self) -> Value {
        self.map_or_else(T::null, T::into_value)
    }
    fn null() -> Value {
        T::null()
    }
}

/// A NUL in a text is refused for both databases: PostgreSQL cannot store it, and SQLite's functions end the text there.
pub(crate) fn check(values: &[Value]) -> Result<(), StoreError> {
    let has_nul = |value: &Value| matches!(value, Value::Text(Some(text)) if text.contains('\0'));
    if values.iter().any(has_nul) { Err(StoreError::Text) } else { Ok(()) }
}
