//! Certificates.

mod list;
mod serials;
mod standing;

pub use list::{Filter, Part, Position, list};
use serials::{group_of_new, opens_group, select_by_serial};
pub use standing::{Standing, macs, standing};
use uuid::Uuid;

use super::revocations;
use crate::authority::{amend, authority};
use crate::statement::{IDS_MAX, parameters};
use crate::value::Bind;
use crate::{Columns, FromColumns, StoreError, Tx, generated_sql, sql};

/// A certificate as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// What people call it.
    pub name: String,
    /// Its name in one letter case.
    pub name_key: String,
    /// The subject in one line.
    pub subject: String,
    /// The subject in one letter case.
    pub subject_key: String,
    /// What issued it; its own id where it is self-signed.
    pub issuer_id: Uuid,
    /// Its profile.
    pub profile_id: Uuid,
    /// Its serial number in hexadecimal digits.
    pub serial: String,
    /// First second of its validity.
    pub not_before_s: i64,
    /// Last second of its validity.
    pub not_after_s: i64,
    /// The kind of its key.
    pub spec: String,
    /// Its key, if that was kept.
    pub key_id: Option<Uuid>,
    /// Whether it is trusted as an issuer.
    pub trusted: bool,
    /// The certificate itself.
    pub der: Vec<u8>,
    /// When it was revoked or put on hold.
    pub revoked_at_s: Option<i64>,
    /// Why.
    pub revocation_reason: Option<String>,
    /// Where it was made.
    pub origin: String,
    /// What it demands of everything that it issues, as JSON.
    pub approval: Option<String>,
}

/// What a CRL says of a revoked certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revoked {
    /// The serial number in hexadecimal digits.
    pub serial: String,
    /// When it was revoked.
    pub revoked_at_s: i64,
    /// Why.
    pub revocation_reason: String,
}

macro_rules! columns {
    () => {
        "id, name, name_key, subject, subject_key, issuer_id, profile_id, serial, not_before_s, not_after_s, spec, \
         key_id, trusted, der, revoked_at_s, revocation_reason, origin, approval, mac"
    };
}

macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT ", columns!(), " FROM certificates ", $rest)
    };
}

const COLUMNS: &str = columns!();
const INSERT: &str = concat!(
    "INSERT INTO certificates (",
    columns!(),
    ", serial_group) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, \
     $19, ",
    group_of_new!("$20"),
    ")"
);
/// The one reason that can be taken back.
const HOLD: &str = "certificateHold";

const BY_ID: &str = select!("WHERE id = $1");
const BY_SERIAL: &str = select_by_serial!(columns!(), "$2", " AND issuer_id = $1 LIMIT 1");
const SELF_SIGNED: &str = select!("WHERE serial = $1 AND issuer_id = id ORDER BY id");
const NAMED: &str = select!("WHERE name_key = $1 AND subject = $2 ORDER BY id LIMIT $3");
// Trusted ones are few, and have an index.
const NAMESAKES: &str = "SELECT id FROM certificates WHERE id = $1 UNION SELECT id FROM certificates \
    WHERE trusted = 1 AND subject_key = (SELECT subject_key FROM certificates WHERE id = $1) ORDER BY id";

/// A certificate that will end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// Its id.
    pub id: Uuid,
    /// The subject in one line.
    pub subject: String,
    /// Its serial number in hexadecimal digits.
    pub serial: String,
    /// Last second of its validity.
    pub not_after_s: i64,
}

const ENDING_AFTER: &str = "SELECT id, subject, serial, not_after_s FROM certificates \
    WHERE (not_after_s, id) > ($1, $2) AND not_after_s <= $3 AND revoked_at_s IS NULL \
    ORDER BY not_after_s, id LIMIT $4";
const ENDING: &str = "SELECT COUNT(*) FROM certificates \
    WHERE not_after_s > $1 AND not_after_s <= $2 AND revoked_at_s IS NULL";
