//! The newest certificate revocation list of every issuer.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// An issuer's list as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The issuer.
    pub issuer_id: Uuid,
    /// The number of the list, 0 before the first was signed.
    pub number: i64,
    /// How often something was revoked or released.
    pub changes: i64,
    /// How many of these changes the signed list knows.
    pub changes_signed: i64,
    /// When the list was signed.
    pub this_update_s: i64,
    /// The list itself.
    pub der: Option<Vec<u8>>,
}

const CHANGED: &str = "INSERT INTO crls (issuer_id, number, changes, changes_signed, this_update_s) \
    VALUES ($1, 0, 1, 0, 0) ON CONFLICT (issuer_id) DO UPDATE SET changes = crls.changes + 1";
const BEGIN: &str = "INSERT INTO crls (issuer_id, number, changes, changes_signed, this_update_s) \
    VALUES ($1, 0, 0, 0, 0) ON CONFLICT (issuer_id) DO NOTHING";
const BY_ISSUER: &str =
    "SELECT issuer_id, number, changes, changes_signed, this_update_s, der FROM crls WHERE issuer_id = $1";
const REPLACE: &str = "UPDATE crls SET number = number + 1, changes_signed = $3, this_update_s = $4, der = $5 \
    WHERE issuer_id = $1 AND number = $2";

/// Notes that the issuer's list is stale.
pub async fn changed(tx: &mut Tx, issuer_id: Uuid) -> Result<(), StoreError> {
    sql(CHANGED).bind(issuer_id).execute(tx).await?;
    Ok(())
}

/// The issuer's list.
pub async fn by_issuer(tx: &mut Tx, issuer_id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ISSUER).bind(issuer_id).optional(tx).await
}

/// Puts a newly signed list in the place of the one it was made from; false when somebody else has done so.
pub async fn replace(tx: &mut Tx, from: &Row, this_update_s: i64, der: &[u8]) -> Result<bool, StoreError> {
    sql(BEGIN).bind(from.issuer_id).execute(tx).await?;
    let rows = sql(REPLACE)
        .bind(from.issuer_id)
        .bind(from.number)
        .bind(from.changes)
        .bind(this_update_s)
        .bind(der)
        .execute(tx)
        .await?;
    Ok(rows == 1)
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            issuer_id: columns.get("issuer_id")?,
            number: columns.get("number")?,
            changes: columns.get("changes")?,
            changes_signed: columns.get("changes_signed")?,
            this_update_s: columns.get("this_update_s")?,
            der: columns.optional("der")?,
        })
    }
}
