//! Services that are time-stamping authorities.

use uuid::Uuid;

use crate::authority::{self, amend, authority};
use crate::value::Bind;
use crate::{StoreError, Tx, sql};

/// What a time-stamping authority has besides what every service has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The service.
    pub service_id: Uuid,
    /// The policy that its stamps name, as a dotted OID.
    pub policy_oid: String,
    /// Whether it answers where none is named.
    pub is_default: bool,
}

const BY_SERVICE: &str =
    "SELECT service_id, policy_oid, is_default, mac FROM time_stamping_services WHERE service_id = $1";
const DEFAULT: &str = "SELECT service_id, policy_oid, is_default, mac FROM time_stamping_services WHERE is_default = 1";
const ALL: &str = "SELECT service_id, policy_oid, is_default, mac FROM time_stamping_services ORDER BY service_id";

/// Adds an authority.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::insert(tx, row).await
}

/// Puts a row in the place of the one of its service; false where there is none.
pub async fn change(tx: &mut Tx, row: &Row) -> Result<bool, StoreError> {
    let new = row.clone();
    amend(tx, vec![row.service_id.into_value()], |old: &mut Row| {
        *old = new;
        true
    })
    .await
}

/// Every authority: some few.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).authentic(tx).await
}

/// The authority that is this service.
pub async fn by_service(tx: &mut Tx, service_id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_SERVICE).bind(service_id).optional(tx).await
}

/// The one that answers where none is named.
pub async fn default(tx: &mut Tx) -> Result<Option<Row>, StoreError> {
    sql(DEFAULT).optional(tx).await
}

/// Takes the place of the default from whichever had it.
pub async fn clear_default(tx: &mut Tx) -> Result<(), StoreError> {
    for row in sql(DEFAULT).all::<Row>(tx).await? {
        let cleared = amend(tx, vec![row.service_id.into_value()], |row: &mut Row| {
            row.is_default = false;
            true
        });
        cleared.await?;
    }
    Ok(())
}

authority!(Row, "time_stamping_services", keys 1, { service_id, policy_oid, is_default });