// By the id, which follows the time.
const NEWEST_OF_NAME: &str = "SELECT not_before_s FROM certificates WHERE name_key = $1 \
    ORDER BY name_key DESC, id DESC LIMIT 1 OFFSET $2";

/// A place among certificates by their ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndPosition {
    /// Last second of the validity.
    pub not_after_s: i64,
    /// The id, of those that end in the same second.
    pub id: Uuid,
}

/// Those that are not revoked and come after this place, until that second, by their end.
pub async fn ending_after(
    tx: &mut Tx,
    after: EndPosition,
    until_s: i64,
    limit: u32,
) -> Result<Vec<Ending>, StoreError> {
    sql(ENDING_AFTER).bind(after.not_after_s).bind(after.id).bind(until_s).bind(limit).all(tx).await
}

/// How many that are not revoked end after this second, until that one.
pub async fn ending(tx: &mut Tx, after_s: i64, until_s: i64) -> Result<i64, StoreError> {
    sql(ENDING).bind(after_s).bind(until_s).one(tx).await
}

/// The first second of the certificate of this name of which so many are newer, if there is one.
pub async fn start_of_newest(tx: &mut Tx, name_key: &str, newer: u32) -> Result<Option<i64>, StoreError> {
    sql(NEWEST_OF_NAME).bind(name_key).bind(newer).optional(tx).await
}

impl FromColumns for Ending {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            id: columns.get("id")?,
            subject: columns.get("subject")?,
            serial: columns.get("serial")?,
            not_after_s: columns.get("not_after_s")?,
        })
    }
}

/// Adds a certificate.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    sql(INSERT).bind_row(tx, row, 1)?.bind(opens_group(row.id)).execute(tx).await?;
    note_revocation(tx, row).await
}

/// Lets the issuer's lists say whether it is revoked.
async fn note_revocation(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    let (Some(revoked_at_s), Some(revocation_reason)) = (row.revoked_at_s, row.revocation_reason.clone()) else {
        return Ok(());
    };
    let (certificate_id, issuer_id, serial) = (row.id, row.issuer_id, row.serial.clone());
    let revocation = revocations::Row { certificate_id, issuer_id, serial, revoked_at_s, revocation_reason };
    revocations::set(tx, &revocation).await
}

/// The certificate with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// Those of these certificates that there are, and that are what they say.
pub async fn by_ids(tx: &mut Tx, ids: &[Uuid]) -> Result<Vec<Row>, StoreError> {
    let mut rows = Vec::new();
    for ids in ids.chunks(IDS_MAX) {
        let text = format!("SELECT {COLUMNS} FROM certificates WHERE id IN ({})", parameters(1, ids.len()));
        let values: Vec<_> = ids.iter().map(|id| (*id).into_value()).collect();
        rows.extend(generated_sql(text).bind_all(&values).authentic::<Row>(tx).await?);
    }
    Ok(rows)
}

/// The certificate that this issuer gave this serial number.
pub async fn by_serial(tx: &mut Tx, issuer_id: Uuid, serial: &str) -> Result<Option<Row>, StoreError> {
    sql(BY_SERIAL).bind(issuer_id).bind(serial).optional(tx).await
}

/// The self-signed certificates with this serial number.
pub async fn self_signed(tx: &mut Tx, serial: &str) -> Result<Vec<Row>, StoreError> {
    sql(SELF_SIGNED).bind(serial).all(tx).await
}

/// The oldest certificates of this folded name and exact subject.
pub async fn named(tx: &mut Tx, name_key: &str, subject: &str, limit: u32) -> Result<Vec<Row>, StoreError> {
    sql(NAMED).bind(name_key).bind(subject).bind(limit).all(tx).await
}

