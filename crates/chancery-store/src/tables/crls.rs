//! The newest certificate revocation list of every issuer.
//!
//! A list speaks for a name: what happens to a certificate of one issuer, the lists of all issuers of its subject tell.

use uuid::Uuid;

use super::certificates::namesakes;
use crate::authority::{authority, put};
use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// What is known of an issuer's lists without the lists themselves, which may be large.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The issuer.
    pub issuer_id: Uuid,
    /// The number of the list, 0 before the first was signed.
    pub number: i64,
    /// How often something was revoked or released.
    pub changes: i64,
    /// How many of these changes the signed list knows.
    pub changes_signed: i64,
    /// When the list was signed, and at least a second after the one before it.
    pub this_update_s: i64,
    /// The complete list that the delta list refers to.
    pub base_number: i64,
    /// When that was signed, or earlier: what has changed since well before that, delta lists tell of.
    pub base_s: i64,
}

/// An issuer's lists as signed last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lists {
    /// The number of both.
    pub number: i64,
    /// When they were signed, as in [`Head`].
    pub this_update_s: i64,
    /// The complete list.
    pub der: Vec<u8>,
    /// What changed since an earlier complete list.
    pub delta: Vec<u8>,
}

/// A hold that was released.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// Whose lists say so: the issuer's or a namesake's.
    pub issuer_id: Uuid,
    /// The serial number in hexadecimal digits.
    pub serial: String,
    /// When.
    pub released_at_s: i64,
}

/// A complete list that delta lists refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Base {
    /// Its number.
    pub number: i64,
    /// When it was signed.
    pub signed_at_s: i64,
}

/// A newly signed pair of lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// When they were signed, and at least a second after those before.
    pub this_update_s: i64,
    /// The complete list.
    pub der: Vec<u8>,
    /// What the delta list refers to.
    pub base: Base,
    /// The delta list.
    pub delta: Vec<u8>,
}

const CHANGED: &str = "INSERT INTO crls (issuer_id, number, changes, changes_signed, this_update_s) \
    VALUES ($1, 0, 1, 0, 0) ON CONFLICT (issuer_id) DO UPDATE SET changes = crls.changes + 1, \
    base_s = CASE WHEN crls.base_s > $2 THEN $2 ELSE crls.base_s END";
const BEGIN: &str = "INSERT INTO crls (issuer_id, number, changes, changes_signed, this_update_s) \
    VALUES ($1, $2, 0, 0, 0) ON CONFLICT (issuer_id) DO UPDATE SET number = $2 WHERE crls.number < $2";
const HEAD: &str = "SELECT issuer_id, number, changes, changes_signed, this_update_s, base_number, base_s FROM crls \
    WHERE issuer_id = $1";
const LISTS: &str = "SELECT number, this_update_s, der, delta FROM crls \
    WHERE issuer_id = $1 AND der IS NOT NULL AND delta IS NOT NULL";
const REPLACE: &str = "UPDATE crls SET number = number + 1, changes_signed = $3, this_update_s = $4, der = $5, \
    base_number = $6, base_s = CASE WHEN changes <> $3 AND base_number <> $6 AND base_s > $9 THEN $9 \
    WHEN changes <> $3 AND base_s < $7 THEN base_s ELSE $7 END, delta = $8 WHERE issuer_id = $1 AND number = $2";
const REVOKED_AGAIN: &str = "DELETE FROM crl_releases WHERE issuer_id = $1 AND serial = $2";
const RELEASES: &str =
    "SELECT issuer_id, serial, released_at_s, mac FROM crl_releases WHERE issuer_id = $1 ORDER BY serial";
const FORGET: &str = "DELETE FROM crl_releases WHERE issuer_id = $1 \
    AND released_at_s < (SELECT base_s FROM crls WHERE issuer_id = $1) - $2";

/// Seconds before a base from which delta lists tell of what happened, too: it may have been stored after the base was signed,
/// or by the clock of another node. What the base tells of as well does no harm there.
pub const LATE_S: i64 = 3_600;

/// Seconds by which a new base counts from earlier on where something has changed while it was made: by whose clock is not
/// known, nor how far that is behind.
const BEHIND_S: i64 = 86_400;

