//! Where the files of signing requests were built.

use uuid::Uuid;

use crate::authority::{self, authority};
use crate::{StoreError, Tx, sql};

/// Provenance as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The request.
    pub request_id: Uuid,
    /// The envelope, as it came.
    pub envelope: Vec<u8>,
    /// What was verified of it, as JSON.
    pub verified: String,
}

const OF: &str = "SELECT request_id, envelope, verified, mac FROM signing_provenance WHERE request_id = $1";

/// Adds a request's provenance.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::insert(tx, row).await
}

/// The provenance of a request, where it has one.
pub async fn of(tx: &mut Tx, request_id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(OF).bind(request_id).optional(tx).await
}

authority!(Row, "signing_provenance", keys 1, { request_id, envelope, verified });
