//! Settings of the installation: a JSON text by name.

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Its value, as JSON.
    pub value: String,
}

const SET: &str =
    "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
const VALUE: &str = "SELECT value FROM settings WHERE name = $1";
const ALL: &str = "SELECT name, value FROM settings ORDER BY name";

/// Sets it, whether it was set or not.
pub async fn set(tx: &mut Tx, name: &str, value: &str) -> Result<(), StoreError> {
    sql(SET).bind(name).bind(value).execute(tx).await?;
    Ok(())
}

/// Its value, if it was ever set.
pub async fn value(tx: &mut Tx, name: &str) -> Result<Option<String>, StoreError> {
    sql(VALUE).bind(name).optional(tx).await
}

/// All that were ever set.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).all(tx).await
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Row { name: columns.get("name")?, value: columns.get("value")? })
    }
}
