//! Deployed services.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// A service as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub uuid: Uuid,
    /// Its name as people wrote it, unique.
    pub name: String,
    /// The name in lower case, for searches.
    pub name_folded: String,
    /// The template it was deployed from.
    pub template: String,
    /// The form of all its signatures.
    pub signing_format: String,
    /// Its signing certificate; none for a service that was deployed without one.
    pub certificate_uuid: Option<Uuid>,
    /// When it was deployed.
    pub created_at: i64,
}

const INSERT: &str = "INSERT INTO services \
    (uuid, name, name_folded, template, signing_format, certificate_uuid, created_at) \
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name) DO NOTHING";
const BY_ID: &str = "SELECT uuid, name, name_folded, template, signing_format, certificate_uuid, created_at \
    FROM services WHERE uuid = $1";
const NAME_TAKEN: &str = "SELECT COUNT(*) FROM services WHERE name = $1";
const LIST: &str = "SELECT uuid, name, name_folded, template, signing_format, certificate_uuid, created_at \
    FROM services WHERE name_folded LIKE $1 ESCAPE '\\' ORDER BY name, uuid LIMIT $2 OFFSET $3";
const COUNT: &str = "SELECT COUNT(*) FROM services WHERE name_folded LIKE $1 ESCAPE '\\'";

/// Adds a service; false when its name is taken.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<bool, StoreError> {
    let rows = sql(INSERT)
        .bind(row.uuid)
        .bind(&row.name)
        .bind(&row.name_folded)
        .bind(&row.template)
        .bind(&row.signing_format)
        .bind(row.certificate_uuid)
        .bind(row.created_at)
        .execute(tx)
        .await?;
    Ok(rows == 1)
}

/// The service with this id.
pub async fn by_id(tx: &mut Tx, uuid: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(uuid).optional(tx).await
}

/// Whether a service has this name.
pub async fn name_taken(tx: &mut Tx, name: &str) -> Result<bool, StoreError> {
    Ok(sql(NAME_TAKEN).bind(name).one::<i64>(tx).await? > 0)
}

/// Services whose folded name is like this pattern, by name and id.
pub async fn list(tx: &mut Tx, pattern: &str, limit: i64, offset: i64) -> Result<Vec<Row>, StoreError> {
    sql(LIST).bind(pattern).bind(limit).bind(offset).all(tx).await
}

/// How many services have a folded name like this pattern.
pub async fn count(tx: &mut Tx, pattern: &str) -> Result<i64, StoreError> {
    sql(COUNT).bind(pattern).one(tx).await
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            uuid: columns.get("uuid")?,
            name: columns.get("name")?,
            name_folded: columns.get("name_folded")?,
            template: columns.get("template")?,
            signing_format: columns.get("signing_format")?,
            certificate_uuid: columns.optional("certificate_uuid")?,
            created_at: columns.get("created_at")?,
        })
    }
}
