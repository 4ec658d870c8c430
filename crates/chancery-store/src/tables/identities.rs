//! Identities: persons and applications, in one table.

use uuid::Uuid;

use crate::authority::{self, amend, authority};
use crate::value::Bind;
use crate::{List, Listed, Order, Page, StoreError, Tx, sql};

/// An identity as stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// Its name as people wrote it.
    pub name: String,
    /// Its name in one letter case; unique.
    pub name_key: String,
    /// Person or application.
    pub kind: String,
    /// The password's PHC string.
    pub password: Option<String>,
    /// The keyed hash of the one API key that it had under a release which knew no others; at the next start it becomes a row
    /// of `api_keys`.
    pub api_key_hash: Option<Vec<u8>>,
    /// Whether it may not log in.
    pub locked: bool,
    /// When it was created.
    pub created_at_ms: i64,
    /// When its password was last set, after the first one.
    pub password_changed_at_ms: Option<i64>,
    /// When its password was last set by somebody else.
    pub password_reset_at_ms: Option<i64>,
}

macro_rules! columns {
    () => {
        "id, name, name_key, kind, password, api_key_hash, locked, created_at_ms, password_changed_at_ms, \
         password_reset_at_ms, mac"
    };
}

const COLUMNS: &str = columns!();
const DELETE: &str = "DELETE FROM identities WHERE id = $1";
const BY_ID: &str = concat!("SELECT ", columns!(), " FROM identities WHERE id = $1");
const BY_NAME: &str = concat!("SELECT ", columns!(), " FROM identities WHERE name_key = $1");
const WITH_API_KEY: &str = "SELECT id FROM identities WHERE api_key_hash IS NOT NULL ORDER BY id";
const ALL: &str = concat!("SELECT ", columns!(), " FROM identities ORDER BY id");
const COUNT: &str = "SELECT COUNT(*) FROM identities";

/// Adds an identity; [`StoreError::Conflict`] when the name is taken.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::insert(tx, row).await
}

/// Gives it another name; [`StoreError::Conflict`] when that is taken.
pub async fn rename(tx: &mut Tx, id: Uuid, name: &str, name_key: &str) -> Result<(), StoreError> {
    change(tx, id, |row| {
        name.clone_into(&mut row.name);
        name_key.clone_into(&mut row.name_key);
    })
    .await
}

/// Locks or unlocks it.
pub async fn set_locked(tx: &mut Tx, id: Uuid, locked: bool) -> Result<(), StoreError> {
    change(tx, id, |row| row.locked = locked).await
}

/// Gives it another password; `reset_at_ms` where somebody else did so.
pub async fn set_password(
    tx: &mut Tx,
    id: Uuid,
    password: &str,
    changed_at_ms: i64,
    reset_at_ms: Option<i64>,
) -> Result<(), StoreError> {
    change(tx, id, |row| {
        row.password = Some(password.to_owned());
        row.password_changed_at_ms = Some(changed_at_ms);
        row.password_reset_at_ms = reset_at_ms.or(row.password_reset_at_ms);
    })
    .await
}

async fn change(tx: &mut Tx, id: Uuid, change: impl FnOnce(&mut Row) + Send) -> Result<(), StoreError> {
    let changed = amend(tx, vec![id.into_value()], |row| {
        change(row);
        true
    });
    changed.await.map(drop)
}

/// Removes it, its roles and its sessions.
pub async fn delete(tx: &mut Tx, id: Uuid) -> Result<(), StoreError> {
    sql(DELETE).bind(id).execute(tx).await?;
    Ok(())
}

/// The identity with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// The identity with this name key.
pub async fn by_name(tx: &mut Tx, name_key: &str) -> Result<Option<Row>, StoreError> {
    sql(BY_NAME).bind(name_key).optional(tx).await
}

/// The ids of those whose row has the API key of a former release.
pub async fn with_api_key(tx: &mut Tx) -> Result<Vec<Uuid>, StoreError> {
    sql(WITH_API_KEY).all(tx).await
}

/// Takes the API key of a former release out of its row, and answers it.
pub async fn take_api_key(tx: &mut Tx, id: Uuid) -> Result<Option<Vec<u8>>, StoreError> {
    let mut taken = None;
    change(tx, id, |row| taken = row.api_key_hash.take()).await?;
    Ok(taken)
}

/// The id of every identity, as it is stored: for whoever has to go round one that cannot be read.
pub async fn ids(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    sql("SELECT id FROM identities ORDER BY id").all(tx).await
}

/// Every identity.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).all(tx).await
}

/// Whether there is any.
pub async fn any(tx: &mut Tx) -> Result<bool, StoreError> {
    Ok(sql(COUNT).one::<i64>(tx).await? > 0)
}

/// A page of those whose name contains the term, by name.
pub async fn list(tx: &mut Tx, term: Option<&str>, page: &Page) -> Result<Listed<Row>, StoreError> {
    List::new(COLUMNS, "identities", Order::Name("name_key", "id")).search("name_key", term).page(tx, page).await
}

authority!(Row, "identities", keys 1, {
    id, name, name_key, kind, password, api_key_hash, locked, created_at_ms, password_changed_at_ms,
    password_reset_at_ms,
});
