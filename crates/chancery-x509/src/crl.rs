//! Certificate revocation lists (RFC 5280, 5).

use chancery_types::RevocationReason;
use der::{
    Encode,
    asn1::{GeneralizedTime, ObjectIdentifier, OctetString, Uint},
};
use spki::AlgorithmIdentifierOwned;
use x509_cert::{
    Version,
    crl::{RevokedCert, TbsCertList},
    ext::{
        Extension,
        pkix::{BaseCrlNumber, CrlNumber, CrlReason, FreshestCrl},
    },
};

use super::{
    address,
    certificate::{Issuer, Serial, authority_key_identifier, extension},
    validity::x509_time,
};

/// How long a CRL is good for. It is signed anew on every revocation and after half of this time, so that a client
/// which fetches one always has some days left.
pub const LIFETIME_S: i64 = 7 * 24 * 3_600;

/// How long complete lists refer to one base. A relying party that has the base need only fetch deltas until then.
pub const BASE_LIFETIME_S: i64 = LIFETIME_S / 2;

/// expiredCertsOnCRL (X.509): a list names also what has expired at the moment that stands there, or later.
pub const EXPIRED_CERTS_ON_CRL: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.60");

/// removeFromCRL (5.3.1): what a delta list says of a hold that was released.
const REMOVE_FROM_CRL: CrlReason = CrlReason::RemoveFromCRL;

/// What a list says of one certificate.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Which one.
    pub serial: Serial,
    /// Since when.
    pub at_s: i64,
    /// `None`: it was on hold and is no longer.
    pub reason: Option<RevocationReason>,
}

/// That a certificate is revoked or on hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revocation {
    /// Since when: seconds since 1970 UTC.
    pub at_s: i64,
    /// Why.
    pub reason: RevocationReason,
}

/// A list to be signed.
pub struct Draft<'a> {
    /// Who signs.
    pub issuer: &'a Issuer,
    /// Its number; each list has a higher one.
    pub number: u64,
    /// The complete list that this one only adds to; `None` for a complete list.
    pub base_number: Option<u64>,
    /// Where the delta list is, for the complete one to name.
    pub freshest: Option<&'a str>,
    /// Certificates that end at this moment or later are named also after their end; `None` where nobody can say that.
    pub keeps_since_s: Option<i64>,
    /// When it is made.
    pub this_update_s: i64,
    /// The signature's algorithm.
    pub algorithm: &'a AlgorithmIdentifierOwned,
    /// What is revoked.
    pub entries: &'a [Entry],
}

/// The bytes that the issuer signs.
///
/// The authority key identifier is the issuer's *subject* key identifier. Copying the issuer's own authority key
/// identifier, as x509-cert's builder does, names the issuer's issuer, and OpenSSL then does not find the CRL.
pub fn to_be_signed(draft: &Draft<'_>) -> der::Result<Vec<u8>> {
    let entries = draft.entries.iter().map(entry).collect::<der::Result<Vec<_>>>()?;
    let mut extensions = vec![
        extension(false, &authority_key_identifier(&draft.issuer.key_identifier)?)?,
        extension(false, &CrlNumber::try_from(draft.number)?)?,
    ];
    if let Some(base) = draft.base_number {
        extensions.push(extension(true, &BaseCrlNumber(Uint::new(&base.to_be_bytes())?))?);
    }
    if let Some(url) = draft.freshest {
        extensions.push(extension(false, &FreshestCrl(vec![address::point(&[url.to_owned()])?]))?);
    }
    // It widens what a list is about, and a delta list is about the same as its base.
    if let Some(since_s) = draft.keeps_since_s {
        let since = GeneralizedTime::from_date_time(x509_time(since_s)?.to_date_time());
        let extn_value = OctetString::new(since.to_der()?)?;
        extensions.push(Extension { extn_id: EXPIRED_CERTS_ON_CRL, critical: false, extn_value });
    }
    TbsCertList {
        version: Version::V2,
        signature: draft.algorithm.clone(),
        issuer: draft.issuer.name.clone(),
        this_update: x509_time(draft.this_update_s)?,
        next_update: Some(x509_time(draft.this_update_s + LIFETIME_S)?),
        // An empty list is absent, not a list of nothing (5.1.2.6).
        revoked_certificates: (!entries.is_empty()).then_some(entries),
        crl_extensions: Some(extensions),
    }
    .to_der()
}

fn entry(entry: &Entry) -> der::Result<RevokedCert> {
    Ok(RevokedCert {
        serial_number: entry.serial.to_x509()?,
        revocation_date: x509_time(entry.at_s)?,
        crl_entry_extensions: reason(entry.reason)?.map(|reason| vec![reason]),
    })
}

/// `unspecified` is said by leaving the reason out (5.3.1).
fn reason(reason: Option<RevocationReason>) -> der::Result<Option<Extension>> {
    let code = match reason {
        Some(RevocationReason::Unspecified) => return Ok(None),
        Some(reason) => reason_code(reason),
        None => REMOVE_FROM_CRL,
    };
    extension(false, &code).map(Some)
}

/// The reason as CRLs and OCSP answers carry it.
pub const fn reason_code(reason: RevocationReason) -> CrlReason {
    match reason {
        RevocationReason::Unspecified => CrlReason::Unspecified,
        RevocationReason::KeyCompromise => CrlReason::KeyCompromise,
        RevocationReason::CaCompromise => CrlReason::CaCompromise,
        RevocationReason::AffiliationChanged => CrlReason::AffiliationChanged,
        RevocationReason::Superseded => CrlReason::Superseded,
        RevocationReason::CessationOfOperation => CrlReason::CessationOfOperation,
        RevocationReason::CertificateHold => CrlReason::CertificateHold,
        RevocationReason::PrivilegeWithdrawn => CrlReason::PrivilegeWithdrawn,
        RevocationReason::AaCompromise => CrlReason::AaCompromise,
    }
}
