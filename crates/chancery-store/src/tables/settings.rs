//! Settings of the installation: a JSON text by name.

use crate::authority::{authority, put};
use crate::{StoreError, Tx, sql};

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Its value, as JSON.
    pub value: String,
}

const BY_NAME: &str = "SELECT name, value, mac FROM settings WHERE name = $1";
const ALL: &str = "SELECT name, value, mac FROM settings ORDER BY name";

/// Sets it, whether it was set or not.
pub async fn set(tx: &mut Tx, name: &str, value: &str) -> Result<(), StoreError> {
    put(tx, &Row { name: name.to_owned(), value: value.to_owned() }).await
}

/// Its value, if it was ever set.
pub async fn value(tx: &mut Tx, name: &str) -> Result<Option<String>, StoreError> {
    Ok(sql(BY_NAME).bind(name).optional::<Row>(tx).await?.map(|row| row.value))
}

/// All that were ever set.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).authentic(tx).await
}

authority!(Row, "settings", keys 1, { name, value });
