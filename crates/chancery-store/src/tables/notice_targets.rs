//! Who hears of what happens.

use uuid::Uuid;

use crate::authority::{self, amend, authority};
use crate::value::Bind;
use crate::{List, Listed, Order, Page, StoreError, Tx, sql};

/// A target as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// Its name as people wrote it.
    pub name: String,
    /// Its name in one letter case; unique.
    pub name_key: String,
    /// Whether it gets notices at all.
    pub is_enabled: bool,
    /// What it wants and where it is, as JSON.
    pub content: String,
    /// Sealed.
    pub secret: Option<Vec<u8>>,
    /// When it was made.
    pub created_at_ms: i64,
}

macro_rules! columns {
    () => {
        "id, name, name_key, is_enabled, content, secret, created_at_ms, mac"
    };
}

const COLUMNS: &str = columns!();
const BY_ID: &str = concat!("SELECT ", columns!(), " FROM notice_targets WHERE id = $1");
const ALL: &str = concat!("SELECT ", columns!(), " FROM notice_targets ORDER BY id");
const DELETE: &str = "DELETE FROM notice_targets WHERE id = $1";
const COUNT: &str = "SELECT COUNT(*) FROM notice_targets";

/// Adds a target; [`StoreError::Conflict`] when the name is taken.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::insert(tx, row).await
}

/// Writes everything that can change; [`StoreError::Conflict`] when the name is taken.
pub async fn update(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    let new = row.clone();
    let changed = amend(tx, vec![row.id.into_value()], |old: &mut Row| {
        *old = new;
        true
    });
    changed.await.map(drop)
}

/// Removes it.
pub async fn delete(tx: &mut Tx, id: Uuid) -> Result<(), StoreError> {
    sql(DELETE).bind(id).execute(tx).await?;
    Ok(())
}

/// The target with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// Every target that is what it says: some few.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).authentic(tx).await
}

/// How many there are.
pub async fn count(tx: &mut Tx) -> Result<i64, StoreError> {
    sql(COUNT).one(tx).await
}

/// A page of those whose name contains the term, by name.
pub async fn list(tx: &mut Tx, term: Option<&str>, page: &Page) -> Result<Listed<Row>, StoreError> {
    List::new(COLUMNS, "notice_targets", Order::Name("name_key", "id")).search("name_key", term).page(tx, page).await
}

authority!(Row, "notice_targets", keys 1, { id, name, name_key, is_enabled, content, secret, created_at_ms });
