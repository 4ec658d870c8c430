//! Services that are time-stamping authorities.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

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

const INSERT: &str = "INSERT INTO time_stamping_services (service_id, policy_oid, is_default) VALUES ($1, $2, $3)";
const BY_SERVICE: &str = "SELECT service_id, policy_oid, is_default FROM time_stamping_services WHERE service_id = $1";
const DEFAULT: &str = "SELECT service_id, policy_oid, is_default FROM time_stamping_services WHERE is_default = 1";
const ALL: &str = "SELECT service_id, policy_oid, is_default FROM time_stamping_services ORDER BY service_id";
const CHANGE: &str = "UPDATE time_stamping_services SET policy_oid = $2, is_default = $3 WHERE service_id = $1";
const NO_DEFAULT: &str = "UPDATE time_stamping_services SET is_default = 0 WHERE is_default = 1";

/// Adds an authority.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    sql(INSERT).bind(row.service_id).bind(&row.policy_oid).bind(row.is_default).execute(tx).await?;
    Ok(())
}

/// Puts a row in the place of the one of its service; false where there is none.
pub async fn change(tx: &mut Tx, row: &Row) -> Result<bool, StoreError> {
    Ok(sql(CHANGE).bind(row.service_id).bind(&row.policy_oid).bind(row.is_default).execute(tx).await? == 1)
}

/// Every authority: some few.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).all(tx).await
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
    sql(NO_DEFAULT).execute(tx).await?;
    Ok(())
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            service_id: columns.get("service_id")?,
            policy_oid: columns.get("policy_oid")?,
            is_default: columns.get("is_default")?,
        })
    }
}
