//! What each issuer has revoked, as its lists say it: apart from the certificates, so that a list of very many is
//! authenticated without reading those. Written by [`super::certificates`] together with the certificate.

use uuid::Uuid;

use crate::authority::{authority, put};
use crate::{StoreError, Tx, sql};

/// A revocation as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// The certificate.
    pub(crate) certificate_id: Uuid,
    /// What issued it.
    pub(crate) issuer_id: Uuid,
    /// Its serial number in hexadecimal digits.
    pub(crate) serial: String,
    /// When it was revoked or put on hold.
    pub(crate) revoked_at_s: i64,
    /// Why.
    pub(crate) revocation_reason: String,
}

const DELETE: &str = "DELETE FROM revocations WHERE certificate_id = $1";
const OF_ISSUER: &str = "SELECT certificate_id, issuer_id, serial, revoked_at_s, revocation_reason, mac \
    FROM revocations WHERE issuer_id = $1 ORDER BY serial";

/// Adds a revocation, or takes the place of a hold.
pub(crate) async fn set(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    put(tx, row).await
}

/// Removes it.
pub(crate) async fn delete(tx: &mut Tx, certificate_id: Uuid) -> Result<(), StoreError> {
    sql(DELETE).bind(certificate_id).execute(tx).await?;
    Ok(())
}

/// All of an issuer, by serial number. A bad one stops the list: left out, it would be valid again.
pub(crate) async fn of_issuer(tx: &mut Tx, issuer_id: Uuid) -> Result<Vec<Row>, StoreError> {
    sql(OF_ISSUER).bind(issuer_id).all(tx).await
}

authority!(Row, "revocations", keys 1, { certificate_id, issuer_id, serial, revoked_at_s, revocation_reason });
