//! Keys, without their bytes.

use uuid::Uuid;

use crate::authority::{self, amend, authority};
use crate::value::Bind;
use crate::{List, Listed, Order, Page, StoreError, Tx, sql};

/// A key as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// Its name as people wrote it.
    pub name: String,
    /// Its name in one letter case; unique among data keys.
    pub name_key: String,
    /// Its key type.
    pub key_type_id: Uuid,
    /// Its kind.
    pub spec: String,
    /// What it is for.
    pub purpose: String,
    /// What it may be used for at the moment, as JSON.
    pub usages: String,
    /// Whether it may be used at all.
    pub state: String,
    /// The token algorithm that it is bound to.
    pub bound_algorithm: Option<String>,
    /// Its newest version.
    pub current_version: u32,
    /// When it was made, in milliseconds since the epoch.
    pub created_at_ms: i64,
    /// Where it was made.
    pub origin: String,
}

const COLUMNS: &str = "id, name, name_key, key_type_id, spec, purpose, usages, state, bound_algorithm, \
    current_version, created_at_ms, origin, mac";
const BY_ID: &str = "SELECT id, name, name_key, key_type_id, spec, purpose, usages, state, bound_algorithm, \
    current_version, created_at_ms, origin, mac FROM keys WHERE id = $1";
const ALL: &str = "SELECT id, name, name_key, key_type_id, spec, purpose, usages, state, bound_algorithm, \
    current_version, created_at_ms, origin, mac FROM keys ORDER BY id";
const NAME_TAKEN: &str = "SELECT COUNT(*) FROM keys WHERE name_key = $1 AND purpose = 'Data' AND id <> $2";

/// Adds a key; false when it is a data key and another has its name.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<bool, StoreError> {
    authority::insert_if_new(tx, row).await
}

/// The key with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// Every key.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).authentic(tx).await
}

/// A page of those whose name contains the term, by name.
pub async fn list(tx: &mut Tx, term: Option<&str>, page: &Page) -> Result<Listed<Row>, StoreError> {
    List::new(COLUMNS, "keys", Order::Name("name_key", "id")).search("name_key", term).page(tx, page).await
}

/// Whether a data key other than this one has the name.
pub async fn name_taken(tx: &mut Tx, name_key: &str, id: Uuid) -> Result<bool, StoreError> {
    Ok(sql(NAME_TAKEN).bind(name_key).bind(id).one::<i64>(tx).await? > 0)
}

/// Writes name, usages and state; [`StoreError::Conflict`] when the name is taken.
pub async fn update(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    let changed = amend(tx, vec![row.id.into_value()], |old: &mut Row| {
        row.name.clone_into(&mut old.name);
        row.name_key.clone_into(&mut old.name_key);
        row.usages.clone_into(&mut old.usages);
        row.state.clone_into(&mut old.state);
        true
    });
    changed.await.map(drop)
}

/// Binds a key to an algorithm; false when it is bound to another.
pub async fn bind_algorithm(tx: &mut Tx, id: Uuid, algorithm: &str) -> Result<bool, StoreError> {
    amend(tx, vec![id.into_value()], |row: &mut Row| {
        let may = row.bound_algorithm.as_deref().is_none_or(|bound| bound == algorithm);
        row.bound_algorithm = Some(algorithm.to_owned());
        may
    })
    .await
}

/// Moves a key to its next version; false when it is no longer at `from`.
pub async fn rotate(tx: &mut Tx, id: Uuid, from: u32, to: u32) -> Result<bool, StoreError> {
    amend(tx, vec![id.into_value()], |row: &mut Row| std::mem::replace(&mut row.current_version, to) == from).await
}

authority!(Row, "keys", keys 1, {
    id, name, name_key, key_type_id, spec, purpose, usages, state, bound_algorithm, current_version, created_at_ms,
    origin,
});
