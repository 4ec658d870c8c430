//! The inventory's side of an import: who may have issued, and what is written.

use chancery_store::{Tx, name_key, tables};
use chancery_types::{
    CertificateId, KeyUsage, Origin,
    wire::import::{Imported, ImportedCertificate},
};
use der::{Decode, Encode};
use uuid::Uuid;
use x509_cert::Certificate;

use super::{
    CERTIFICATES,
    link::{Above, Linked},
    read::Foreign,
};
use crate::{Error, Result, keys::NewKey, pki::stored_certificate::StoredCertificate};

/// Certificates of one subject that are looked at: an authority with more of them than this is none that we know.
const NAMED_MAX: u32 = 50;

/// A certificate of the inventory that may have issued something, and what issued it.
pub(super) struct Known {
    pub(super) chain: Vec<StoredCertificate>,
}

impl Known {
    pub(super) fn id(&self) -> CertificateId {
        self.chain[0].id
    }
}

/// What shall become of what is imported.
pub(super) struct Wanted {
    /// Whether all authorities are trusted.
    pub(super) trust: bool,
    /// The one that gets this key, by its place.
    pub(super) authority: Option<(usize, NewKey)>,
}

/// The certificates of these names and subjects.
pub(super) async fn issuers(tx: &mut Tx, mut names: Vec<(String, String)>) -> Result<Vec<Known>> {
    names.sort_unstable();
    names.dedup();
    let mut known = Vec::new();
    for (name, subject) in names {
        for row in tables::certificates::named(tx, &name_key(&name), &subject, NAMED_MAX).await? {
            // What was not saved issues nothing.
            if row.der.is_empty() {
                continue;
            }
            known.push(Known { chain: StoredCertificate::from_row(row)?.with_issuers(tx).await? });
        }
    }
    Ok(known)
}

/// Writes what is new. What the inventory has already is answered as it is there.
pub(super) async fn insert(
    tx: &mut Tx,
    linked: Linked,
    wanted: Wanted,
    now_ms: i64,
    name_max: usize,
) -> Result<Imported> {
    // Between looking and writing nobody else imports the same: the database itself sees that only within a group.
    tables::turns::take(tx, "import").await?;
    let Wanted { trust, mut authority } = wanted;
    let mut answer =
        Imported { certificate_uuid: None, key_uuid: None, certificates: Vec::new(), warnings: Vec::new() };
    for (place, certificate) in linked.certificates.into_iter().enumerate() {
        let foreign = certificate.foreign;
        let issuer = match certificate.issuer {
            Above::Itself => None,
            Above::Sent(above) => Some(answer.certificates[above].certificate_uuid),
            Above::Stored(id) => Some(id),
        };
        if let Some(issuer) = issuer {
            check_still_good(tx, issuer).await?;
        }
        let key = authority.take_if(|(of, _)| *of == place).map(|(_, key)| key);
        let trusted = foreign.is_authority && (trust || key.is_some());
        let existing = existing(tx, &foreign, issuer).await?;
        let existed = existing.is_some();
        let joins = trusted && existing.as_ref().is_none_or(|existing| !existing.trusted);
        let id = match existing {
            Some(existing) => {
                check_still_good(tx, existing.id).await?;
                if trusted && !existing.trusted {
                    tables::certificates::trust(tx, existing.id.into()).await?;
                }
                existing.id
            }
            None => {
                let id = CertificateId::in_time(now_ms, chancery_keys::random());
                let row = row(id, &foreign, issuer.unwrap_or(id), trusted, name_max);
                tables::certificates::insert(tx, &row).await?;
                id
            }
        };
        if joins {
            tables::crls::joined(tx, id.into()).await?;
        }
        if let Some(key) = key {
            answer.certificate_uuid = Some(id);
            answer.key_uuid = Some(key.id());
            give_key(tx, id, &foreign, key, now_ms, name_max).await?;
        }
        answer.certificates.push(ImportedCertificate {
            certificate_uuid: id,
            subject: foreign.subject.to_string(),
            serial_number: foreign.serial,
            issuer_uuid: issuer.unwrap_or(id),
            existed,
        });
    }
    Ok(answer)
}

