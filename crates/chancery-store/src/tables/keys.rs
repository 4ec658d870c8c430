//! Keys, without their bytes.

use uuid::Uuid;

use crate::{Columns, FromColumns, List, Listed, Order, Page, StoreError, Tx, sql};

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
    current_version, created_at_ms, origin";
const INSERT: &str = "INSERT INTO keys (id, name, name_key, key_type_id, spec, purpose, usages, state, bound_algorithm, \
    current_version, created_at_ms, origin) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
    ON CONFLICT DO NOTHING";
const BY_ID: &str = "SELECT id, name, name_key, key_type_id, spec, purpose, usages, state, bound_algorithm, \
    current_version, created_at_ms, origin FROM keys WHERE id = $1";
const ALL: &str = "SELECT id, name, name_key, key_type_id, spec, purpose, usages, state, bound_algorithm, \
    current_version, created_at_ms, origin FROM keys ORDER BY id";
const NAME_TAKEN: &str = "SELECT COUNT(*) FROM keys WHERE name_key = $1 AND purpose = 'Data' AND id <> $2";
const UPDATE: &str = "UPDATE keys SET name = $2, name_key = $3, usages = $4, state = $5 WHERE id = $1";
const BIND: &str =
    "UPDATE keys SET bound_algorithm = $2 WHERE id = $1 AND (bound_algorithm IS NULL OR bound_algorithm = $2)";
const ROTATE: &str = "UPDATE keys SET current_version = $3 WHERE id = $1 AND current_version = $2";

/// Adds a key; false when it is a data key and another has its name.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<bool, StoreError> {
    let rows = sql(INSERT)
        .bind(row.id)
        .bind(&row.name)
        .bind(&row.name_key)
        .bind(row.key_type_id)
        .bind(&row.spec)
        .bind(&row.purpose)
        .bind(&row.usages)
        .bind(&row.state)
        .bind(row.bound_algorithm.as_deref())
        .bind(row.current_version)
        .bind(row.created_at_ms)
        .bind(&row.origin)
        .execute(tx)
        .await?;
    Ok(rows == 1)
}

/// The key with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// Every key.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).all(tx).await
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
    sql(UPDATE).bind(row.id).bind(&row.name).bind(&row.name_key).bind(&row.usages).bind(&row.state).execute(tx).await?;
    Ok(())
}

/// Binds a key to an algorithm; false when it is bound to another.
pub async fn bind_algorithm(tx: &mut Tx, id: Uuid, algorithm: &str) -> Result<bool, StoreError> {
    Ok(sql(BIND).bind(id).bind(algorithm).execute(tx).await? == 1)
}

/// Moves a key to its next version; false when it is no longer at `from`.
pub async fn rotate(tx: &mut Tx, id: Uuid, from: u32, to: u32) -> Result<bool, StoreError> {
    Ok(sql(ROTATE).bind(id).bind(from).bind(to).execute(tx).await? == 1)
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            id: columns.get("id")?,
            name: columns.get("name")?,
            name_key: columns.get("name_key")?,
            key_type_id: columns.get("key_type_id")?,
            spec: columns.get("spec")?,
            purpose: columns.get("purpose")?,
            usages: columns.get("usages")?,
            state: columns.get("state")?,
            bound_algorithm: columns.optional("bound_algorithm")?,
            current_version: columns.get("current_version")?,
            created_at_ms: columns.get("created_at_ms")?,
            origin: columns.get("origin")?,
        })
    }
}
