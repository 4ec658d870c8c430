//! Which certificate signs an issuer's OCSP answers at present.

use uuid::Uuid;

use crate::authority::{authority, put};
use crate::{StoreError, Tx, sql};

/// Who answers for an issuer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The issuer.
    pub issuer_id: Uuid,
    /// The responder's certificate.
    pub certificate_id: Uuid,
}

const OF_ISSUER: &str = "SELECT issuer_id, certificate_id, mac FROM ocsp_responders WHERE issuer_id = $1";

/// Makes it this one, whichever it was.
pub async fn set(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    put(tx, row).await
}

/// Who answers for this issuer, if there ever was one.
pub async fn of_issuer(tx: &mut Tx, issuer_id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(OF_ISSUER).bind(issuer_id).optional(tx).await
}

authority!(Row, "ocsp_responders", keys 1, { issuer_id, certificate_id });
