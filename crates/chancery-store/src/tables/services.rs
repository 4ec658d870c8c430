//! Deployed services.

use uuid::Uuid;

use crate::authority::{self, amend, authority};
use crate::value::Bind;
use crate::{List, Listed, Order, Page, StoreError, Tx, sql};

/// A service as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// Its name as people wrote it.
    pub name: String,
    /// Its name in one letter case; unique.
    pub name_key: String,
    /// The template it was deployed from.
    pub template: String,
    /// The form of all its signatures; empty for a time-stamping authority.
    pub signing_format: String,
    /// Its signing certificate; none for a service that was deployed without one.
    pub certificate_id: Option<Uuid>,
    /// When it was deployed.
    pub created_at_ms: i64,
    /// What the transparency log tells of its signatures.
    pub log: String,
}

const BY_ID: &str = "SELECT id, name, name_key, template, signing_format, certificate_id, created_at_ms, log, mac \
    FROM services WHERE id = $1";
const NAME_TAKEN: &str = "SELECT COUNT(*) FROM services WHERE name_key = $1";
const HAS_CERTIFICATE: &str = "SELECT COUNT(*) FROM services WHERE certificate_id = $1";

/// Adds a service; false when its name is taken.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<bool, StoreError> {
    authority::insert_if_new(tx, row).await
}

/// The service with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// Whether a service has this name.
pub async fn name_taken(tx: &mut Tx, name_key: &str) -> Result<bool, StoreError> {
    Ok(sql(NAME_TAKEN).bind(name_key).one::<i64>(tx).await? > 0)
}

/// Whether a service signs with this certificate.
pub async fn has_certificate(tx: &mut Tx, certificate_id: Uuid) -> Result<bool, StoreError> {
    Ok(sql(HAS_CERTIFICATE).bind(certificate_id).one::<i64>(tx).await? > 0)
}

/// Gives a service another certificate; false when its certificate is no longer the one that was read.
pub async fn set_certificate(tx: &mut Tx, id: Uuid, from: Option<Uuid>, to: Uuid) -> Result<bool, StoreError> {
    amend(tx, vec![id.into_value()], |row: &mut Row| row.certificate_id.replace(to) == from).await
}

/// The ids of so many services at most.
pub(crate) async fn ids(tx: &mut Tx, max: usize) -> Result<Vec<Uuid>, StoreError> {
    sql("SELECT id FROM services LIMIT $1").bind(i64::try_from(max).unwrap_or(i64::MAX)).all(tx).await
}

/// Services whose name contains the term, by name.
pub async fn list(tx: &mut Tx, term: Option<&str>, page: &Page) -> Result<Listed<Row>, StoreError> {
    List::new(
        "id, name, name_key, template, signing_format, certificate_id, created_at_ms, log, mac",
        "services",
        Order::Name("name_key", "id"),
    )
    .search("name_key", term)
    .page(tx, page)
    .await
}

authority!(Row, "services", keys 1, {
    id, name, name_key, template, signing_format, certificate_id, created_at_ms, log,
});
