//! Whose tokens of a provider stand for which identity.

use uuid::Uuid;

use crate::authority::{self, authority};
use crate::value::Bind;
use crate::{List, Listed, Order, Page, StoreError, Tx, sql};

/// A binding as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// Its name as people wrote it.
    pub name: String,
    /// Its name in one letter case; unique.
    pub name_key: String,
    /// The identity.
    pub identity_id: Uuid,
    /// The provider.
    pub provider_id: Uuid,
    /// Subject and claims, as JSON; unique for the provider.
    pub content: String,
    /// When it was made.
    pub created_at_ms: i64,
}

macro_rules! columns {
    () => {
        "id, name, name_key, identity_id, provider_id, content, created_at_ms, mac"
    };
}

const COLUMNS: &str = columns!();
const BY_ID: &str = concat!("SELECT ", columns!(), " FROM identity_bindings WHERE id = $1");
const OF_PROVIDER: &str = concat!("SELECT ", columns!(), " FROM identity_bindings WHERE provider_id = $1 ORDER BY id");
const SAME: &str = "SELECT COUNT(*) FROM identity_bindings WHERE provider_id = $1 AND content = $2";
const DELETE: &str = "DELETE FROM identity_bindings WHERE id = $1";
const COUNT: &str = "SELECT COUNT(*) FROM identity_bindings WHERE provider_id = $1";
const IDENTITIES: &str =
    "SELECT DISTINCT identity_id FROM identity_bindings WHERE provider_id = $1 ORDER BY identity_id";

/// Adds a binding; [`StoreError::Conflict`] when the name is taken.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::insert(tx, row).await
}

/// Removes it.
pub async fn delete(tx: &mut Tx, id: Uuid) -> Result<(), StoreError> {
    sql(DELETE).bind(id).execute(tx).await?;
    Ok(())
}

/// The binding with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// The bindings of a provider that are what they say.
pub async fn of_provider(tx: &mut Tx, provider_id: Uuid) -> Result<Vec<Row>, StoreError> {
    sql(OF_PROVIDER).bind(provider_id).authentic(tx).await
}

/// The same for whoever asks whom names stand for: none is left out.
pub async fn all_of_provider(tx: &mut Tx, provider_id: Uuid) -> Result<Vec<Row>, StoreError> {
    sql(OF_PROVIDER).bind(provider_id).all(tx).await
}

/// Whether one of a provider asks for exactly this.
pub async fn has_same(tx: &mut Tx, provider_id: Uuid, content: &str) -> Result<bool, StoreError> {
    let found: i64 = sql(SAME).bind(provider_id).bind(content).one(tx).await?;
    Ok(found > 0)
}

/// How many a provider has.
pub async fn count(tx: &mut Tx, provider_id: Uuid) -> Result<i64, StoreError> {
    sql(COUNT).bind(provider_id).one(tx).await
}

/// The identities that are bound to a provider, whatever the rows say.
pub async fn identities(tx: &mut Tx, provider_id: Uuid) -> Result<Vec<Uuid>, StoreError> {
    sql(IDENTITIES).bind(provider_id).all(tx).await
}

/// A page of those whose name contains the term, by name; of one identity, where one is given.
pub async fn list(
    tx: &mut Tx,
    term: Option<&str>,
    identity_id: Option<Uuid>,
    page: &Page,
) -> Result<Listed<Row>, StoreError> {
    let list = List::new(COLUMNS, "identity_bindings", Order::Name("name_key", "id")).search("name_key", term);
    match identity_id {
        Some(identity_id) => list.arm("identity_id = ?", [identity_id.into_value()]),
        None => list,
    }
    .page(tx, page)
    .await
}

authority!(Row, "identity_bindings", keys 1, { id, name, name_key, identity_id, provider_id, content, created_at_ms });