/// The very certificate, where the inventory has it.
async fn existing(tx: &mut Tx, foreign: &Foreign, issuer: Option<CertificateId>) -> Result<Option<StoredCertificate>> {
    let Some(issuer) = issuer else {
        let rows = tables::certificates::self_signed(tx, &foreign.serial).await?;
        let row = rows.into_iter().find(|row| row.der == foreign.der);
        return row.map(StoredCertificate::from_row).transpose();
    };
    match tables::certificates::by_serial(tx, issuer.into(), &foreign.serial).await? {
        Some(row) if row.der == foreign.der => StoredCertificate::from_row(row).map(Some),
        Some(_) => {
            let message = format!("The issuer has another certificate with the serial number {}.", foreign.serial);
            Err(Error::exists(CERTIFICATES, message))
        }
        None => Ok(None),
    }
}

/// What happened to what stands here already since it was looked at.
async fn check_still_good(tx: &mut Tx, id: CertificateId) -> Result<()> {
    let found = StoredCertificate::load(tx, id).await?;
    if found.revoked.is_some() {
        return Err(Error::state("One of the certificates is in the inventory, revoked or on hold.").at(CERTIFICATES));
    }
    Ok(())
}

/// Stores the key of an authority, whose lists begin anew. Their numbers begin at the time in seconds, above those of
/// the lists that it signed elsewhere as long as it did not number them by dates.
async fn give_key(
    tx: &mut Tx,
    id: CertificateId,
    foreign: &Foreign,
    key: NewKey,
    now_ms: i64,
    name_max: usize,
) -> Result<()> {
    let name = foreign.name(name_max);
    check_alone(tx, id, foreign, &name).await?;
    let key_id = key.id();
    key.insert(tx, &name, &[KeyUsage::Sign], now_ms).await?;
    if !tables::certificates::give_key(tx, id.into(), key_id.into()).await? {
        return Err(Error::exists(CERTIFICATES, format!("The authority {id} has its key here already.")));
    }
    Ok(tables::crls::begin(tx, id.into(), now_ms.div_euclid(1_000)).await?)
}

/// Two certificates of one name and key would each have a revocation list that calls itself the whole.
async fn check_alone(tx: &mut Tx, id: CertificateId, foreign: &Foreign, name: &str) -> Result<()> {
    let subject = foreign.subject.to_string();
    for row in tables::certificates::named(tx, &name_key(name), &subject, NAMED_MAX).await? {
        if row.id == Uuid::from(id) || row.key_id.is_none() {
            continue;
        }
        let parsed = Certificate::from_der(&row.der).map_err(Error::internal)?;
        let spki = parsed.tbs_certificate().subject_public_key_info().to_der().map_err(Error::internal)?;
        if spki == foreign.spki {
            let message = format!("The key is here already, as that of the authority {}.", row.id);
            return Err(Error::exists(CERTIFICATES, message));
        }
    }
    Ok(())
}

fn row(
    id: CertificateId,
    foreign: &Foreign,
    issuer: CertificateId,
    trusted: bool,
    name_max: usize,
) -> tables::certificates::Row {
    let (name, subject) = (foreign.name(name_max), foreign.subject.to_string());
    tables::certificates::Row {
        id: id.into(),
        name_key: name_key(&name),
        name,
        subject_key: name_key(&subject),
        subject,
        issuer_id: issuer.into(),
        // No profile of ours.
        profile_id: Uuid::nil(),
        serial: foreign.serial.clone(),
        not_before_s: foreign.validity.not_before_s(),
        not_after_s: foreign.validity.not_after_s(),
        spec: foreign.spec.as_str().to_owned(),
        key_id: None,
        trusted,
        der: foreign.der.clone(),
        revoked_at_s: None,
        revocation_reason: None,
        origin: Origin::Imported.as_str().to_owned(),
        approval: None,
    }
}
