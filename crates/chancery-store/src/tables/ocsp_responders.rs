//! Which certificate signs an issuer's OCSP answers at present.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// Who answers for an issuer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The issuer.
    pub issuer_id: Uuid,
    /// The responder's certificate.
    pub certificate_id: Uuid,
}

const SET: &str = "INSERT INTO ocsp_responders (issuer_id, certificate_id) VALUES ($1, $2) \
    ON CONFLICT (issuer_id) DO UPDATE SET certificate_id = excluded.certificate_id";
const OF_ISSUER: &str = "SELECT issuer_id, certificate_id FROM ocsp_responders WHERE issuer_id = $1";

/// Makes it this one, whichever it was.
pub async fn set(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    sql(SET).bind(row.issuer_id).bind(row.certificate_id).execute(tx).await?;
    Ok(())
}

/// Who answers for this issuer, if there ever was one.
pub async fn of_issuer(tx: &mut Tx, issuer_id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(OF_ISSUER).bind(issuer_id).optional(tx).await
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { issuer_id: columns.get("issuer_id")?, certificate_id: columns.get("certificate_id")? })
    }
}
