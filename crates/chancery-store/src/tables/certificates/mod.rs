//! Certificates.

mod list;
mod serials;
mod standing;

pub use list::{Filter, Part, Position, list};
use serials::{group_of_new, opens_group, select_by_serial};
pub use standing::{Standing, standing};
use uuid::Uuid;

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
         key_id, trusted, der, revoked_at_s, revocation_reason, origin, approval"
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
    ", serial_group) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, ",
    group_of_new!("$19"),
    ")"
);
const BY_ID: &str = select!("WHERE id = $1");
const BY_SERIAL: &str = select_by_serial!(columns!(), "$2", " AND issuer_id = $1 LIMIT 1");
const TRUSTED: &str = select!("WHERE trusted = 1 ORDER BY id");
const SELF_SIGNED: &str = select!("WHERE serial = $1 AND issuer_id = id ORDER BY id");
const NAMED: &str = select!("WHERE name_key = $1 AND subject = $2 ORDER BY id LIMIT $3");
const TRUST: &str = "UPDATE certificates SET trusted = 1 WHERE id = $1";
const DEMAND: &str = "UPDATE certificates SET approval = $2 WHERE id = $1";
const GIVE_KEY: &str = "UPDATE certificates SET key_id = $2, trusted = 1 WHERE id = $1 AND key_id IS NULL";
const REVOKE: &str = "UPDATE certificates SET revoked_at_s = $2, revocation_reason = $3 \
    WHERE id = $1 AND (revoked_at_s IS NULL OR revocation_reason = 'certificateHold')";
const RELEASE: &str = "UPDATE certificates SET revoked_at_s = NULL, revocation_reason = NULL \
    WHERE id = $1 AND revocation_reason = 'certificateHold'";
const REVOKED: &str = "SELECT serial, revoked_at_s, revocation_reason FROM certificates \
    WHERE issuer_id = $1 AND revoked_at_s IS NOT NULL ORDER BY serial";

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

/// Those that are not revoked and end after this second and id, until that second, by their end.
pub async fn ending_after(
    tx: &mut Tx,
    after: (i64, Uuid),
    until_s: i64,
    limit: u32,
) -> Result<Vec<Ending>, StoreError> {
    sql(ENDING_AFTER).bind(after.0).bind(after.1).bind(until_s).bind(limit).all(tx).await
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
    sql(INSERT)
        .bind(row.id)
        .bind(&row.name)
        .bind(&row.name_key)
        .bind(&row.subject)
        .bind(&row.subject_key)
        .bind(row.issuer_id)
        .bind(row.profile_id)
        .bind(&row.serial)
        .bind(row.not_before_s)
        .bind(row.not_after_s)
        .bind(&row.spec)
        .bind(row.key_id)
        .bind(row.trusted)
        .bind(&row.der)
        .bind(row.revoked_at_s)
        .bind(row.revocation_reason.as_deref())
        .bind(&row.origin)
        .bind(row.approval.as_deref())
        .bind(opens_group(row.id))
        .execute(tx)
        .await?;
    Ok(())
}

/// The certificate with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// Those of these certificates that there are.
pub async fn by_ids(tx: &mut Tx, ids: &[Uuid]) -> Result<Vec<Row>, StoreError> {
    let mut rows = Vec::new();
    for ids in ids.chunks(IDS_MAX) {
        let text = format!("SELECT {COLUMNS} FROM certificates WHERE id IN ({})", parameters(1, ids.len()));
        let values: Vec<_> = ids.iter().map(|id| (*id).into_value()).collect();
        rows.extend(generated_sql(text).bind_all(&values).all::<Row>(tx).await?);
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
    sql(TRUST).bind(id).execute(tx).await?;
    Ok(())
}

/// Says what an authority demands of everything that it issues.
pub async fn demand(tx: &mut Tx, id: Uuid, approval: Option<&str>) -> Result<(), StoreError> {
    sql(DEMAND).bind(id).bind(approval).execute(tx).await?;
    Ok(())
}

/// Gives a certificate its key and trusts it as an issuer; false where it has a key.
pub async fn give_key(tx: &mut Tx, id: Uuid, key_id: Uuid) -> Result<bool, StoreError> {
    Ok(sql(GIVE_KEY).bind(id).bind(key_id).execute(tx).await? == 1)
}

/// The ids of all certificates that are trusted as issuers.
pub async fn trusted_ids(tx: &mut Tx) -> Result<Vec<Uuid>, StoreError> {
    sql("SELECT id FROM certificates WHERE trusted = 1 ORDER BY id").all(tx).await
}

/// Every certificate that is trusted as an issuer.
pub async fn trusted(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(TRUSTED).all(tx).await
}

/// Revokes a certificate that is valid or on hold; false where it is revoked for good.
pub async fn revoke(tx: &mut Tx, id: Uuid, at_s: i64, reason: &str) -> Result<bool, StoreError> {
    Ok(sql(REVOKE).bind(id).bind(at_s).bind(reason).execute(tx).await? == 1)
}

/// Releases a certificate that is on hold; false where it is not.
pub async fn release(tx: &mut Tx, id: Uuid) -> Result<bool, StoreError> {
    Ok(sql(RELEASE).bind(id).execute(tx).await? == 1)
}

/// Everything that this issuer has issued and that is revoked or on hold, by serial number.
pub async fn revoked_by(tx: &mut Tx, issuer_id: Uuid) -> Result<Vec<Revoked>, StoreError> {
    sql(REVOKED).bind(issuer_id).all(tx).await
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            id: columns.get("id")?,
            name: columns.get("name")?,
            name_key: columns.get("name_key")?,
            subject: columns.get("subject")?,
            subject_key: columns.get("subject_key")?,
            issuer_id: columns.get("issuer_id")?,
            profile_id: columns.get("profile_id")?,
            serial: columns.get("serial")?,
            not_before_s: columns.get("not_before_s")?,
            not_after_s: columns.get("not_after_s")?,
            spec: columns.get("spec")?,
            key_id: columns.optional("key_id")?,
            trusted: columns.get("trusted")?,
            der: columns.get("der")?,
            revoked_at_s: columns.optional("revoked_at_s")?,
            revocation_reason: columns.optional("revocation_reason")?,
            origin: columns.get("origin")?,
            approval: columns.optional("approval")?,
        })
    }
}

impl FromColumns for Revoked {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            serial: columns.get("serial")?,
            revoked_at_s: columns.get("revoked_at_s")?,
            revocation_reason: columns.get("revocation_reason")?,
        })
    }
}