/// Notes that the lists of the issuer and its namesakes are stale since this moment. Where a clock that is well behind says that
/// it was before the base, the base counts from then on, so that delta lists tell of it.
pub async fn changed(tx: &mut Tx, issuer_id: Uuid, at_s: i64) -> Result<(), StoreError> {
    for id in namesakes(tx, issuer_id).await? {
        sql(CHANGED).bind(id).bind(at_s.saturating_add(LATE_S)).execute(tx).await?;
    }
    Ok(())
}

/// Notes that this issuer is trusted from now on, and may have revoked anything at any time: delta lists of its namesakes get
/// another base.
pub async fn joined(tx: &mut Tx, issuer_id: Uuid) -> Result<(), StoreError> {
    changed(tx, issuer_id, 0).await
}

/// Lets an issuer's lists go on after this number at least.
pub async fn begin(tx: &mut Tx, issuer_id: Uuid, number: i64) -> Result<(), StoreError> {
    sql(BEGIN).bind(issuer_id).bind(number).execute(tx).await?;
    Ok(())
}

/// What is known of the issuer's lists; nothing before something was revoked or signed.
pub async fn head(tx: &mut Tx, issuer_id: Uuid) -> Result<Option<Head>, StoreError> {
    sql(HEAD).bind(issuer_id).optional(tx).await
}

/// The issuer's lists, if they were ever signed.
pub async fn lists(tx: &mut Tx, issuer_id: Uuid) -> Result<Option<Lists>, StoreError> {
    sql(LISTS).bind(issuer_id).optional(tx).await
}

/// Puts newly signed lists in the place of those they were made from; false when somebody else has done so. What has changed
/// while they were made the next delta list tells of, also where that was by a clock that is up to a day behind. Releases from
/// well before the base are forgotten: the base tells of them.
pub async fn replace(tx: &mut Tx, from: &Head, signed: &Signed) -> Result<bool, StoreError> {
    begin(tx, from.issuer_id, 0).await?;
    let rows = sql(REPLACE)
        .bind(from.issuer_id)
        .bind(from.number)
        .bind(from.changes)
        .bind(signed.this_update_s)
        .bind(&signed.der)
        .bind(signed.base.number)
        .bind(signed.base.signed_at_s)
        .bind(&signed.delta)
        .bind(signed.base.signed_at_s.saturating_sub(BEHIND_S))
        .execute(tx)
        .await?;
    sql(FORGET).bind(from.issuer_id).bind(LATE_S).execute(tx).await?;
    Ok(rows == 1)
}

/// Notes that a hold was released, for each namesake: each has a base of its own until which that is remembered.
pub async fn released(tx: &mut Tx, issuer_id: Uuid, serial: &str, at_s: i64) -> Result<(), StoreError> {
    for issuer_id in namesakes(tx, issuer_id).await? {
        put(tx, &Release { issuer_id, serial: serial.to_owned(), released_at_s: at_s }).await?;
    }
    Ok(())
}

/// Notes that what was released is revoked or on hold again.
pub async fn revoked_again(tx: &mut Tx, issuer_id: Uuid, serial: &str) -> Result<(), StoreError> {
    for id in namesakes(tx, issuer_id).await? {
        sql(REVOKED_AGAIN).bind(id).bind(serial).execute(tx).await?;
    }
    Ok(())
}

/// The releases that are known still, by serial number.
pub async fn releases(tx: &mut Tx, issuer_id: Uuid) -> Result<Vec<Release>, StoreError> {
    sql(RELEASES).bind(issuer_id).all(tx).await
}

authority!(Release, "crl_releases", keys 2, { issuer_id, serial, released_at_s });

impl FromColumns for Head {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            issuer_id: columns.get("issuer_id")?,
            number: columns.get("number")?,
            changes: columns.get("changes")?,
            changes_signed: columns.get("changes_signed")?,
            this_update_s: columns.get("this_update_s")?,
            base_number: columns.get("base_number")?,
            base_s: columns.get("base_s")?,
        })
    }
}

impl FromColumns for Lists {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            number: columns.get("number")?,
            this_update_s: columns.get("this_update_s")?,
            der: columns.get("der")?,
            delta: columns.get("delta")?,
        })
    }
}