/// Trusts a certificate as an issuer.
pub async fn trust(tx: &mut Tx, id: Uuid) -> Result<(), StoreError> {
    let changed = amend(tx, vec![id.into_value()], |row: &mut Row| !std::mem::replace(&mut row.trusted, true));
    changed.await.map(drop)
}

/// Says what an authority demands of everything that it issues.
pub async fn demand(tx: &mut Tx, id: Uuid, approval: Option<&str>) -> Result<(), StoreError> {
    let changed = amend(tx, vec![id.into_value()], |row: &mut Row| {
        row.approval = approval.map(str::to_owned);
        true
    });
    changed.await.map(drop)
}

/// Gives a certificate its key and trusts it as an issuer; false where it has a key.
pub async fn give_key(tx: &mut Tx, id: Uuid, key_id: Uuid) -> Result<bool, StoreError> {
    amend(tx, vec![id.into_value()], |row: &mut Row| {
        row.trusted = true;
        row.key_id.replace(key_id).is_none()
    })
    .await
}

/// The ids of certificates behind this one, at most so many, in their order.
pub async fn ids_behind(tx: &mut Tx, id: Uuid, max: u32) -> Result<Vec<Uuid>, StoreError> {
    sql("SELECT id FROM certificates WHERE id > $1 ORDER BY id LIMIT $2").bind(id).bind(max).all(tx).await
}

/// The ids of all certificates that are trusted as issuers.
pub async fn trusted_ids(tx: &mut Tx) -> Result<Vec<Uuid>, StoreError> {
    sql("SELECT id FROM certificates WHERE trusted = 1 ORDER BY id").all(tx).await
}

/// The ids of this authority and of all that are trusted as issuers under its subject, whatever its letter case (RFC 5280,
/// 7.1), in their order.
pub async fn namesakes(tx: &mut Tx, id: Uuid) -> Result<Vec<Uuid>, StoreError> {
    sql(NAMESAKES).bind(id).all(tx).await
}

/// Revokes a certificate that is valid or on hold; false where it is revoked for good.
pub async fn revoke(tx: &mut Tx, id: Uuid, at_s: i64, reason: &str) -> Result<bool, StoreError> {
    let mut revoked = None;
    let changed = amend(tx, vec![id.into_value()], |row: &mut Row| {
        let may = row.revoked_at_s.is_none() || row.revocation_reason.as_deref() == Some(HOLD);
        row.revoked_at_s = Some(at_s);
        row.revocation_reason = Some(reason.to_owned());
        revoked = Some(row.clone());
        may
    });
    let changed = changed.await?;
    if let Some(row) = revoked.filter(|_| changed) {
        note_revocation(tx, &row).await?;
    }
    Ok(changed)
}

/// Releases a certificate that is on hold; false where it is not.
pub async fn release(tx: &mut Tx, id: Uuid) -> Result<bool, StoreError> {
    let changed = amend(tx, vec![id.into_value()], |row: &mut Row| {
        let may = row.revocation_reason.as_deref() == Some(HOLD);
        (row.revoked_at_s, row.revocation_reason) = (None, None);
        may
    });
    let changed = changed.await?;
    if changed {
        revocations::delete(tx, id).await?;
    }
    Ok(changed)
}

/// Everything that this issuer has issued and that is revoked or on hold, by serial number.
pub async fn revoked_by(tx: &mut Tx, issuer_id: Uuid) -> Result<Vec<Revoked>, StoreError> {
    let rows = revocations::of_issuer(tx, issuer_id).await?;
    let revoked = |row: revocations::Row| {
        let revocations::Row { serial, revoked_at_s, revocation_reason, .. } = row;
        Revoked { serial, revoked_at_s, revocation_reason }
    };
    Ok(rows.into_iter().map(revoked).collect())
}

authority!(Row, "certificates", keys 1, {
    id, name, name_key, subject, subject_key, issuer_id, profile_id, serial, not_before_s, not_after_s, spec, key_id,
    trusted, der, revoked_at_s, revocation_reason, origin, approval,
});
