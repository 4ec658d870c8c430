//! OpenID Connect providers whose tokens are taken, authorities whose client certificates are, and directories.

use uuid::Uuid;

use crate::authority::{self, amend, authority};
use crate::value::Bind;
use crate::{List, Listed, Order, Page, StoreError, Tx, sql};

/// A provider as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// Its name as people wrote it.
    pub name: String,
    /// Its name in one letter case; unique.
    pub name_key: String,
    /// The `iss` of its tokens, or the name of the authority or directory; unique.
    pub issuer: String,
    /// Whether its tokens are taken at all.
    pub is_enabled: bool,
    /// What its tokens have to be, as JSON.
    pub content: String,
    /// When it was made.
    pub created_at_ms: i64,
}

macro_rules! columns {
    () => {
        "id, name, name_key, issuer, is_enabled, content, created_at_ms, mac"
    };
}

const COLUMNS: &str = columns!();
const BY_ID: &str = concat!("SELECT ", columns!(), " FROM identity_providers WHERE id = $1");
const BY_ISSUER: &str = concat!("SELECT ", columns!(), " FROM identity_providers WHERE issuer = $1");
const ALL_OF_TOKENS: &str =
    concat!("SELECT ", columns!(), " FROM identity_providers WHERE issuer LIKE 'https://%' ORDER BY name_key");
const ALL_OF_DIRECTORIES: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM identity_providers WHERE issuer LIKE 'ldap://%' OR issuer LIKE 'ldaps://%' ORDER BY name_key"
);
const AUTHORITY: &str = "SELECT id FROM identity_providers WHERE issuer NOT LIKE 'https://%' LIMIT 1";
const ID_BY_ISSUER: &str = "SELECT id FROM identity_providers WHERE issuer = $1";
const DELETE: &str = "DELETE FROM identity_providers WHERE id = $1";
const COUNT: &str = "SELECT COUNT(*) FROM identity_providers";

/// Adds a provider; [`StoreError::Conflict`] when the name or the issuer is taken.
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

/// Removes it; [`StoreError::Reference`] while identities are bound to it.
pub async fn delete(tx: &mut Tx, id: Uuid) -> Result<(), StoreError> {
    sql(DELETE).bind(id).execute(tx).await?;
    Ok(())
}

/// The provider with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// The provider whose tokens have this `iss`.
pub async fn by_issuer(tx: &mut Tx, issuer: &str) -> Result<Option<Row>, StoreError> {
    sql(BY_ISSUER).bind(issuer).optional(tx).await
}

/// Those whose issuer is an address, which is one of tokens, and that are what they say, by name.
pub async fn all_of_tokens(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL_OF_TOKENS).authentic(tx).await
}

/// Whether there is any whose issuer is no address.
pub async fn has_authorities(tx: &mut Tx) -> Result<bool, StoreError> {
    Ok(sql(AUTHORITY).optional::<Uuid>(tx).await?.is_some())
}

/// Those whose issuer is that of a directory, and that are what they say, by name.
pub async fn all_of_directories(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL_OF_DIRECTORIES).authentic(tx).await
}

/// Whether there is a provider whose tokens have this `iss`, whatever its row says.
pub async fn is_issuer(tx: &mut Tx, issuer: &str) -> Result<bool, StoreError> {
    Ok(sql(ID_BY_ISSUER).bind(issuer).optional::<Uuid>(tx).await?.is_some())
}

/// How many there are.
pub async fn count(tx: &mut Tx) -> Result<i64, StoreError> {
    sql(COUNT).one(tx).await
}

/// A page of those whose name contains the term, by name.
pub async fn list(tx: &mut Tx, term: Option<&str>, page: &Page) -> Result<Listed<Row>, StoreError> {
    let list = List::new(COLUMNS, "identity_providers", Order::Name("name_key", "id"));
    list.search("name_key", term).page(tx, page).await
}

authority!(Row, "identity_providers", keys 1, { id, name, name_key, issuer, is_enabled, content, created_at_ms });
