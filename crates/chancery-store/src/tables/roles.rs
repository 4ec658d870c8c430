//! Roles.

use uuid::Uuid;

use crate::authority::{self, amend, authority};
use crate::value::Bind;
use crate::{List, Listed, Order, Page, StoreError, Tx, sql};

/// A role as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// Its name as people wrote it.
    pub name: String,
    /// Its name in one letter case; unique.
    pub name_key: String,
    /// How many holders must log in within one session.
    pub logins_required: u32,
    /// What it permits, as JSON: since when, by permission.
    pub perms: String,
    /// Whether its holders may administer.
    pub management: bool,
    /// Whether it is built in.
    pub system: bool,
    /// What its holders must log in with besides a password; NULL where nothing.
    pub second_factor: Option<String>,
}

macro_rules! columns {
    () => {
        "id, name, name_key, logins_required, perms, management, system, second_factor, mac"
    };
}

const COLUMNS: &str = columns!();
const DELETE: &str = "DELETE FROM roles WHERE id = $1";
const BY_ID: &str = concat!("SELECT ", columns!(), " FROM roles WHERE id = $1");
const ALL: &str = concat!("SELECT ", columns!(), " FROM roles ORDER BY id");

/// Adds a role; [`StoreError::Conflict`] when the name is taken.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::insert(tx, row).await
}

/// Writes everything that can change; [`StoreError::Conflict`] when the name is taken.
pub async fn update(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    let new = row.clone();
    let changed = amend(tx, vec![row.id.into_value()], |old: &mut Row| {
        *old = Row { system: old.system, ..new };
        true
    });
    changed.await.map(drop)
}

/// Removes it; [`StoreError::Reference`] while somebody holds it.
pub async fn delete(tx: &mut Tx, id: Uuid) -> Result<(), StoreError> {
    sql(DELETE).bind(id).execute(tx).await?;
    Ok(())
}

/// The role with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// The id of every role, as it is stored: for whoever has to go round one that cannot be read.
pub async fn ids(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    sql("SELECT id FROM roles ORDER BY id").all(tx).await
}

/// Every role.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).all(tx).await
}

/// A page of those whose name contains the term, by name.
pub async fn list(tx: &mut Tx, term: Option<&str>, page: &Page) -> Result<Listed<Row>, StoreError> {
    List::new(COLUMNS, "roles", Order::Name("name_key", "id")).search("name_key", term).page(tx, page).await
}

authority!(Row, "roles", keys 1, {
    id, name, name_key, logins_required, perms, management, system, second_factor,
});
